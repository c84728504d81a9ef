"""What SGLang's configuration says of classes by their names: which draft, for whom, and which generate nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from specint.contract.declared import Declared
from specint.facts import model as facts
from specint.graph.project import Assigned, FunctionNode, Project

_HOPS = 3
"""Through so many names a class's name is looked for: a test, a flag, the tuple that it is compared with."""


@dataclass(frozen=True)
class Place:
    """A line that says so."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Rewrite:
    """A checkpoint that is read as a draft becomes one of this class.

    Attributes:
        before: the class names that it had before, as far as they are written there.
        algorithms: the algorithms under which alone this happens; empty where none is named.
    """

    before: tuple[str, ...]
    algorithms: tuple[str, ...]
    place: Place


@dataclass(frozen=True)
class Statements:
    """Everything of the kind; names are those of classes, without their modules.

    Attributes:
        rewrites: draft -> how a checkpoint becomes one.
        stated: class -> the algorithms that a line names together with it, each with the line.
        answers: algorithm -> the classes for which alone the tree chooses it by itself.
        silent: class -> where it says that the class generates nothing.
    """

    rewrites: dict[str, Rewrite] = field(default_factory=dict)
    stated: dict[str, dict[str, Place]] = field(default_factory=dict)
    answers: dict[str, dict[str, Place]] = field(default_factory=dict)
    silent: dict[str, Place] = field(default_factory=dict)


def read_statements(project: Project, declared: Declared) -> Statements:
    """Reads them out of the modules that `rules/contract.toml` names."""
    rewrites, stated = _drafts(project, declared)
    answers = _answers(project, declared)
    return Statements(rewrites, stated, answers, _silent(project, declared))


# -- drafts ------------------------------------------------------------------------------------------------------------


def _drafts(project: Project, declared: Declared) -> tuple[dict[str, Rewrite], dict[str, dict[str, Place]]]:
    rewrites: dict[str, Rewrite] = {}
    stated: dict[str, dict[str, Place]] = {}
    for function in _functions(project, (declared.draft.configuration,)):
        body = function.facts.body
        for step in body.steps:
            guards = [one for one in body.guards_of(step.guard) if one.test is not None]
            if not any(one.positive and _mentions(one.test, (declared.draft.flag,)) for one in guards):
                continue
            place = Place(function.module.path, step.line)
            named, algorithms = _tested(project, function, guards, declared)
            if _binds(step, declared.draft.attribute) and isinstance(step, facts.Bind) and step.value is not None:
                for name in _texts(project, function, step.value):
                    old = rewrites.get(name)
                    before = dict.fromkeys((*(old.before if old else ()), *named))
                    only = algorithms if old is None else tuple(a for a in old.algorithms if a in algorithms)
                    rewrites[name] = Rewrite(tuple(before), only, old.place if old else place)
                    for algorithm in algorithms:
                        stated.setdefault(name, {}).setdefault(algorithm, place)
            else:
                for name in named:  # what is done for one class under some algorithms alone
                    for algorithm in algorithms:
                        stated.setdefault(name, {}).setdefault(algorithm, place)
    for name, rewrite in rewrites.items():
        if not rewrite.algorithms:
            stated.pop(name, None)  # elsewhere it is rewritten to under any
        for old_name in rewrite.before:
            stated.pop(old_name, None)  # what was tested is what the checkpoint was, no draft
    return rewrites, stated


def _tested(
    project: Project, function: FunctionNode, guards: Iterable[facts.Guard], declared: Declared
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts that conditions compare something with: the classes, and the algorithms."""
    named: dict[str, None] = {}
    algorithms: dict[str, None] = {}
    words = {*declared.algorithm.attributes, declared.algorithm.option}
    for guard in guards:
        for part in _all_of(guard.test) if guard.positive and guard.test is not None else ():
            texts = dict.fromkeys(_texts(project, function, part))
            (algorithms if _mentions(part, words) else named).update(texts)
    return tuple(named), tuple(algorithms)


def _all_of(test: facts.Expr) -> Iterator[facts.Expr]:
    if isinstance(test, facts.Boolean) and test.op == "and":
        for value in test.values:
            yield from _all_of(value)
    else:
        yield test


# -- algorithms that the tree chooses by itself ------------------------------------------------------------------------


def _answers(project: Project, declared: Declared) -> dict[str, dict[str, Place]]:
    """Algorithm -> the classes for which a user's choice is turned into it."""
    option = declared.algorithm.option
    found: dict[str, dict[str, Place]] = {}
    for function in _functions(project, declared.algorithm.option_modules):
        if not any(one.name == option for one in function.facts.params) and option not in _words(function):
            continue
        for step in function.facts.body.steps:
            for answer in _answer(step, option):
                guards = function.facts.body.guards_of(step.guard)
                names = [
                    name
                    for guard in guards
                    if guard.positive and guard.test is not None and guard.kind != "loop"
                    for part in _all_of(guard.test)
                    if not _mentions(part, (option,))
                    for name in _texts(project, function, part)
                ]
                place = Place(function.module.path, step.line)
                found.setdefault(answer, {}).update(dict.fromkeys(names, place))
                if not names:
                    found[answer][""] = place  # it is chosen without a look at a class
    return {answer: names for answer, names in found.items() if "" not in names}


