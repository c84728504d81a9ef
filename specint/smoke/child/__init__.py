"""What runs beside SGLang, in the user's environment: only the standard library, torch, Transformers and SGLang itself.

It is loaded by its folder, under the name `specint_child`, so that the environment needs no specint and gets nothing
from specint's own. It runs on every Python that SGLang runs on (3.10 and newer).
"""
