"""A second count of what SGLang's workers and runners touch on a model, by names alone and with none of specint's code.

    python benchmarks/second_count.py 0.5.9 [0.5.23 ...]

Every attribute counts that is read, written, called or probed on something that is called like a model: `….model`,
`draft_model`, a local name or a parameter that one is given to. That is too much on purpose. What of it is not in the
contract (`specint contract --interface all`) is printed with the places, to be read by a person.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from specint.source.locate import open_tree
from specint.source.tree import Tree, decode

PACKAGES = (
    "speculative",
    "model_executor",
    "managers",
    "lora",
    "eplb",
    "elastic_ep",
    "mem_cache",
    "compilation",
    "checkpoint_engine",
    "batch_overlap",
    "distributed",
    "disaggregation",
)
LIKE_A_MODEL = re.compile(r"(^|_)model$")
PROBES = ("getattr", "hasattr", "setattr", "delattr")
ROUNDS = 4
NAMESAKES = 2
"""A name that more functions share says nothing of where an argument goes."""
Touched = dict[str, list[str]]


def last_name(expr: ast.expr) -> str:
    """What an expression is called: `self.x.model` is `model`, `runner(i).model` too."""
    match expr:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name)), *_]):
            return name
        case ast.NamedExpr(value=value) | ast.Starred(value=value) | ast.Await(value=value):
            return last_name(value)
        case _:
            return ""


class Count:
    """The names under which a model goes, by function, and what is touched on them."""

    def __init__(self, tree: Tree) -> None:
        self.modules = {
            file.path: ast.parse(decode(tree.read(file), file.path))
            for package in PACKAGES
            for file in tree.files(f"{tree.package}.srt.{package}")
        }
        self.given: dict[int, set[str]] = defaultdict(set)  # of a function: its parameters that a model is given to
        self.functions: dict[str, list[ast.FunctionDef]] = defaultdict(list)
        for module in self.modules.values():
            for node in ast.walk(module):
                if isinstance(node, ast.FunctionDef):
                    self.functions[node.name].append(node)
                elif isinstance(node, ast.ClassDef):
                    made = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
                    self.functions[node.name] += made

    def touched(self) -> Touched:
        """Every attribute, with the places."""
        found: Touched = {}
        for _ in range(ROUNDS):  # a parameter that was found leads to others
            found = defaultdict(list)
            for path, module in self.modules.items():
                for name, line in self._of(module, set()):
                    found[name].append(f"{path}:{line}")
        return found

    def _of(self, scope: ast.AST, outer: set[str]) -> Iterator[tuple[str, int]]:
        names = set(outer)
        if isinstance(scope, ast.FunctionDef):
            names |= self.given[id(scope)]
        inner: list[ast.FunctionDef] = []
        nodes = list(self._within(scope, inner))
        for _ in range(2):
            for node in nodes:
                names |= set(self._named(node, names))
        for node in nodes:
            yield from self._touches(node, names)
        for function in inner:
            yield from self._of(function, names if isinstance(scope, ast.FunctionDef) else set())

    def _within(self, scope: ast.AST, inner: list[ast.FunctionDef]) -> Iterator[ast.AST]:
        for node in ast.iter_child_nodes(scope):
            if isinstance(node, ast.FunctionDef):
                inner.append(node)
            else:
                yield node
                yield from self._within(node, inner)

    def _is_model(self, expr: ast.expr, names: set[str]) -> bool:
        match expr:
            case ast.BoolOp(values=values):
                return any(self._is_model(one, names) for one in values)
            case ast.IfExp(body=body, orelse=orelse):
                return self._is_model(body, names) or self._is_model(orelse, names)
            case ast.Name(id=name):
                return name in names or bool(LIKE_A_MODEL.search(name))
            case _:
                return bool(LIKE_A_MODEL.search(last_name(expr)))

    def _named(self, node: ast.AST, names: set[str]) -> Iterator[str]:
        """The names that a model is given, here or as a parameter of what is called."""
        match node:
            case ast.Assign(targets=targets, value=value) if self._is_model(value, names):
                yield from (one.id for one in targets if isinstance(one, ast.Name))
            case ast.NamedExpr(target=ast.Name(id=name), value=value) if self._is_model(value, names):
                yield name
            case ast.For(target=ast.Name(id=name), iter=ast.Tuple(elts=values) | ast.List(elts=values)):
                if any(self._is_model(one, names) for one in values):
                    yield name
            case ast.Call(func=func, args=args, keywords=keywords):
                namesakes = self.functions.get(last_name(func), [])
                for function in namesakes if len(namesakes) <= NAMESAKES else ():
                    parameters = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
                    bound = parameters[1:] if parameters[:1] in (["self"], ["cls"]) else parameters
                    self.given[id(function)] |= {
                        name for name, arg in zip(bound, args, strict=False) if self._is_model(arg, names)
                    }
                    self.given[id(function)] |= {
                        one.arg for one in keywords if one.arg and self._is_model(one.value, names)
                    }
            case _:
                pass

    def _touches(self, node: ast.AST, names: set[str]) -> Iterator[tuple[str, int]]:
        match node:
            case ast.Attribute(value=base, attr=name, lineno=line) if self._is_model(base, names):
                yield name, line
            case ast.Call(func=ast.Name(id=probe), args=[base, ast.Constant(value=str(name)), *_], lineno=line):
                if probe in PROBES and self._is_model(base, names):
                    yield name, line
            case _:
                pass


def in_contract(release: str) -> set[str]:
    """The members of the contract, and the steps of the ways to what it asks of parts."""
    command = [sys.executable, "-m", "specint", "contract", "--sglang", release, "--interface", "all"]
    done = subprocess.run([*command, "--format", "json"], check=True, capture_output=True)
    asked = json.loads(done.stdout)["contract"]["requirements"]
    return {part.removesuffix("[]") for one in asked for part in one["member"].split(".")}


def main() -> None:
    """One table a release."""
    for release in sys.argv[1:]:
        tree = open_tree(release, cache_dir=Path.home() / ".cache" / "specint")
        touched, asked = Count(tree).touched(), in_contract(release)
        outside = {name: places for name, places in touched.items() if name not in asked and not hasattr(object, name)}
        inside = len(touched) - len(outside)
        print(f"{release}: {len(touched)} names are touched, {inside} are in the contract or are every object's")
        for name, places in sorted(outside.items(), key=lambda one: (-len(one[1]), one[0])):
            print(f"  {name:40} {len(places):4}  {', '.join(sorted(set(places))[:3])}")


if __name__ == "__main__":
    main()
