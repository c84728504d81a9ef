"""One rule, one file: each has `SYMBOL`, the name of its folder in `rules/`, and `check`, which finds.

A rule that needs more than the tree (what a user demanded, an earlier release) has no `check`; its command calls it.
"""
