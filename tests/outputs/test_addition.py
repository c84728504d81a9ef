from __future__ import annotations

from specint.analysis.model import Analysis
from specint.outputs.addition import added_lines, grouped


def test_added_lines_of_each_run_lose_their_common_indentation() -> None:
    patch = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,4 @@\n a\n+    def f(self):\n+        return 1\n b\n+    c = 2\n"
    assert added_lines(patch) == ["def f(self):\n    return 1", "c = 2"]


def test_added_text_that_looks_like_a_header_is_text() -> None:
    assert added_lines("--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n a\n+++ plus\n") == ["++ plus"]
    assert added_lines("") == []


def test_findings_of_a_class_form_one_group_with_each_addition_once(analysis: Analysis) -> None:
    twice = (*analysis.findings, analysis.findings[0])
    (group,) = grouped(twice)
    assert group.name == "Kumo"
    assert len(group.items) == 3
    (addition,) = group.additions
    assert addition.text.count("def set_eagle3_layers_to_capture") == 1
