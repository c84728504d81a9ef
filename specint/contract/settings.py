"""What a server's settings answer where nobody sets them: whether a condition must be opted in to.

The records of settings are found where the server's arguments are declared, with the defaults that they have there. A
read of one is told by what it is read from: an object of a record, something that travels under a record's name, or
what a function without arguments gives (`get_spec().x`). A field of the environment is one whose class reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from specint.contract.code import tail
from specint.contract.kept import Kept
from specint.contract.receivers import Receivers
from specint.facts import model as facts
from specint.facts.model import Expr
from specint.graph.project import Assigned, ClassNode, FunctionNode
from specint.graph.value import ClassValue, Instance

Constant = str | int | float | bool | None
Constants = frozenset[Constant] | None
"""The constants that an expression can be where no setting is given; None: anything."""

_HOPS = 6
_READS = frozenset({"environ", "getenv"})


class Settings:
    """Answers conditions as a server does that was started without options."""

    def __init__(self, receivers: Receivers, kept: Kept) -> None:
        self.receivers = receivers
        self.kept = kept
        self.project = receivers.project
        self.hierarchy = receivers.hierarchy
        self.evaluator = receivers.evaluator
        self._hops = 0

    def truth(self, expr: Expr, function: FunctionNode, *, of_none: bool = False) -> bool | None:
        """The truth of a condition (or whether its value is there) by default, None where settings don't decide it."""
        if of_none:
            expr = facts.Compare((expr, facts.Constant(None)), ("is not",))
        found = self._values(expr, function)
        if not found:
            return None
        truths = {bool(value) for value in found}
        return truths.pop() if len(truths) == 1 else None

    # -- the records -----------------------------------------------------------------------------------------------

    @cached_property
    def _fields(self) -> dict[str, Constants]:
        """Every field of a record, and its default."""
        found: dict[str, Constants] = {}
        for node in self._records:
            for step in node.facts.body.steps:
                match step:
                    case facts.Bind(target=facts.Name(id=name), value=value, annotation=annotation) if annotation:
                        default = self._default(value, name)
                        found[name] = default if found.get(name, default) == default else None
                    case _:
                        pass
        return found

    @cached_property
    def _records(self) -> list[ClassNode]:
        """The classes that declare settings: the one with the option that names the algorithm, and those beside it."""
        declared = self.receivers.roots.declared
        package = self.project.package
        pending = [f"{package}.{name}" for name in declared.algorithm.option_modules]
        below = tuple(f"{package}.{name}." for name in declared.settings.packages)
        modules: dict[str, facts.Module] = {}
        while pending:
            name = pending.pop()
            module = self.project.module(name) if name not in modules else None
            if module is None:
                continue
            modules[name] = module
            steps = (step for step in module.body.steps if isinstance(step, facts.Import))
            pending += [step.module for step in steps if step.module.startswith(below)]
        nodes = [self.project.class_node(module, one) for module in modules.values() for one in module.body.classes]
        option = declared.algorithm.option
        packages = {node.module.name for node in nodes if _declares(node, option)}
        return [node for node in nodes if node.module.name in packages or node.module.name.startswith(below)]

    @cached_property
    def _holders(self) -> set[str]:
        """The classes of the option modules: what an object is called that holds all records."""
        names = self.receivers.roots.declared.algorithm.option_modules
        modules = (self.project.module(f"{self.project.package}.{name}") for name in names)
        return {one.name for module in modules if module is not None for one in module.body.classes}

    def _default(self, value: Expr | None, name: str) -> Constants:
        match value:
            case facts.Constant(value=default):
                # what the tree fills in itself where nobody gave it says nothing by being empty
                return frozenset({default}) if isinstance(default, bool) or name not in self._filled else None
            case facts.Call(keywords=keywords):
                given = next((k.value for k in keywords if k.name == "default"), None)
                return self._default(given, name) if given is not None else None
            case _:
                return None

    @cached_property
    def _filled(self) -> set[str]:
        """The names that the modules of the options assign or hand over by keyword."""
        found: set[str] = set()
        for name in self.receivers.roots.declared.algorithm.option_modules:
            module = self.project.module(f"{self.project.package}.{name}")
            for function in self.project.functions_of(module) if module is not None else ():
                for step in function.facts.body.steps:
                    if isinstance(step, facts.Bind) and isinstance(step.target, facts.Attribute):
                        found.add(step.target.name)
                    value = getattr(step, "value", None)
                    for part in facts.walk(value) if value is not None else ():
                        if isinstance(part, facts.Call):
                            found.update(keyword.name for keyword in part.keywords if keyword.name is not None)
        return found

    @cached_property
    def _annotated(self) -> set[str]:
        """What parameters are called that are annotated as a record."""
        records = {node.name for node in self._records} | self._holders
        return {
            param.name
            for functions in self.receivers.code.functions.values()
            for function in functions
            for param in function.facts.params
            if param.annotation is not None and _mentions(param.annotation, records)
        }

    @cached_property
    def _names(self) -> set[str]:
        """The names under which an object of a record travels."""
        return self.receivers.code.flow_names(self._annotated)

    def _is_record(self, expr: Expr, function: FunctionNode) -> bool:
        """Whether settings are read from an expression."""
        if isinstance(expr, (facts.Name, facts.Attribute)) and tail(expr) in self._annotated:
            return True
        values = self.evaluator.evaluate(expr, self.receivers.frame(function))
        nodes = [value.node for value in values if isinstance(value, (Instance, ClassValue))]
        if any(node in self._records or node.name in self._holders for node in nodes):
            return True
        match expr:
            case facts.Call(func=facts.Name(), args=(), keywords=()):
                return True
            case facts.Attribute(base=base, name=name):
                return not nodes and (name in self._names or self._is_record(base, function))
            case facts.Name(id=name):
                if name in self._names:
                    return not nodes
                steps = function.binds.get(name, ())
                if len(steps) == 1 and isinstance(steps[0], facts.Bind) and steps[0].value not in (None, expr):
                    value = steps[0].value
                    assert value is not None
                    return steps[0].how == "=" and self._is_record(value, function)
                return False
            case _:
                return False

    # -- values ----------------------------------------------------------------------------------------------------

    def _values(self, expr: Expr, function: FunctionNode) -> Constants:
        if self._hops >= _HOPS:
            return None
        self._hops += 1
        try:
            return self._read(expr, function)
        finally:
            self._hops -= 1

    def _read(self, expr: Expr, function: FunctionNode) -> Constants:
        match expr:
            case facts.Constant(value=value):
                return frozenset({value})
            case facts.Not(operand=operand):
                return _each(self._values(operand, function), lambda value: not value)
            case facts.Boolean(op=op, values=values):
                return self._boolean(op, values, function)
            case facts.Compare(operands=(left, right), ops=(op,)):
                return self._compare(left, op, right, function)
            case facts.Call(func=facts.Name(id="bool" | "int" | "float" | "str"), args=(one,)):
                return self._values(one, function)
            case facts.Call(func=facts.Name(id="getattr"), args=(base, facts.Constant(value=str(name)), *_)):
                return self._field(facts.Attribute(base, name, 0), function)
            case facts.Call() if (default := self._environment(expr, function)) is not None:
                return default
            case facts.Attribute(name=name) if name in self._fields:
                return self._field(expr, function) or self._kept(expr, function)
            case facts.Name() | facts.Attribute() | facts.Call(args=(), keywords=()):
                return self._kept(expr, function)
            case _:
                return None

    def _field(self, expr: facts.Attribute, function: FunctionNode) -> Constants:
        default = self._fields.get(expr.name)
        return default if default is not None and self._is_record(expr.base, function) else None

    def _boolean(self, op: str, values: Iterable[Expr], function: FunctionNode) -> Constants:
        decisive = op == "or"
        found = [self._values(value, function) for value in values]
        if any(one is not None and one and all(bool(value) is decisive for value in one) for one in found):
            return frozenset({decisive})
        known = [one for one in found if one is not None]
        if len(known) == len(found) and all(bool(value) is not decisive for one in known for value in one):
            return frozenset({not decisive})
        return None

    def _compare(self, left: Expr, op: str, right: Expr, function: FunctionNode) -> Constants:
        lefts = self._values(left, function)
        if lefts is None:
            return None
        if op in ("in", "not in"):
            if not isinstance(right, facts.Display):
                return None
            parts = [self._values(item, function) for item in right.items]
            if any(part is None for part in parts):
                return None
            among = {value for part in parts if part is not None for value in part}
            return frozenset((value in among) is (op == "in") for value in lefts)
        rights = self._values(right, function)
        if rights is None:
            return None
        answers = {_holds(one, op, other) for one in lefts for other in rights}
        return frozenset(answers) if None not in answers else None

    def _kept(self, expr: Expr, function: FunctionNode) -> Constants:
        """What a name, attribute or function gives by default: of its lines, those that run by default."""
        if isinstance(expr, facts.Name) and expr.id not in function.binds and function.outer is None:
            symbols = self.project.symbol(function.module, expr)
            if symbols:
                found = [self._assigned(one, function) for one in symbols]
                return frozenset(v for one in found if one for v in one) if None not in found else None
        makings = self.kept.makings(expr, function)
        if not makings:
            return None
        found_values: set[Constant] = set()
        for one in makings:
            if any(self.truth(test, one.function) is (not holds) for test, holds in one.tests):
                continue
            guards = one.function.facts.body.guards_of(one.guard)
            tests = [(g.test, g.positive) for g in guards if g.test is not None and g.kind != "loop"]
            if any(self.truth(test, one.function) is (not holds) for test, holds in tests):
                continue
            values = self._values(one.value, one.function) if one.value is not None else frozenset({None})
            if values is None:
                return None
            found_values |= values
        return frozenset(found_values)

    def _assigned(self, symbol: object, function: FunctionNode) -> Constants:
        if not isinstance(symbol, Assigned):
            return None
        at = FunctionNode(symbol.module, function.facts) if symbol.module is not function.module else function
        return self._values(symbol.value, at)

    def _environment(self, call: facts.Call, function: FunctionNode) -> Constants:
        """The default of a read of the environment, None where a call is none."""
        match call:
            case facts.Call(func=facts.Attribute(base=facts.Attribute(base=base, name=field), name=method), args=()):
                return self._environment_field(base, field, method, function)
            case facts.Call(func=func, args=(facts.Constant(value=str()), *rest)):
                name = facts.dotted(func) or ""
                if not any(part in _READS or "_env_" in f"_{part}_" for part in name.split(".")):
                    return None
                default = next((arg for arg in rest), None)
                default = next((k.value for k in call.keywords if k.name == "default"), default)
                if default is None:
                    return frozenset({None})
                return _each(self._values(default, function), _spoken)
            case _:
                return None

    def _environment_field(self, base: Expr, field: str, method: str, function: FunctionNode) -> Constants:
        for value in self.evaluator.evaluate(base, self.receivers.frame(function)):
            if not isinstance(value, (Instance, ClassValue)):
                continue
            member = self.hierarchy.lookup(value.node, field)
            if member is None or not isinstance(member.value, facts.Call):
                continue
            made = member.value
            owner = FunctionNode(member.owner.module, function.facts)
            for symbol in self.project.symbol(member.owner.module, made.func):
                if isinstance(symbol, ClassNode) and self._reads_environment(symbol, method):
                    default = next((k.value for k in made.keywords if k.name == "default"), None)
                    default = made.args[0] if made.args else default
                    return _each(self._values(default, owner), _spoken) if default is not None else frozenset({None})
        return None

    def _reads_environment(self, node: ClassNode, method: str) -> bool:
        member = self.hierarchy.lookup(node, method)
        return (
            member is not None
            and member.function is not None
            and any(attribute.name in _READS for attribute in member.function.attributes)
        )


def _declares(node: ClassNode, option: str) -> bool:
    return any(
        isinstance(step, facts.Bind) and step.annotation is not None and step.target == facts.Name(option)
        for step in node.facts.body.steps
    )


def _mentions(annotation: Expr, names: set[str]) -> bool:
    return any(
        (isinstance(part, facts.Name) and part.id in names)
        or (isinstance(part, facts.Attribute) and part.name in names)
        or (isinstance(part, facts.Constant) and part.value in names)
        for part in facts.walk(annotation)
    )


def _each(values: Constants, of: Callable[[Constant], Constant]) -> Constants:
    return frozenset(of(value) for value in values) if values is not None else None


def _spoken(value: Constant) -> Constant:
    """A word of the environment as what it stands for."""
    return False if isinstance(value, str) and value.lower() in ("", "0", "false", "no", "off") else value


def _holds(left: Constant, op: str, right: Constant) -> bool | None:
    if op in ("is", "is not"):
        return (left is right or (left == right and type(left) is type(right))) is (op == "is")
    if op in ("==", "!="):
        return (left == right) is (op == "==")
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}.get(op)
    return None
