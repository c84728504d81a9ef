"""From the text of one module to its facts: one `ast` pass, the tree dropped at once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from specint.errors import SpecintError, spelled
from specint.facts import model as facts
from specint.facts.bounds import DEEPEST, LONGEST, MOST_CONDITIONS, TooMuch, check_amount
from specint.facts.callables import plain_callable
from specint.facts.matching import captured
from specint.facts.model import Expr
from specint.facts.records import record
from specint.facts.remarks import remarks
from specint.facts.spelling import attribute_changes, plain_item, plain_lookup, spread
from specint.parsing import TOO_DEEP, Unparsable, parsed_expression, parsed_module

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_SPLIT = "split the longest expression, or exclude the file"
_LONGEST_TITLE = 200
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def extract(text: str, *, name: str, path: str, is_package: bool = False) -> facts.Module:
    """The facts of one module.

    Args:
        text: the decoded source.
        name: its dotted name, with which relative imports are resolved.
        path: what a diagnostic should call the file.

    Raises:
        SpecintError: the text is no Python that this interpreter can parse; `where` has line and column.
    """
    try:
        check_amount(text)
        tree = parsed_module(text)
        scope = _Scope()
        scope.module, scope.is_package = name.split("."), is_package
        body = scope.read(tree.body)
        return facts.Module(name, path, is_package, body, remarks(text, tree), _title(tree), tuple(scope.globals))
    except TooMuch as error:
        place = f"{path}:{error.line}" if error.line else path
        raise SpecintError(f"has {error.what}, too much to be read", place, "split it, or exclude the file") from None
    except Unparsable as error:
        if error.too_deep:
            raise SpecintError(f"is {TOO_DEEP}", path, _SPLIT) from None
        place = f"{path}:{error.line}:{error.column}" if error.line else path
        raise SpecintError(f"does not parse: {error.what}", place, "fix the syntax, or exclude the file") from None
    except (RecursionError, MemoryError):
        raise SpecintError(f"is {TOO_DEEP}", path, _SPLIT) from None


def _title(tree: ast.Module) -> str:
    """The first line of the docstring; its rest may be a license."""
    return spelled((ast.get_docstring(tree) or "").partition("\n")[0][:_LONGEST_TITLE])


class _Scope:
    """Builds one `Scope`; nested scopes get a builder of their own."""

    def __init__(self, around: _Scope | None = None, prefix: str = "", first: str = "") -> None:
        self.module: list[str] = around.module if around is not None else []
        self.is_package: bool = around is not None and around.is_package
        self.prefix = prefix
        self.first = first  # what `super()` means by the object: the first parameter of the function, or of that around
        self.private: str = around.private if around is not None else ""  # the class whose private names these are
        self.shared: dict[str, None] = {}  # the names that are another scope's, by `global` and `nonlocal`
        self.globals: dict[str, None] = around.globals if around is not None else {}  # of all functions of the module
        self.guards: list[facts.Guard] = []
        self.steps: list[facts.Step] = []
        self.functions: list[facts.Function] = []
        self.classes: list[facts.Class] = []
        self.is_generator = False
        self._conditions: list[int] = []  # of each guard, how many there are on the way to it
        self._depth = 0
        self._named: list[tuple[str, Expr]] = []  # by `:=` in the statement that is being read

    def read(self, body: Sequence[ast.stmt]) -> facts.Scope:
        self.block(body, -1)
        return facts.Scope(tuple(self.guards), tuple(self.steps), tuple(self.functions), tuple(self.classes))

    def own(self, name: str) -> str:
        """A name as Python spells it: within a class, `__x` is another name in each."""
        if name[:2] != "__" or name[-2:] == "__" or not self.private:
            return name
        return f"_{self.private}{name}"

    # -- statements ------------------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt], guard: int) -> None:
        for statement in body:
            handler = _STATEMENTS.get(type(statement))
            if handler is not None:
                before, start = guard, len(self.steps)
                guard = handler(self, statement, guard)
                if self._named:
                    self.bind_named(before, start, statement.lineno)

    def push(
        self,
        parent: int,
        kind: str,
        test: Expr | None,
        positive: bool,
        line: int,
        catches: tuple[str, ...] = (),
        reraises: str = "",
        left_by: str = "",
    ) -> int:
        if self._named:
            tested = bool(self.steps) and isinstance(self.steps[-1], facts.Evaluate) and self.steps[-1].line == line
            self.bind_named(parent, len(self.steps) - tested, line)
        self.guards.append(
            facts.Guard(parent, kind, test, positive, line, catches, reraises, left_by)  # type: ignore[arg-type]
        )
        conditions = self._conditions[parent] + 1 if parent >= 0 else 1
        if conditions > MOST_CONDITIONS:
            raise TooMuch(f"more than {MOST_CONDITIONS} conditions on the way to one line", line)
        self._conditions.append(conditions)
        return len(self.guards) - 1

    def assign(self, node: ast.Assign, guard: int) -> int:
        value = self.expr(node.value)
        for target in node.targets:
            made = self.made_record(target, value, node) if isinstance(value, facts.Call) else None
            if made is not None:
                self.classes.append(made)
                self.steps.append(facts.DefineClass(len(self.classes) - 1, guard, node.lineno))
            else:
                self.bind(self.expr(target), value, "=", guard, node.lineno)
        return guard

    def made_record(self, target: ast.expr, value: facts.Call, node: ast.Assign) -> facts.Class | None:
        if not isinstance(target, ast.Name):
            return None
        return record(self.own(target.id), value, self.prefix, node.lineno, node.col_offset)

    def bind(self, target: Expr, value: Expr | None, how: str, guard: int, line: int) -> None:
        if isinstance(target, facts.Display) and isinstance(value, facts.Display) and how == "=":
            items = target.items
            plain = not any(isinstance(i, facts.Starred) for i in items + value.items)
            if len(items) == len(value.items) and plain and not _takes_over(items, value.items):
                for one, its in zip(items, value.items, strict=True):
                    self.bind(one, its, how, guard, line)
                return
        self.steps.append(facts.Bind(target, value, None, how, guard, line))

    def bind_named(self, guard: int, at: int, line: int) -> None:
        """Bind the names that the expressions of a step gave by `:=`, before the step, which may use them already."""
        self.steps[at:at] = [facts.Bind(facts.Name(n), value, None, "=", guard, line) for n, value in self._named]
        self._named.clear()

    def annotated(self, node: ast.AnnAssign, guard: int) -> int:
        value = self.expr(node.value) if node.value is not None else None
        target, annotation = self.expr(node.target), self.annotation(node.annotation)
        how = "=" if node.value is not None else "declare"
        self.steps.append(facts.Bind(target, value, annotation, how, guard, node.lineno))
        return guard

    def augmented(self, node: ast.AugAssign, guard: int) -> int:
        target = self.expr(node.target)
        value = facts.Other((target, self.expr(node.value)))
        self.steps.append(facts.Bind(target, value, None, "augment", guard, node.lineno))
        return guard

    def expression(self, node: ast.Expr, guard: int) -> int:
        if isinstance(node.value, ast.Constant):
            return guard
        value = self.expr(node.value)
        changes = attribute_changes(value, self.first)
        for target, given in changes:
            if given is None:
                self.steps.append(facts.Delete(target, guard, node.lineno))
            else:
                self.bind(target, given, "=", guard, node.lineno)
        if not changes:
            self.steps.append(facts.Evaluate(value, guard, node.lineno))
        return guard

    def returns(self, node: ast.Return, guard: int) -> int:
        value = self.expr(node.value) if node.value is not None else None
        self.steps.append(facts.Return(value, guard, node.lineno))
        return guard

    def raises(self, node: ast.Raise, guard: int) -> int:
        value = self.expr(node.exc) if node.exc is not None else None
        self.steps.append(facts.Raise(value, guard, node.lineno))
        return guard

    def asserts(self, node: ast.Assert, guard: int) -> int:
        test = self.expr(node.test)
        self.steps.append(facts.Evaluate(test, guard, node.lineno))
        failed = self.push(guard, "if", test, False, node.lineno)
        self.steps.append(facts.Raise(None, failed, node.lineno))
        return self.push(guard, "after", test, True, node.lineno, left_by="raise")

    def shares(self, node: ast.Global | ast.Nonlocal, guard: int) -> int:
        names = dict.fromkeys(map(self.own, node.names))
        self.shared.update(names)
        if isinstance(node, ast.Global):
            self.globals.update(names)
        return guard

    def deletes(self, node: ast.Delete, guard: int) -> int:
        for target in node.targets:
            self.steps.append(facts.Delete(self.expr(target), guard, node.lineno))
        return guard

    def branch(self, node: ast.If, guard: int) -> int:
        first: Expr | None = None
        around = guard
        rung = node
        while True:  # down an `elif` ladder, which can be longer than Python's stack is deep
            test = self.expr(rung.test)
            first = first or test
            self.steps.append(facts.Evaluate(test, around, rung.lineno))
            self.block(rung.body, self.push(around, "if", test, True, rung.lineno))
            if not rung.orelse:
                break
            around = self.push(around, "if", test, False, rung.lineno)
            below = rung.orelse[0]
            if len(rung.orelse) != 1 or not isinstance(below, ast.If):
                self.block(rung.orelse, around)
                break
            rung = below
        left, left_else = _leaves(node.body), _leaves(node.orelse)
        if left and not left_else:
            return self.push(guard, "after", first, False, node.lineno, left_by=_left_by(node.body))
        if left_else and not left:
            return self.push(guard, "after", first, True, node.lineno, left_by=_left_by(node.orelse))
        return guard

    def for_loop(self, node: ast.For | ast.AsyncFor, guard: int) -> int:
        iterable = self.expr(node.iter)
        inside = self.push(guard, "loop", iterable, True, node.lineno)
        self.bind(self.expr(node.target), iterable, "for", inside, node.lineno)
        self.block(node.body, inside)
        self.block(node.orelse, guard)
        return guard

    def while_loop(self, node: ast.While, guard: int) -> int:
        test = self.expr(node.test)
        self.steps.append(facts.Evaluate(test, guard, node.lineno))
        self.block(node.body, self.push(guard, "loop", test, True, node.lineno))
        self.block(node.orelse, guard)
        return guard

    def with_block(self, node: ast.With | ast.AsyncWith, guard: int) -> int:
        for item in node.items:
            value = self.expr(item.context_expr)
            if item.optional_vars is not None:
                self.bind(self.expr(item.optional_vars), value, "with", guard, node.lineno)
            else:
                self.steps.append(facts.Evaluate(value, guard, node.lineno))
        if catches := _suppressed(node):
            self.block(node.body, self.push(guard, "try", None, True, node.lineno, catches, "never"))
            return guard
        return self.inline(node.body, guard)

    def inline(self, body: Sequence[ast.stmt], guard: int) -> int:
        """A block that always runs: what it leaves behind guards what follows."""
        for statement in body:
            handler = _STATEMENTS.get(type(statement))
            if handler is not None:
                guard = handler(self, statement, guard)
        return guard

    def try_block(self, node: ast.Try | ast.TryStar, guard: int) -> int:
        catches = tuple(name for handler in node.handlers for name in _caught(self, handler))
        if node.handlers:
            inside = self.push(guard, "try", None, True, node.lineno, catches, _reraises(node.handlers))
        else:
            inside = guard
        self.block(node.body, inside)
        for handler in node.handlers:
            around = self.push(guard, "except", None, True, handler.lineno, _caught(self, handler))
            self.block(handler.body, around)
        if node.orelse:  # no handler of this try catches what is raised here
            self.block(node.orelse, self.push(guard, "else", None, True, node.lineno) if node.handlers else guard)
        self.block(node.finalbody, guard)
        return guard

    def match(self, node: ast.Match, guard: int) -> int:
        """A ladder of tests: a case is met where none of those before it is that can be told by a test."""
        subject = self.expr(node.subject)
        self.steps.append(facts.Evaluate(subject, guard, node.lineno))
        around, told = guard, True
        for case in node.cases:
            line = case.pattern.lineno
            tests, names, whole = captured(case.pattern, subject, self.expr)
            if not whole or not (tests or told):  # there is more to it than the tests say
                tests = (*tests, facts.Other((subject,)))
            test = tests[0] if len(tests) == 1 else facts.Boolean("and", tests)
            inside = self.push(around, "if", test, True, line) if tests else around
            for name, value in names:
                self.bind(name, value, "=", inside, line)
            if case.guard is not None:
                asked = self.expr(case.guard)
                self.steps.append(facts.Evaluate(asked, inside, line))
                inside = self.push(inside, "if", asked, True, line)
            self.block(case.body, inside)
            if whole and case.guard is None:
                around = self.push(around, "if", test, False, line) if tests else around
            else:
                told = False
        return guard

    def imports(self, node: ast.Import, guard: int) -> int:
        for alias in node.names:
            local = alias.asname or alias.name.partition(".")[0]
            module = alias.name if alias.asname else local
            self.steps.append(facts.Import(self.own(local), module, None, guard, node.lineno))
            if module != alias.name:  # `import a.b` names a alone, and imports a.b all the same
                self.steps.append(facts.Import("", alias.name, None, guard, node.lineno))
        return guard

    def imports_from(self, node: ast.ImportFrom, guard: int) -> int:
        module = node.module or ""
        if node.level:
            base = self.module if self.is_package else self.module[:-1]
            base = base[: len(base) - (node.level - 1)] if node.level > 1 else base
            module = ".".join([*base, module] if module else base)
        for alias in node.names:
            local = self.own(alias.asname or alias.name)
            self.steps.append(facts.Import(local, module, alias.name, guard, node.lineno))
        return guard

    def define(self, node: ast.FunctionDef | ast.AsyncFunctionDef, guard: int) -> int:
        params = [*node.args.posonlyargs, *node.args.args]
        first = params[0].arg if params else self.first
        inner = _Scope(self, f"{self.prefix}{node.name}.", first)
        body = inner.read(node.body)
        self.functions.append(
            facts.Function(
                self.own(node.name),
                self.prefix + node.name,
                node.lineno,
                node.col_offset,
                node.end_lineno or node.lineno,
                self.params(node.args),
                self.annotation(node.returns) if node.returns is not None else None,
                tuple(map(self.expr, node.decorator_list)),
                body,
                inner.is_generator,
                tuple(inner.shared),
            )
        )
        self.steps.append(facts.Define(len(self.functions) - 1, guard, node.lineno))
        return guard

    def define_class(self, node: ast.ClassDef, guard: int) -> int:
        inner = _Scope(self, f"{self.prefix}{node.name}.")
        inner.private = node.name.lstrip("_")
        self.classes.append(
            facts.Class(
                self.own(node.name),
                self.prefix + node.name,
                node.lineno,
                node.col_offset,
                node.end_lineno or node.lineno,
                tuple(map(self.expr, node.bases)),
                tuple(facts.Keyword(k.arg, self.expr(k.value)) for k in node.keywords),
                tuple(map(self.expr, node.decorator_list)),
                inner.read(node.body),
            )
        )
        self.steps.append(facts.DefineClass(len(self.classes) - 1, guard, node.lineno))
        return guard

    def params(self, node: ast.arguments) -> tuple[facts.Param, ...]:
        found = []
        positional = [(a, "positional-only") for a in node.posonlyargs] + [(a, "positional") for a in node.args]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(node.defaults)) + list(node.defaults)
        groups = [(a, kind, d) for (a, kind), d in zip(positional, defaults, strict=True)]
        if node.vararg:
            groups.append((node.vararg, "*", None))
        groups += [(a, "keyword", d) for a, d in zip(node.kwonlyargs, node.kw_defaults, strict=True)]
        if node.kwarg:
            groups.append((node.kwarg, "**", None))
        for arg, kind, default in groups:
            annotation = self.annotation(arg.annotation) if arg.annotation is not None else None
            value = self.expr(default) if default is not None else None
            found.append(facts.Param(self.own(arg.arg), kind, annotation, value))
        return tuple(found)

    # -- expressions -----------------------------------------------------------------------------------------------

    def expr(self, node: ast.expr) -> Expr:
        if type(node) is ast.Name and self._depth < DEEPEST:  # half of all
            return facts.Name(node.id if node.id[0] != "_" else self.own(node.id))
        self._depth += 1
        if self._depth > DEEPEST:
            raise TooMuch(f"an expression of more than {DEEPEST} levels", node.lineno)
        handler = _EXPRESSIONS.get(type(node))
        found = handler(self, node) if handler is not None else self.other(node)
        self._depth -= 1  # not in a `finally`: what raises ends the whole module
        return found

    def other(self, node: ast.AST) -> Expr:
        parts = []
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                part = self.expr(child)
                if not isinstance(part, facts.Constant):
                    parts.append(part)
        return facts.Other(tuple(parts))

    def arithmetic(self, node: ast.BinOp) -> Expr:
        """A sum of many terms is one expression of many parts, as a reader sees it, and not as deep as it is long."""
        terms: list[ast.expr] = [node.right]
        left = node.left
        adds = isinstance(node.op, ast.Add)
        while isinstance(left, ast.BinOp):
            adds = adds and isinstance(left.op, ast.Add)
            terms.append(left.right)
            left = left.left
        if len(terms) > LONGEST:
            raise TooMuch(f"an expression of more than {LONGEST} terms", node.lineno)
        parts = tuple([self.expr(term) for term in (left, *reversed(terms))])
        if adds and any(isinstance(part, facts.Text) or _is_text(part) for part in parts):
            return facts.Text(parts)
        return facts.Other(parts)

    def text(self, node: ast.JoinedStr) -> Expr:
        parts = (part.value if isinstance(part, ast.FormattedValue) else part for part in node.values)
        return facts.Text(tuple([self.expr(part) for part in parts]))

    def slice(self, node: ast.Slice) -> Expr:
        return facts.Slice(tuple([self.expr(part) for part in (node.lower, node.upper, node.step) if part is not None]))

    def annotation(self, node: ast.expr) -> Expr:
        """A type as written; a string is parsed, as `TYPE_CHECKING` imports are often quoted."""
        match node:
            case ast.Constant(value=str(text)):
                try:
                    return self.expr(parsed_expression(text))
                except Unparsable:
                    return self.constant(node)
            case ast.Subscript(value=ast.Name(id="Optional" | "Union") as base, slice=inner):
                return facts.Item(self.expr(base), self.annotation(inner))
            case ast.Tuple(elts=parts):
                return facts.Display(tuple([self.annotation(part) for part in parts]))
            case _:
                return self.expr(node)

    def call(self, node: ast.Call) -> Expr:
        func = self.expr(node.func)
        args = [self.expr(arg) for arg in node.args]
        if len(args) == 2 and isinstance(node.args[0], ast.Constant) and _last(func) == "cast":
            args[0] = self.annotation(node.args[0])
        keywords = [facts.Keyword(self.own(k.arg) if k.arg else k.arg, self.expr(k.value)) for k in node.keywords]
        found = spread(facts.Call(func, tuple(args), tuple(keywords), node.lineno))
        return plain_lookup(found) if _last(func) == "getattr" else plain_callable(found)

    def subscript(self, node: ast.Subscript) -> Expr:
        line = node.end_lineno or node.lineno
        return plain_item(facts.Item(self.expr(node.value), self.expr(node.slice)), line)

    def attribute(self, node: ast.Attribute) -> Expr:
        # the name stands at the end of the expression: the line a reader should open in a chain over several lines
        name = node.attr if node.attr[0] != "_" else self.own(node.attr)
        return facts.Attribute(self.expr(node.value), name, node.end_lineno or node.lineno)

    def constant(self, node: ast.Constant) -> Expr:
        value = node.value
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            return facts.Other(())
        if value is None or isinstance(value, (str, int, float, bool)):
            if isinstance(value, str):
                # Long texts are of no use; what is not printable must not come out again where names are shown.
                value = spelled(value[:200])
            return facts.Constant(value)
        return facts.Other(())

    def named(self, node: ast.NamedExpr) -> Expr:
        value = self.expr(node.value)
        name = self.own(node.target.id)
        self._named.append((name, value))
        return facts.Walrus(name, value)

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Expr:
        return facts.Comprehension(self.expr(node.elt), self.loops(node.generators))

    def dict_comprehension(self, node: ast.DictComp) -> Expr:
        element = facts.DictDisplay((self.expr(node.key),), (self.expr(node.value),))
        return facts.Comprehension(element, self.loops(node.generators), is_table=True)

    def loops(self, generators: Sequence[ast.comprehension]) -> tuple[facts.Loop, ...]:
        return tuple(
            facts.Loop(self.expr(g.target), self.expr(g.iter), tuple(map(self.expr, g.ifs))) for g in generators
        )

    def mapping(self, node: ast.Dict) -> Expr:
        keys = tuple(self.expr(key) if key is not None else None for key in node.keys)
        return facts.DictDisplay(keys, tuple(map(self.expr, node.values)))

    def compare(self, node: ast.Compare) -> Expr:
        operands = (self.expr(node.left), *map(self.expr, node.comparators))
        return facts.Compare(operands, tuple(_COMPARISONS[type(op)] for op in node.ops))

    def unary(self, node: ast.UnaryOp) -> Expr:
        if isinstance(node.op, ast.Not):
            return facts.Not(self.expr(node.operand))
        operand = node.operand
        if isinstance(node.op, ast.USub) and isinstance(operand, ast.Constant):
            value = operand.value
            if type(value) is float or (type(value) is int and value < 2**63):
                return facts.Constant(-value)
        return self.other(node)

    def yields(self, node: ast.Yield | ast.YieldFrom) -> Expr:
        self.is_generator = True
        value = self.expr(node.value) if node.value is not None else facts.Constant(None)
        return facts.Yield(value, isinstance(node, ast.YieldFrom))


def _takes_over(targets: tuple[Expr, ...], values: tuple[Expr, ...]) -> bool:
    """Whether a later value is read from what an earlier target gives anew: `a, b = b, a` is no two assignments."""
    given: set[Expr] = set()
    for target, value in zip(targets, values, strict=True):
        if given and any(part in given for part in facts.walk(value)):
            return True
        given.add(target)
    return False


def _leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether control never comes out at the end of a block."""
    while body:
        last = body[-1]
        if isinstance(last, ast.If):
            if not _leaves(last.body):
                return False
            body = last.orelse  # in a loop: an `elif` ladder can be long
        elif isinstance(last, (ast.With, ast.AsyncWith)):
            body = last.body
        else:
            return isinstance(last, _LEAVES)
    return False


