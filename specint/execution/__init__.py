"""Python of a tree evaluated with values that are known, and *unknown with a reason* where they are not.

Nothing is imported, executed or written: what runs is closures made of the standard library's `ast`, on Python's own
plain values (numbers, strings, lists, dictionaries) and on the stand-ins of `values` for functions, classes and
objects. What is not supported is unknown, never a guess and never skipped.
"""

from specint.execution import building as building  # what the tables in `expressions` and `statements` take from there
from specint.execution import definitions as definitions
from specint.execution import functions as functions
from specint.execution.interpreter import Interpreter as Interpreter
