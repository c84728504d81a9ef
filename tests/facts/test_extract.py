"""One module's facts: what each kind of statement becomes, and under which guards."""

from __future__ import annotations

import textwrap

import pytest

from specint.errors import SpecintError
from specint.facts import model as facts
from specint.facts.extract import extract


def module(text: str, name: str = "pack.mod", *, is_package: bool = False) -> facts.Module:
    path = f"{name.replace('.', '/')}{'/__init__' if is_package else ''}.py"
    return extract(textwrap.dedent(text), name=name, path=path, is_package=is_package)


def body(text: str) -> facts.Scope:
    """The body of the one function in a text."""
    return module(text).body.functions[0].body


def guards(scope: facts.Scope, line: int) -> list[tuple[str, str, bool]]:
    """The guards of the last step of a line, innermost first, as (kind, test, positive)."""
    step = [one for one in scope.steps if one.line == line][-1]
    return [(one.kind, facts.spell(one.test), one.positive) for one in scope.guards_of(step.guard)]


def imports(text: str, name: str = "pack.mod", *, is_package: bool = False) -> list[tuple[str, str, str | None]]:
    steps = module(text, name, is_package=is_package).body.steps
    return [(one.local, one.module, one.attribute) for one in steps if isinstance(one, facts.Import)]


@pytest.mark.parametrize(
    ("text", "name", "is_package", "expected"),
    [
        ("import a.b.c as d", "pack.mod", False, ("d", "a.b.c", None)),
        ("from a.b import c as d", "pack.mod", False, ("d", "a.b", "c")),
        ("from a.b import *", "pack.mod", False, ("*", "a.b", "*")),
        ("from . import near", "pack.sub.mod", False, ("near", "pack.sub", "near")),
        ("from .near import x", "pack.sub.mod", False, ("x", "pack.sub.near", "x")),
        ("from ..far import x", "pack.sub.mod", False, ("x", "pack.far", "x")),
        ("from .near import x", "pack.sub", True, ("x", "pack.sub.near", "x")),
        ("from ..far import x", "pack.sub", True, ("x", "pack.far", "x")),
    ],
)
def test_imports_are_absolute(text: str, name: str, is_package: bool, expected: tuple[str, str, str | None]) -> None:
    assert imports(text, name, is_package=is_package) == [expected]


def test_an_import_of_a_module_within_names_its_package_and_imports_both() -> None:
    assert imports("import a.b.c", "pack.mod") == [("a", "a", None), ("", "a.b.c", None)]


def test_import_keeps_the_try_and_the_handler_it_stands_in() -> None:
    scope = module(
        """
        try:
            from fast import thing
        except ImportError:
            thing = None
        """
    ).body
    assert [(g[0]) for g in guards(scope, 3)] == ["try"]
    assert [(g[0]) for g in guards(scope, 5)] == ["except"]
    assert scope.guards[0].catches == ("ImportError",)


def test_if_and_else_are_two_guards_of_one_test() -> None:
    scope = body(
        """
        def f(a):
            if a.b:
                x = 1
            elif not a.c:
                x = 2
            else:
                x = 3
        """
    )
    assert guards(scope, 4) == [("if", "a.b", True)]
    assert guards(scope, 6) == [("if", "not a.c", True), ("if", "a.b", False)]
    assert guards(scope, 8) == [("if", "not a.c", False), ("if", "a.b", False)]


@pytest.mark.parametrize(
    ("leave", "left_by"), [("return", ""), ("raise ValueError()", "raise"), ("continue", ""), ("break", "")]
)
def test_what_follows_a_branch_that_left_is_guarded_by_its_opposite(leave: str, left_by: str) -> None:
    scope = body(f"def f(a):\n for i in a:\n  if not i.ok:\n   {leave}\n  use(i)\n")
    after = next(one for one in scope.guards if one.kind == "after")
    assert (facts.spell(after.test), after.positive, after.left_by) == ("not i.ok", False, left_by)
    assert [g[0] for g in guards(scope, 5)] == ["after", "loop"]


def test_branch_that_only_sometimes_leaves_guards_nothing_after_it() -> None:
    scope = body("def f(a):\n if a:\n  if a.b:\n   return\n use(a)\n")
    assert guards(scope, 5) == []


def test_else_that_leaves_guards_what_follows_by_the_test() -> None:
    scope = body("def f(a):\n if a:\n  x = 1\n else:\n  raise ValueError\n use(a)\n")
    assert guards(scope, 6) == [("after", "a", True)]


