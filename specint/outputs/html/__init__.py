"""`specint report --format html`: one file that opens anywhere, with all its data inside."""

from specint.outputs.html.document import report_html

__all__ = ["report_html"]
