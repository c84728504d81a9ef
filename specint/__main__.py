"""`python -m specint`."""

from specint.cli import main

if __name__ == "__main__":
    main()
