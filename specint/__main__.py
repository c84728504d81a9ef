"""`python -m specint`."""

import os
import sys


def _leave_working_directory() -> None:
    """Take off the import path what `-m` put there: a `click.py` in the folder that is checked is not ours to run.

    Unless specint itself comes from there, as it does in a checkout.
    """
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib isn't loaded yet
    if not sys.flags.safe_path and sys.path and sys.path[0] != home:
        del sys.path[0]


if __name__ == "__main__":
    _leave_working_directory()
    from specint.cli import main

    main()