def _answer(step: facts.Step, option: str) -> Iterator[str]:
    """The algorithm that a step makes of the user's: what it returns, assigns, or hands over by the option's name."""
    match step:
        case facts.Return(value=facts.Constant(value=str(text))):
            yield text
        case facts.Bind(target=facts.Attribute(name=name) | facts.Name(id=name), value=facts.Constant(value=str(text))):
            if name == option:
                yield text
        case facts.Evaluate(value=facts.Call(keywords=keywords)):
            for keyword in keywords:
                if keyword.name == option and _is_text(keyword.value):
                    yield keyword.value.value  # type: ignore[union-attr, misc]
        case _:
            pass


def _words(function: FunctionNode) -> set[str]:
    return {one.name for one in function.attributes}


# -- classes that generate nothing -------------------------------------------------------------------------------------


def _silent(project: Project, declared: Declared) -> dict[str, Place]:
    root = declared.generation
    found: dict[str, Place] = {}
    flags: set[str] = set()
    for function in _functions(project, (root.configuration,)):
        for step in function.facts.body.steps:
            if _binds(step, root.attribute) and isinstance(step, facts.Bind) and step.value is not None:
                for part in _all_of(step.value):
                    match part:
                        case facts.Not(operand=facts.Attribute(name=flag) | facts.Name(id=flag)):
                            flags.add(flag)
                        case facts.Call(func=func):
                            for callee in project.symbol(function.module, func, (function.facts.body,)):
                                if isinstance(callee, FunctionNode):
                                    found.update(_denied(project, callee))
                        case _:
                            pass
    if flags:
        found.update(_chosen_under(project, declared, flags))
    return found


def _denied(project: Project, function: FunctionNode) -> Iterator[tuple[str, Place]]:
    """The texts for which a function answers no."""
    body = function.facts.body
    for step in body.steps:
        if not isinstance(step, facts.Return) or step.value is None:
            continue
        place = Place(function.module.path, step.line)
        if isinstance(step.value, facts.Constant):
            for guard in body.guards_of(step.guard):
                if guard.test is None or guard.kind == "loop":
                    continue
                is_one_of_them = guard.positive is not _denies(guard.test)
                if bool(step.value.value) is not is_one_of_them:
                    yield from ((text, place) for text in _texts(project, function, guard.test))
        else:
            for part in _all_of(step.value):
                if _denies(part):
                    yield from ((text, place) for text in _texts(project, function, part))


def _denies(part: facts.Expr) -> bool:
    match part:
        case facts.Not():
            return True
        case facts.Compare(ops=ops):
            return "not in" in ops or "!=" in ops
        case facts.Call(func=facts.Name(id="all"), args=(facts.Comprehension(element=element),)):
            return _denies(element)
        case _:
            return False


def _chosen_under(project: Project, declared: Declared, flags: set[str]) -> Iterator[tuple[str, Place]]:
    """The classes that the loader takes where one of the flags holds that say no."""
    for function in _functions(project, (declared.architecture.function.rpartition(".")[0],)):
        for step in function.facts.body.steps:
            if not (_binds(step, declared.draft.attribute) and isinstance(step, facts.Bind) and step.value is not None):
                continue
            guards = function.facts.body.guards_of(step.guard)
            if any(one.positive and one.test is not None and _says(one.test, flags) for one in guards):
                place = Place(function.module.path, step.line)
                yield from ((text, place) for text in _texts(project, function, step.value))


def _says(test: facts.Expr, flags: set[str]) -> bool:
    """Whether a condition asks one of these flags, by attribute or by `getattr`."""
    return _mentions(test, flags) or any(
        isinstance(part, facts.Constant) and part.value in flags for part in facts.walk(test)
    )


# -- shared ------------------------------------------------------------------------------------------------------------


def _functions(project: Project, modules: Iterable[str]) -> Iterator[FunctionNode]:
    for name in modules:
        module = project.module(f"{project.package}.{name}")
        if module is not None:
            yield from project.functions_of(module)


def _binds(step: facts.Step, name: str) -> bool:
    """Whether a step gives something of this name a value: `x.name`, `name`, or an item of it."""
    if not isinstance(step, facts.Bind):
        return False
    target = step.target.base if isinstance(step.target, facts.Item) else step.target
    return (isinstance(target, facts.Attribute) and target.name == name) or target == facts.Name(name)


def _mentions(expr: facts.Expr | None, names: Iterable[str]) -> bool:
    known = set(names)
    return expr is not None and any(
        (isinstance(part, facts.Name) and part.id in known)
        or (isinstance(part, facts.Attribute) and part.name in known)
        for part in facts.walk(expr)
    )


def _texts(project: Project, function: FunctionNode, expr: facts.Expr, hops: int = _HOPS) -> Iterator[str]:
    """The texts in an expression, those behind local names and constants of modules included."""
    for part in facts.walk(expr):
        match part:
            case facts.Constant(value=str(text)):
                yield text
            case facts.Name(id=name) if hops and name in function.binds:
                for step in function.binds[name]:
                    if isinstance(step, facts.Bind) and step.value is not None and step.how == "=":
                        yield from _texts(project, function, step.value, hops - 1)
            case facts.Name() | facts.Attribute():
                for symbol in project.symbol(function.module, part, (function.facts.body,)):
                    if isinstance(symbol, Assigned):
                        yield from (one.value for one in facts.walk(symbol.value) if _is_text(one))  # type: ignore[union-attr, misc]
            case _:
                pass


def _is_text(expr: facts.Expr) -> bool:
    return isinstance(expr, facts.Constant) and isinstance(expr.value, str)