def _last(func: Expr) -> str:
    """The last name of what is called."""
    return func.name if isinstance(func, facts.Attribute) else func.id if isinstance(func, facts.Name) else ""


def _is_text(expr: Expr) -> bool:
    return isinstance(expr, facts.Constant) and isinstance(expr.value, str)


def _left_by(body: Sequence[ast.stmt]) -> str:
    return "raise" if isinstance(body[-1], ast.Raise) else ""


def _caught(scope: _Scope, handler: ast.ExceptHandler) -> tuple[str, ...]:
    if handler.type is None:
        return ("",)
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return tuple(facts.spell(scope.expr(one)) for one in types)


def _suppressed(node: ast.With | ast.AsyncWith) -> tuple[str, ...]:
    """The exceptions that `contextlib.suppress` keeps from leaving a block: a try whose handler does nothing."""
    found: list[str] = []
    for item in node.items:
        match item.context_expr:
            case ast.Call(func=ast.Name(id="suppress") | ast.Attribute(attr="suppress"), args=args):
                found += [ast.unparse(one) for one in args if isinstance(one, (ast.Name, ast.Attribute))]
            case _:
                pass
    return tuple(found)


def _reraises(handlers: Sequence[ast.ExceptHandler]) -> str:
    answers = set()
    for handler in handlers:
        if _leaves(handler.body) and isinstance(handler.body[-1], ast.Raise):
            answers.add("always")
        elif any(isinstance(node, ast.Raise) for statement in handler.body for node in ast.walk(statement)):
            answers.add("maybe")
        else:
            answers.add("never")
    return answers.pop() if len(answers) == 1 else "maybe"


