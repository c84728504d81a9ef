"""The contract is inferred, never listed: no member of a model is named in our code.

Comments and docstrings may name one, as an example or a source. Data about classes outside of SGLang is in `rules/`.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import specint

PACKAGE = Path(specint.__file__).parent
CODE = sorted(
    path for path in PACKAGE.rglob("*.py") if "_rules" not in path.parts
)  # where an installed one has its data
DATA = Path(__file__).parent / "data"
PLAIN = {"named_modules", "num_hidden_layers", "layer_types"}
"""Of every module of torch, and keys of Transformers' configurations; their names say nothing about a contract."""


def members() -> set[str]:
    """Every member of the stored contracts whose name is no everyday word, and some of releases that are not stored."""
    found = {"get_hot_token_id", "capture_aux_hidden_states", "routed_experts_weights_of_layer", "embed_tokens"}
    found |= {"get_model_config_for_expert_location", "get_attention_sliding_window_size", "pad_input_ids"}
    for path in DATA.glob("contract-*.json"):
        for roles in json.loads(path.read_text(encoding="utf-8"))["asks"].values():
            found |= {name for asked in roles.values() for name in asked}
    return {name for name in found if "_" in name} - PLAIN


def words(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every identifier and string that is code, with its line."""
    docstrings = set()
    for node in ast.walk(tree):
        # a docstring, and the text below a field or constant that says what it means
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docstrings.add(node.value)
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if node not in docstrings:
                yield node.lineno, text
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.keyword(arg=str(name)):
                yield node.value.lineno, name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case _:
                pass


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_member_of_a_model_is_named_in_code(path: Path) -> None:
    known = members()
    assert {"get_embed_and_head", "set_eagle3_layers_to_capture", "lm_head"} <= known
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = [(line, text) for line, text in words(tree) if any(name in text for name in known)]
    assert named == []


def test_words_sees_strings_and_names_and_no_docstrings() -> None:
    tree = ast.parse('def f(a):\n    "lm_head"\n    return a.lm_head, "lm_head", f(lm_head=1)\n')
    assert [text for _, text in words(tree) if text == "lm_head"] == ["lm_head"] * 3