def test_assert_is_a_raise_under_the_opposite_and_guards_what_follows() -> None:
    scope = body("def f(a):\n assert hasattr(a, 'x')\n a.x()\n")
    (failed,) = [one for one in scope.steps if isinstance(one, facts.Raise)]
    assert [(g.kind, g.positive) for g in scope.guards_of(failed.guard)] == [("if", False)]
    assert guards(scope, 3) == [("after", "hasattr(a, 'x')", True)]


def test_with_block_passes_its_early_exit_on_to_what_follows() -> None:
    scope = body("def f(a):\n with a.lock() as held:\n  if a.done:\n   return\n a.go()\n")
    assert guards(scope, 5) == [("after", "a.done", False)]
    assert any(isinstance(s, facts.Bind) and s.how == "with" and s.target == facts.Name("held") for s in scope.steps)


@pytest.mark.parametrize(
    ("handlers", "caught", "reraises"),
    [
        ("except AttributeError:\n  pass", ("AttributeError",), "never"),
        ("except AttributeError:\n  raise", ("AttributeError",), "always"),
        ("except AttributeError as e:\n  raise ValueError() from e", ("AttributeError",), "always"),
        ("except AttributeError:\n  if x:\n   raise", ("AttributeError",), "maybe"),
        ("except:\n  pass", ("",), "never"),
        ("except (KeyError, m.Gone):\n  pass", ("KeyError", "m.Gone"), "never"),
        ("except KeyError:\n  raise\n except ValueError:\n  pass", ("KeyError", "ValueError"), "maybe"),
    ],
)
def test_try_knows_what_it_catches_and_whether_it_raises_again(handlers: str, caught: tuple, reraises: str) -> None:
    scope = body(f"def f(a, x):\n try:\n  a.b()\n {handlers}\n")
    inside = next(one for one in scope.guards if one.kind == "try")
    assert (inside.catches, inside.reraises) == (caught, reraises)


def test_try_with_only_a_finally_guards_nothing() -> None:
    scope = body("def f(a):\n try:\n  a.b()\n finally:\n  a.c()\n")
    assert (guards(scope, 3), guards(scope, 5)) == ([], [])


def test_match_on_a_value_compares() -> None:
    scope = body("def f(a):\n match a.kind:\n  case 'x':\n   use(1)\n  case _:\n   use(2)\n")
    assert guards(scope, 4) == [("if", "a.kind == 'x'", True)]


def test_tuple_assignment_of_equal_length_is_taken_apart() -> None:
    steps = body("def f(a):\n x, self.y = a.b, None\n p, q = a()\n").steps
    assert [(facts.spell(s.target), facts.spell(s.value)) for s in steps] == [
        ("x", "a.b"),
        ("self.y", "None"),
        ("(p, q)", "a()"),
    ]


def test_chained_assignment_gives_each_target_the_value() -> None:
    steps = body("def f(a):\n x = self.y = a\n").steps
    assert [facts.spell(s.target) for s in steps] == ["x", "self.y"]


def test_quoted_annotation_is_read() -> None:
    (function,) = module("def f(a: 'pack.Thing', b: 'no type at all') -> \"list[Thing]\": ...").body.functions
    assert facts.dotted(function.params[0].annotation) == "pack.Thing"
    assert isinstance(function.params[1].annotation, facts.Constant)
    assert isinstance(function.returns, facts.Item)


def test_parameters_of_every_kind() -> None:
    (function,) = module("def f(a, /, b, c=1, *d, e, f=2, **g): ...").body.functions
    found = [(p.name, p.kind, facts.spell(p.default)) for p in function.params]
    assert found == [
        ("a", "positional-only", ""),
        ("b", "positional", ""),
        ("c", "positional", "1"),
        ("d", "*", ""),
        ("e", "keyword", ""),
        ("f", "keyword", "2"),
        ("g", "**", ""),
    ]


def test_nested_functions_and_classes_have_dotted_names() -> None:
    found = module("class A:\n class B:\n  def m(self):\n   def inner(): ...\n")
    method = found.body.classes[0].body.classes[0].body.functions[0]
    assert method.qualname == "A.B.m"
    assert method.body.functions[0].qualname == "A.B.m.inner"


def test_function_that_yields_is_a_generator_and_the_one_around_it_is_not() -> None:
    (outer,) = module("def f():\n def g():\n  yield 1\n return g\n").body.functions
    assert not outer.is_generator
    assert outer.body.functions[0].is_generator


