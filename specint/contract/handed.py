"""Where a runner or a model goes from the code under scan: the modules that must be read for what they ask of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from specint.contract.code import Code, Occurrence, tail
from specint.contract.receivers import Receivers
from specint.facts import model as facts
from specint.graph.project import ClassNode, FunctionNode


def modules_handed(code: Code, runner: ClassNode, model: str, besides: str) -> set[str]:
    """The modules outside of the code under scan to which a runner or its model is handed over, by names alone.

    Only what is called a runner counts, and what is read from it on the spot: names travel farther than objects do.

    Args:
        model: the attribute in which a runner keeps its model.
        besides: a package that is never meant: a model that is handed to the models' own code asks itself.
    """
    names = _runner_names(code, runner)
    gives = _giving(code, names, model, runner)
    found: set[str] = set()
    for calls in code.calls.values():
        for call in calls:
            if _hands_over(call, names, model, runner) or _hands_on(call, names, model, gives, runner):
                found.update(_imported(call, code))
    inside = f"{code.project.package}."
    return {n for n in found if n.startswith(inside) and n not in code and not f"{n}.".startswith(f"{besides}.")}


def methods_handed(receivers: Receivers, defined: Callable[[], Set[str]]) -> set[str]:
    """The methods of a model that workers hand another model to: what those ask of it is asked by the worker.

    Args:
        defined: the names of what the models' own code defines; asked only where a name needs it.
    """
    names = receivers.model_names(kept=False)
    # only what a call can turn out to be is followed: telling whose objects it is made on takes long
    calls = {
        name: calls
        for name, calls in receivers.code.calls.items()
        if name not in receivers.code.functions and any(_on_another(call, names) for call in calls)
    }
    found: set[str] = set()
    for name in calls.keys() & defined() if calls else ():
        for call in calls[name]:
            given = _on_another(call, names)
            if given and all(any(receivers.models(one, call.function, call.step) for one in part) for part in given):
                found.add(name)
                break
    return found


def _on_another(call: Occurrence, names: set[str]) -> tuple[list[facts.Expr], ...]:
    """What a method is called on and what it is handed, where both have names of models; else nothing."""
    match call.expr:
        case facts.Call(func=facts.Attribute(base=base), args=args, keywords=keywords) if tail(base) in names:
            handed = [one for one in (*args, *(k.value for k in keywords)) if tail(one) in names]
            return ([base], handed) if handed else ()
        case _:
            return ()


def _runner_names(code: Code, runner: ClassNode) -> set[str]:
    """The names under which a runner travels: of parameters that are annotated as one, or that it hands itself to."""
    roots: set[str] = set()
    for functions in code.functions.values():
        for function in functions:
            for param in function.facts.params:
                if param.annotation is not None and runner.name in _words(param.annotation):
                    roots.add(param.name)
    for name, calls in code.calls.items():
        for call in calls:
            if not _is_of(call.function, runner):
                continue
            assert isinstance(call.expr, facts.Call)
            own = facts.Name(call.function.receiver or "")
            roots.update(k.name for k in call.expr.keywords if k.name is not None and k.value == own)
            for index, arg in enumerate(call.expr.args):
                if arg == own:
                    roots.update(code.parameters(name, str(index)))
                    roots.update(_of_table(call, index, code))
    return roots


def _of_table(call: Occurrence, index: int, code: Code) -> Iterator[str]:
    """The parameters that an argument can meet in a table of functions: those of the module that has the table."""
    assert isinstance(call.expr, facts.Call)
    if isinstance(call.expr.func, facts.Item):
        for name in _imported(call, code):
            for function in code.of_module(name):
                if function.owner is None and index < len(function.facts.params):
                    yield function.facts.params[index].name


def _hands_over(call: Occurrence, names: set[str], model: str, runner: ClassNode) -> bool:
    assert isinstance(call.expr, facts.Call)
    own = facts.Name(call.function.receiver or "") if _is_of(call.function, runner) else None
    for arg in (*call.expr.args, *(k.value for k in call.expr.keywords)):
        if arg == own or tail(arg) in names:
            return True
        match arg:
            case facts.Attribute(base=base, name=name) if name == model and (base == own or tail(base) in names):
                return True
            case facts.Lambda(body=facts.Attribute(base=base, name=name)) if name == model and base == own:
                return True
            case _:
                pass
    return False


def _giving(code: Code, names: set[str], model: str, runner: ClassNode) -> set[str]:
    """The names by which a lambda is called that gives a runner or its model, wherever it is kept."""
    found: set[str] = set()
    for name in code.lambdas.values():
        for function in code.functions[name]:
            match function.facts.body.steps:
                case (facts.Return(value=facts.Attribute(base=base, name=given)),) if given == model:
                    if base == facts.Name(function.receiver or "") or tail(base) in names:
                        found.update(f"{alias}()" for alias in code.kept_as(name))
                case (facts.Return(value=facts.Name(id=own)),) if own == function.receiver and _is_of(function, runner):
                    found.update(f"{alias}()" for alias in code.kept_as(name))
                case _:
                    pass
    return found


def _hands_on(call: Occurrence, names: set[str], model: str, gives: set[str], runner: ClassNode) -> bool:
    """Whether a call hands over what a kept callable gives, or a local name for a runner's model."""
    assert isinstance(call.expr, facts.Call)
    own = facts.Name(call.function.receiver or "") if _is_of(call.function, runner) else None
    for arg in (*call.expr.args, *(k.value for k in call.expr.keywords)):
        given = [arg]
        if isinstance(arg, facts.Name):
            steps = call.function.binds.get(arg.id, ())
            given += [s.value for s in steps if isinstance(s, facts.Bind) and s.value is not None]
        for one in given:
            if tail(one) in gives:
                return True
            if isinstance(one, facts.Attribute) and one.name == model and (tail(one.base) in names or one.base == own):
                return True
    return False


def _is_of(function: FunctionNode, runner: ClassNode) -> bool:
    return function.owner is not None and function.owner is runner


def _imported(call: Occurrence, code: Code) -> Iterator[str]:
    """The modules that the name a call begins with is imported from."""
    assert isinstance(call.expr, facts.Call)
    base = call.expr.func
    while isinstance(base, (facts.Attribute, facts.Item)):
        base = base.base
    if not isinstance(base, facts.Name):
        return
    function: FunctionNode | None = call.function
    tables = []
    while function is not None:
        tables.append(function.binds)
        function = function.outer
    tables.append(code.project.table(call.function.module))
    steps = next((found for table in tables if (found := table.get(base.id))), ())
    for step in steps:
        if isinstance(step, facts.Import):
            yield step.module
            if step.attribute is not None:
                yield f"{step.module}.{step.attribute}"


def _words(annotation: facts.Expr) -> set[str]:
    return {
        word
        for part in facts.walk(annotation)
        for word in (
            (part.id,)
            if isinstance(part, facts.Name)
            else (part.name,)
            if isinstance(part, facts.Attribute)
            else (part.value,)
            if isinstance(part, facts.Constant) and isinstance(part.value, str)
            else ()
        )
    }