_STATEMENTS: dict[type[ast.stmt], Callable[[_Scope, Any, int], int]] = {
    ast.Assign: _Scope.assign,
    ast.AnnAssign: _Scope.annotated,
    ast.AugAssign: _Scope.augmented,
    ast.Expr: _Scope.expression,
    ast.Return: _Scope.returns,
    ast.Raise: _Scope.raises,
    ast.Assert: _Scope.asserts,
    ast.Delete: _Scope.deletes,
    ast.If: _Scope.branch,
    ast.For: _Scope.for_loop,
    ast.AsyncFor: _Scope.for_loop,
    ast.While: _Scope.while_loop,
    ast.With: _Scope.with_block,
    ast.AsyncWith: _Scope.with_block,
    ast.Try: _Scope.try_block,
    ast.TryStar: _Scope.try_block,
    ast.Match: _Scope.match,
    ast.Import: _Scope.imports,
    ast.ImportFrom: _Scope.imports_from,
    ast.FunctionDef: _Scope.define,
    ast.AsyncFunctionDef: _Scope.define,
    ast.ClassDef: _Scope.define_class,
    ast.Global: _Scope.shares,
    ast.Nonlocal: _Scope.shares,
}

_EXPRESSIONS: dict[type[ast.expr], Callable[[_Scope, Any], Expr]] = {
    ast.Attribute: _Scope.attribute,
    ast.Call: _Scope.call,
    ast.Constant: _Scope.constant,
    ast.Subscript: _Scope.subscript,
    ast.Tuple: lambda scope, node: facts.Display(tuple([scope.expr(item) for item in node.elts])),
    ast.List: lambda scope, node: facts.Display(tuple([scope.expr(item) for item in node.elts])),
    ast.Set: lambda scope, node: facts.Display(tuple([scope.expr(item) for item in node.elts])),
    ast.Dict: _Scope.mapping,
    ast.BoolOp: lambda scope, node: facts.Boolean(
        "and" if isinstance(node.op, ast.And) else "or", tuple([scope.expr(value) for value in node.values])
    ),
    ast.UnaryOp: _Scope.unary,
    ast.BinOp: _Scope.arithmetic,
    ast.JoinedStr: _Scope.text,
    ast.Slice: _Scope.slice,
    ast.Compare: _Scope.compare,
    ast.IfExp: lambda scope, node: facts.Choice(scope.expr(node.test), scope.expr(node.body), scope.expr(node.orelse)),
    ast.Lambda: lambda scope, node: facts.Lambda(scope.params(node.args), scope.expr(node.body)),
    ast.ListComp: _Scope.comprehension,
    ast.SetComp: _Scope.comprehension,
    ast.GeneratorExp: _Scope.comprehension,
    ast.DictComp: _Scope.dict_comprehension,
    ast.Starred: lambda scope, node: facts.Starred(scope.expr(node.value)),
    ast.NamedExpr: _Scope.named,
    ast.Yield: _Scope.yields,
    ast.YieldFrom: _Scope.yields,
}