def test_attribute_stands_where_its_name_does_in_a_chain_over_lines() -> None:
    (step,) = body("def f(self):\n (self.a\n  .b\n  .c())\n").steps
    assert step.line == 2
    assert step.value.func.line == 4


@pytest.mark.parametrize("number", ["2**70", str(2**70), str(-(2**70)), str(-(2**63)), "1e400", "3j", "b'x'", "..."])
def test_literals_that_no_cache_can_hold_are_kept_without_a_value(number: str) -> None:
    found = module(f"x = {number}\n")
    assert facts.decode(facts.encode(found)) == found


def test_text_with_lone_surrogates_survives_the_cache() -> None:
    found = module("x = '\\ud800'\n")
    assert facts.decode(facts.encode(found)) == found


def test_facts_survive_the_cache() -> None:
    found = module(
        """
        import a
        from b import c
        class K(a.B, metaclass=c):
            x: int = 1
            @property
            def y(self): return [i for i in self.z if i] or {**self.w, "k": lambda q: q}
            async def go(self, *args, **kw):
                async with self.l as l, self.m:
                    del l.x, self.k[0]
                    async for i in l: yield await i
                while (n := self.n) is not None: self.n += 1
                return f"{n}" if n in (1, -2, not n) else n[1:2]
        """
    )
    assert facts.decode(facts.encode(found)) == found


@pytest.mark.parametrize(
    ("text", "what"),
    [("def f(:\n", "does not parse"), ("x = 1\ny = (\n", "does not parse"), ("x = '\0'\n", "does not parse")],
)
def test_what_does_not_parse_is_said_with_its_place(text: str, what: str) -> None:
    with pytest.raises(SpecintError) as raised:
        module(text)
    assert raised.value.where.startswith("pack/mod.py")
    assert what in raised.value.what


def test_expression_nested_too_deeply_is_said_not_raised() -> None:
    with pytest.raises(SpecintError) as raised:
        module("x = " + "(" * 5000 + "1" + ")" * 5000)
    assert raised.value.where.startswith("pack/mod.py")


def test_long_chain_that_parses_but_is_too_deep_to_walk_is_said_not_raised() -> None:
    with pytest.raises(SpecintError, match="nested too deeply"):
        module("x = " + "a" + ".b" * 20000)


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("a.b(c, *d, e=f, **g)", "a.b(c, *d, e=f, **g)"),
        ("a if b else c", "a if b else c"),
        ("a < b is not c not in d", "a < b is not c not in d"),
        ("(x := y) and not z or w[0]", "(x := y) and not z or w[0]"),
        ("-3", "-3"),
        ("not (a or b) and (c or d)", "not (a or b) and (c or d)"),
        ("(a or b).c == (not d)", "(a or b).c == (not d)"),
        ("not a == b", "not a == b"),
    ],
)
def test_expression_is_spelled_as_it_was_written(text: str, spelled: str) -> None:
    # What `:=` names is bound by a step of its own before.
    assert facts.spell(module(f"q = {text}\n").body.steps[-1].value) == spelled


def test_walk_visits_every_part() -> None:
    value = module("q = a(b, c=d)[e] if {f: g} else [h for i in j if k]\n").body.steps[0].value
    assert {one.id for one in facts.walk(value) if isinstance(one, facts.Name)} == set("abdefghijk")


def test_what_a_try_goes_on_with_is_caught_by_none_of_its_handlers() -> None:
    scope = body("def f(a):\n try:\n  x = 1\n except KeyError:\n  x = 2\n else:\n  x = 3\n")
    kinds = [scope.guards[step.guard].kind for step in scope.steps if isinstance(step, facts.Bind)]
    assert kinds == ["try", "except", "else"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('"""Serves GLM-4.6.\n\nAnd more.\n"""', "Serves GLM-4.6."),
        ("# a license\n'One line'\nx = 1", "One line"),
        ("x = 1\n'no docstring'", ""),
        ("'\\ud800 and \\x1b[1m'", "\\ud800 and \\x1b[1m"),
        ("", ""),
    ],
)
def test_title_is_the_first_line_of_the_docstring(text: str, title: str) -> None:
    assert module(text).title == title


def test_what_is_suppressed_is_a_try_that_swallows() -> None:
    found = module("with contextlib.suppress(AttributeError, KeyError):\n    x = y.z\nafter = 1\n").body
    inside, behind = (step for step in found.steps if isinstance(step, facts.Bind))
    guard = found.guards[inside.guard]
    assert (guard.kind, guard.catches, guard.reraises) == ("try", ("AttributeError", "KeyError"), "never")
    assert behind.guard == -1
