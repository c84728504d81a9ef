"""The making of edits: a rule says what its finding wants, this room makes lines, a patch and the proof of them.

It knows source text and facts alone. Whether an edit settles a finding is asked by `specint.fix`, which analyses again.
"""
