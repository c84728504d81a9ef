"""Imports of models of one's own that this SGLang can't meet: a module a case, all analysed at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from specint.source.tree import SourceFile

OAK = "sglang.srt.models.oak"
STARRED = "sglang.srt.models.starred"
MAKES = "sglang.srt.models.makes"
TEXTS = {
    STARRED: f"from {OAK} import *\nfrom sglang.srt.models.starred_too import *\n",
    "sglang.srt.models.starred_too": f"from {STARRED} import *\nBRANCH = 1\n",
    MAKES: "for name in ('A', 'B'):\n    globals()[name] = 1\n",
    "sglang.srt.models.sets": "import sys\nsetattr(sys.modules[__name__], 'A', 1)\n",
    "sglang.srt.models.asks": "def __getattr__(name):\n    return 1\n",
    "sglang.srt.models.outside": "from elsewhere import *\n",
    "sglang.srt.models.calls": "A = dict(a=1)\nprint(A)\n",
    "sglang.srt.models.deep.leaf": "LEAF = 1\n",
}
IN_OAK = "in sglang.srt.models.oak in this SGLang"
CASES = {
    # what is there
    f"from {OAK} import OakForCausalLM": "",
    f"from {OAK} import OakForCausalLM as Mine": "",
    f"from {OAK} import *": "",
    f"import {OAK}": "",
    "import sglang.srt.models": "",
    "from sglang.srt.models import oak": "",
    "from sglang.srt.models import deep": "",
    "from sglang.srt.models.deep import leaf": "",
    "from sglang.srt import models": "",
    f"from {STARRED} import OakForCausalLM": "",
    f"from {STARRED} import BRANCH": "",
    # what may be there
    f"from {MAKES} import A": "",
    "from sglang.srt.models.sets import A": "",
    "from sglang.srt.models.asks import A": "",
    "from sglang.srt.models.outside import A": "",
    # what may not run
    f"try:\n    from {OAK} import Nothing\nexcept ImportError:\n    Nothing = None": "",
    f"if VERSION:\n    from {OAK} import Nothing": "",
    "import elsewhere.sglang.srt.nothing": "",
    "from sglang_plugins import nothing": "",
    # what is lost
    f"from {OAK} import Nothing": f"1: there is no `Nothing` {IN_OAK}",
    f"from {OAK} import OakForCausalLMs": f"1: there is no `OakForCausalLMs` {IN_OAK} "
    "(did you mean OakForCausalLM or OakV2ForCausalLM?)",
    f"from {OAK} import BirchForCausalLM": f"1: there is no `BirchForCausalLM` {IN_OAK} "
    "(BirchForCausalLM is in sglang.srt.models.birch)",
    f"x = 1\ndef f():\n    from {OAK} import Nothing": f"3: there is no `Nothing` {IN_OAK}",
    f"class C:\n    def f(self):\n        from {OAK} import Nothing": f"3: there is no `Nothing` {IN_OAK}",
    "import sglang.srt.models.oaks": "1: there is no module sglang.srt.models.oaks in this SGLang "
    "(did you mean oak, asks or makes?)",
    "import sglang.nothing.at_all": "1: there is no module sglang.nothing.at_all in this SGLang",
    "from sglang.srt.models.acorn import A": "1: there is no module sglang.srt.models.acorn in this SGLang",
    "from sglang.srt.models import acorn": "1: there is no `acorn` in sglang.srt.models in this SGLang",
    "from sglang.srt.models.calls import B": "1: there is no `B` in sglang.srt.models.calls in this SGLang",
    f"from {STARRED} import LEAF": f"1: there is no `LEAF` in {STARRED} in this SGLang",
}


@pytest.fixture(scope="module")
def said(analysed) -> dict[str, str]:
    modules = {f"mine.model_{number}": f"{case}\n" for number, case in enumerate(CASES)}
    own = tuple(SourceFile.at(f"{name.replace('.', '/')}.py") for name in modules)
    found: dict[str, list[str]] = {}
    for one in analysed(TEXTS | modules, models=own).findings:
        if one.rule == "spec-lost-import":
            found.setdefault(Path(one.file).stem, []).append(f"{one.line}: {one.message}")
    return {case: "\n".join(found.get(f"model_{number}", ())) for number, case in enumerate(CASES)}


@pytest.mark.parametrize("case", CASES)
def test_imports(said: dict[str, str], case: str) -> None:
    assert said[case] == CASES[case]
