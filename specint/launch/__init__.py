"""What an SGLang makes of a launch command: refused, resolved, and to which algorithm, worker and classes.

`preflight(...)` in `answer` is the whole of it; the other modules are its parts.
"""
