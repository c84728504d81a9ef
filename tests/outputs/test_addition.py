from __future__ import annotations

import msgspec

from specint.analysis.model import Analysis
from specint.edits.model import Edit, Splice
from specint.outputs.addition import grouped


def test_findings_of_a_class_form_one_group_with_each_addition_once(analysis: Analysis) -> None:
    twice = (*analysis.findings, analysis.findings[0])
    (group,) = grouped(twice)
    assert group.name == "Kumo"
    assert len(group.items) == 3
    (addition,) = group.additions
    assert addition.text.count("def set_eagle3_layers_to_capture") == 1


def test_line_that_changes_is_shown_as_a_change(analysis: Analysis) -> None:
    splice = Splice(7, ("    def f(self, ids):",), ("    def f(self, ids=None):",))
    edit = Edit(kind="default", class_="a.Kumo", member="f", file="a.py", splices=(splice,))
    (group,) = grouped([msgspec.structs.replace(analysis.findings[0], edit=edit)])
    (addition,) = group.additions
    assert addition.change
    assert addition.text == "- def f(self, ids):\n+ def f(self, ids=None):"


def test_lines_that_only_go_are_not_shown(analysis: Analysis) -> None:
    splices = (Splice(7, (), ("", "    def f(self):")), Splice(9, ("def f(self):",)))
    edit = Edit(kind="move", class_="a.Kumo", member="f", file="a.py", splices=splices)
    (group,) = grouped([msgspec.structs.replace(analysis.findings[0], edit=edit)])
    assert [(one.text, one.change) for one in group.additions] == [("def f(self):", False)]
