from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec
import pytest

from specint.checks.finding import Finding
from specint.checks.patches import with_patches
from specint.edits.model import Edit, Splice
from specint.source.tree import SourceFile

TEXT = "class A:\n    def f(self, x):\n        return x\n\n    def g(self):\n        pass\n\n\nEntryClass = A\n"


def finding(class_: str, member: str, *splices: Splice, file: str = "m/a.py") -> Finding:
    edit = Edit(kind="add", class_=class_, member=member, file=file, splices=splices)
    return Finding(
        rule="r", id="E1", class_=class_, member=member, algorithms=(), file="m/a.py", line=1, message="m", edit=edit
    )


def patched(*findings: Finding) -> list[str | None]:
    source = {"m.a": (SourceFile.at("m/a.py"), TEXT.encode()), "m.b": (SourceFile.at("m/b.py"), b"x = 1\n")}
    return [one.patch for one in with_patches(findings, source.get)]


@pytest.mark.parametrize(
    ("findings", "expected"),
    [
        pytest.param(
            [
                finding("m.a.A", "h", Splice(6, (), ("", "    def h(self):", "        return 1"))),
                finding("m.a.A", "i", Splice(6, (), ("", "    def i(self):", "        return 2"))),
            ],
            TEXT.replace(
                "        pass\n",
                "        pass\n\n    def h(self):\n        return 1\n\n    def i(self):\n        return 2\n",
            ),
            id="two members behind one line",
        ),
        pytest.param(
            [
                finding("m.a.A", "f", Splice(1, ("    def f(self, x):",), ("    def f(self, x=None):",))),
                finding("m.a.A", "i", Splice(6, (), ("", "    i = 2"))),
            ],
            TEXT.replace("x):", "x=None):").replace("        pass\n", "        pass\n\n    i = 2\n"),
            id="a change and an addition",
        ),
        pytest.param(
            [
                finding("m.a.A", "f", Splice(1, ("    def f(self, x):",), ("    def f(self, x=None):",))),
                finding("m.a.A", "f2", Splice(1, ("    def f(self, x):",), ("    def f(self, x=0):",))),
            ],
            TEXT.replace("x):", "x=None):"),
            id="two changes of one line: the first",
        ),
        pytest.param(
            [
                finding("m.a.A", "h", Splice(6, (), ("", "    h = 1"))),
                finding("m.a.A", "h", Splice(6, (), ("", "    h = 1"))),
            ],
            TEXT.replace("        pass\n", "        pass\n\n    h = 1\n"),
            id="what two findings want alike, once",
        ),
    ],
)
def test_class_has_one_patch_that_applies_as_a_whole(tmp_path: Path, findings: list[Finding], expected: str) -> None:
    (patch,) = set(patched(*findings))
    assert patch is not None
    file = tmp_path / "m" / "a.py"
    file.parent.mkdir()
    file.write_text(TEXT)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=patch, text=True, check=True)
    assert file.read_text() == expected


def test_patch_names_each_file_once() -> None:
    one, other = (
        finding("m.a.A", "h", Splice(6, (), ("    h = 1",))),
        finding("m.a.A", "x", Splice(0, (), ("y = 2",)), file="m/b.py"),
    )
    (patch,) = set(patched(one, other))
    assert patch is not None
    assert [line for line in patch.splitlines() if line.startswith("+++")] == ["+++ b/m/a.py", "+++ b/m/b.py"]


def test_finding_without_an_edit_has_no_patch_and_another_class_its_own() -> None:
    plain = msgspec.structs.replace(finding("m.a.A", "h"), edit=msgspec.UNSET)
    one, other = (finding(f"m.a.{name}", "h", Splice(6, (), (f"    h = {name!r}",))) for name in "AB")
    without, first, second = patched(plain, one, other)
    assert without is None
    assert first != second


def test_file_that_is_gone_is_left_out() -> None:
    assert patched(finding("m.a.A", "h", Splice(0, (), ("x",)), file="m/gone.py")) == [None]
