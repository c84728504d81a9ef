"""What an expression can be: a small abstract evaluation over linked facts, on demand.

An answer is a set of values, because branches assign differently. Whoever asks from outside gets at least one: what
can't be followed is an `Unknown` with its reason. (Within an evaluation nothing at all means "nothing yet": see
`questions`.) The contract uses it to follow a model object through workers and runners, the composition graph to find
what a wrapper's attribute holds.

A new form of expression is a case of `_evaluate`; a function or a method that Python has, a line in `containers`; a
step that sets an attribute in another way, `facts/spelling.py` (or `steps.computed`, if its name is computed).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from specint.facts import model as facts
from specint.facts.guards import guards_around
from specint.facts.model import Expr
from specint.graph.binding import Callee, bind_values, content, own_binds, reaching
from specint.graph.containers import BUILTINS, METHODS, elements, item, method, rounds, sliced, table, union
from specint.graph.handing import calls_of
from specint.graph.hierarchy import Hierarchy, Member
from specint.graph.library import RESULTS
from specint.graph.opening import opening
from specint.graph.project import Assigned, ClassNode, External, FunctionNode, ModuleRef, Project, Symbol
from specint.graph.questions import Circles
from specint.graph.steps import computed
from specint.graph.value import (
    EITHER,
    NOTHING,
    UNSETTLED,
    ClassValue,
    ConstantValue,
    ElementsOf,
    ExternalValue,
    FunctionValue,
    Instance,
    ModelObject,
    ModuleValue,
    PartialValue,
    SequenceValue,
    TableValue,
    Unknown,
    Value,
    Values,
    changed,
    flat,
    is_telling,
    together,
)

# Lists go into `union` and `tuple` here, not generators: those resume from C, which later Pythons limit by itself.
_DEPTH = 40
"""The most levels of evaluations within one question."""
_DEEP = 24
"""The most questions that are answered within each other; see `questions`."""
_MOST_LAYERS = 4
"""Partials of partials are told apart to this depth: a loop that wraps a callable anew each time would never end."""
_MOST_NAMES = 12
"""The longest dotted name, in dots, of something outside of the tree: a loop could make it longer for ever."""
_WRITTEN_OUT = (facts.Display, facts.Comprehension)
MOST_EVALUATIONS = 400_000
"""The most expressions that are evaluated for one question from outside; SGLang 0.5.23 needs 47,000, with all
interfaces 76,000. After each that needs more the bound is halved, down to the next one, so that a file of many such
classes ends as soon."""
FEWEST_EVALUATIONS = 50_000
_MOST_ROUNDS = 64
"""The most rounds of loops around one line, and texts that one expression can make, that are told apart."""


_NONE: Values = frozenset({ConstantValue(None)})
_TOO_LONG: Values = frozenset({Unknown("the way is too long to follow")})
_ONE_ROUND: Mapping[str, Values] = MappingProxyType({})
Answer = TypeVar("Answer")
_Reaching = tuple[list[facts.Step], bool, tuple[int, ...]]
"""The steps that can give a name its value, whether one of them always runs, and the number of each."""


class Frame(msgspec.Struct, frozen=True, eq=False, gc=False):
    """Where an expression is evaluated.

    Attributes:
        function: None at module or class level.
        receiver: what `self` (or `cls`) is.
        arguments: what each parameter was called with, where one call is followed; None where any caller may come.
        round: what the names of loops are, where one round of them is looked at.
    """

    module: facts.Module
    function: FunctionNode | None = None
    receiver: Value | None = None
    arguments: Mapping[str, Values] | None = None
    round: Mapping[str, Values] = _ONE_ROUND

    @property
    def scope(self) -> facts.Scope:
        """The steps among which a name is looked up first."""
        return self.function.facts.body if self.function is not None else self.module.body


class ExhaustedError(Exception):
    """A question from outside needs more evaluations than there may be; where it was when it had used them up."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self.file = frame.module.path
        self.line = frame.function.facts.line if frame.function is not None else 1


@dataclass(frozen=True, eq=False)
class OwnBind:
    """A step that gives an attribute of a method's own object a value, in one round of the loops around it."""

    function: FunctionNode
    step: facts.Bind
    round: Mapping[str, Values]

    def frame(self, receiver: Value) -> Frame:
        """Where its value is evaluated, for an object."""
        return Frame(self.function.module, self.function, receiver, round=self.round)


@dataclass
class Evaluator:
    """Evaluates expressions of a project.

    Args:
        attribute_hook: asked first for an attribute of an instance; None lets the usual rules answer.
        parameter_hook: what a parameter can be when no call is being followed (annotations come first).
        construct_hook: what calling a class gives, so that roles can be read from arguments.
        worth_keeping: whether what is put into a container one by one is followed out of it again; None: never.
        result_hook: what calling a function gives, where that is declared; None lets its body answer.
    """

    project: Project
    hierarchy: Hierarchy
    attribute_hook: Callable[[Value, str], Values | None] | None = None
    parameter_hook: Callable[[Frame, facts.Param], Values | None] | None = None
    construct_hook: Callable[[ClassNode, facts.Call, Frame], Values | None] | None = None
    result_hook: Callable[[FunctionNode], Values | None] | None = None
    outside_binds: Callable[[ClassNode, str], Iterable[tuple[Frame, facts.Bind]]] | None = None
    role_of: Callable[[ClassNode], str] | None = None
    worth_keeping: Callable[[Expr], bool] | None = None
    _questions: Circles = field(default_factory=lambda: Circles(_DEEP, _joined, _unsettled))
    _binds: dict[str, dict[str, list[OwnBind]]] = field(default_factory=dict)
    _reached: dict[tuple[int, str, int], tuple[object, _Reaching]] = field(default_factory=dict)
    _depth: int = 0
    _bound: int = MOST_EVALUATIONS
    _left: int = MOST_EVALUATIONS

    def instance(self, node: ClassNode) -> Instance:
        """An object of a class, on the side of speculative decoding that its class alone tells."""
        return Instance(node, self.role_of(node) if self.role_of is not None else "")

    def _once(self, key: Hashable, compute: Callable[[], Values]) -> Values:
        known: Values | None = self._questions.settled(key)
        return known if known is not None else self.ask(key, compute, NOTHING)

    def ask(self, key: Hashable, answer: Callable[[], Answer], meanwhile: Answer) -> Answer:
        """The answer to a question that leads to values, and to which values may lead: a hook that remembers what it
        found asks here, so that what is found in the middle of a circle isn't kept."""
        depth, self._depth = self._depth, 0
        outermost = self._questions.depth == 0
        if outermost:
            self._left = self._bound
        try:
            return self._questions.ask(key, answer, meanwhile)
        except ExhaustedError as error:
            if not outermost or self._questions.depth:
                raise
            self.project.exhausted[error.file, error.line] = self._bound
            reason = f"following it takes more than {self._bound:,} steps"
            self._bound = max(FEWEST_EVALUATIONS, self._bound // 2)
            return self._questions.settle(key, frozenset({Unknown(reason)}))  # type: ignore[return-value]
        finally:
            self._depth = depth

    # -- expressions -----------------------------------------------------------------------------------------------

    def evaluate(self, expr: Expr | None, frame: Frame, at: facts.Step | None = None) -> Values:
        """Everything an expression can be in a frame.

        Args:
            at: the step in which the expression stands; assignments that another one on the way there hides are left
                out. None: any assignment may have happened.
        """
        if expr is None:
            return _NONE
        if self._depth > _DEPTH:
            return _TOO_LONG
        self._depth += 1
        self._left -= 1
        try:
            if self._left < 0 and self._questions.depth:
                raise ExhaustedError(frame)
            found = self._evaluate(expr, frame, at)
        finally:
            self._depth -= 1
        if found or self._depth or self._questions.depth:
            return found
        return frozenset({Unknown(_untold(expr), is_object=False)})

    def _evaluate(self, expr: Expr, frame: Frame, at: facts.Step | None) -> Values:
        match expr:
            case facts.Name(id=name):
                return self.name(name, frame, at)
            case facts.Attribute(base=base, name=name):
                return union([self.attribute(value, name) for value in self.evaluate(base, frame, at)])
            case facts.Call():
                return self.call(expr, frame, at)
            case facts.Constant(value=value):
                return frozenset({ConstantValue(value)})
            case facts.Display() | facts.DictDisplay() | facts.Comprehension():
                return frozenset({self._container(expr, frame, at)})
            case facts.Item(base=base, index=facts.Slice()):
                return sliced(self.evaluate(base, frame, at))
            case facts.Item(base=base, index=index):
                return self._item(self.evaluate(base, frame, at), index, frame, at)
            case facts.Choice(then=then, otherwise=otherwise):
                return self.evaluate(then, frame, at) | self.evaluate(otherwise, frame, at)
            case facts.Boolean(values=values):
                return union([self.evaluate(value, frame, at) for value in values])
            case facts.Walrus(value=value):
                return self.evaluate(value, frame, at)
            case facts.Starred(value=value):
                return elements(self.evaluate(value, frame, at))
            case facts.Lambda():
                node = self.project.lambda_node(frame.module, expr, frame.function, at)
                return frozenset({FunctionValue(node, frame.receiver)})
            case facts.Not() | facts.Compare():
                return EITHER
            case facts.Text(parts=parts):
                return self._text(parts, frame, at)
            case facts.Other(parts=(one,)):  # an await
                return self.evaluate(one, frame, at)
            case facts.Other(parts=parts) if any(
                isinstance(one, _WRITTEN_OUT) for one in parts
            ):  # lists that are added
                return sliced(union([self.evaluate(one, frame, at) for one in parts]))
            case facts.Slice() | facts.Yield() | facts.Other():  # numbers, tensors, what is sent in
                return NOTHING

    def _item(self, values: Values, index: Expr, frame: Frame, at: facts.Step | None) -> Values:
        values = self._as_rows(values)
        matters = any(isinstance(value, (SequenceValue, TableValue)) for value in values)
        return item(values, self.evaluate(index, frame, at) if matters else NOTHING)

    def _container(
        self, expr: facts.Display | facts.DictDisplay | facts.Comprehension, frame: Frame, at: facts.Step | None
    ) -> Value:
        match expr:
            case facts.Display(items=items):
                held = [flat(self.evaluate(one, frame, at)) for one in items]
                if any(isinstance(one, facts.Starred) for one in items):
                    return ElementsOf(union(held))
                return SequenceValue(tuple(held))
            case facts.DictDisplay(keys=keys, values=values):
                held = [flat(self.evaluate(one, frame, at)) for one in values]
                named = [self.evaluate(key, frame, at) if key is not None else None for key in keys]
                return table(zip(named, held, strict=True))
            case facts.Comprehension(element=element, loops=loops, is_table=is_table):
                frames = self._rounds_within(loops, frame, at)
                whole = len(frames) > 1 and not any(loop.conditions for loop in loops)
                if is_table and isinstance(element, facts.DictDisplay):
                    (key,), (value,) = element.keys, element.values
                    if whole and key is not None:
                        pairs = [(self.evaluate(key, one, at), self.evaluate(value, one, at)) for one in frames]
                        return table(pairs)
                    element = value
                held = [flat(self.evaluate(element, one, at)) for one in frames]
                return SequenceValue(tuple(held)) if whole else ElementsOf(union(held))

    def _text(self, parts: tuple[Expr, ...], frame: Frame, at: facts.Step | None) -> Values:
        """Every text that the parts can make together, where each of them is written out somewhere."""
        texts = [""]
        for part in parts:
            values = self.evaluate(part, frame, at)
            constants = sorted(str(one.value) for one in values if isinstance(one, ConstantValue))
            if len(constants) != len(values) or not 0 < len(constants) * len(texts) <= _MOST_ROUNDS:
                return frozenset({Unknown("a text that is put together when it runs")})
            texts = [text + more for text in texts for more in constants]
        return frozenset(map(ConstantValue, texts))

    def texts(self, expr: Expr, frame: Frame, at: facts.Step | None = None) -> frozenset[str] | None:
        """The texts that an expression can be: the names that a `getattr` asks for. None where they can't be known."""
        values = self.evaluate(expr, frame, at)
        found = frozenset(one.value for one in values if isinstance(one, ConstantValue) and isinstance(one.value, str))
        return found if found and len(found) == len(values) else None

    def rounds(self, step: facts.Step, frame: Frame) -> list[Frame]:
        """A frame for each round of the loops around a step, where what they go through is written out in the tree.

        So `for name, cls in (("a", A), ("b", B)): setattr(self, name, cls())` gives `a` an A and `b` a B.
        """
        frames = [frame]
        scope = frame.scope
        for index in reversed(list(guards_around(scope, step.guard))):
            if scope.guards[index].kind != "loop":
                continue
            loop = next(
                (s for s in scope.steps if isinstance(s, facts.Bind) and s.guard == index and s.how == "for"), None
            )
            if loop is None or loop is step:
                continue
            frames = [
                r for one in frames for r in self._rounds_of(loop.target, self.evaluate(loop.value, one, loop), one)
            ]
            if len(frames) > _MOST_ROUNDS:
                return [frame]
        return frames

    def _rounds_within(self, loops: tuple[facts.Loop, ...], frame: Frame, at: facts.Step | None) -> list[Frame]:
        """A frame for each round of the loops of a comprehension; one for all where it isn't written out."""
        frames = [frame]
        for loop in loops:
            made: list[Frame] = []
            for one in frames:
                values = self.evaluate(loop.iterable, one, at)
                each = self._rounds_of(loop.target, values, one)
                made += each if each != [one] else [self._in_round(loop.target, elements(values), one)]
            if len(made) > _MOST_ROUNDS:
                made = [self._in_round(loop.target, elements(self.evaluate(loop.iterable, frame, at)), frame)]
            frames = made
        return frames

    def _rounds_of(self, target: Expr, values: Values, frame: Frame) -> list[Frame]:
        each = rounds(values)
        return [self._in_round(target, one, frame) for one in each] if each is not None else [frame]

    def _in_round(self, target: Expr, values: Values, frame: Frame) -> Frame:
        """A frame in which the names of a loop are what one round gives them."""
        names = [one.id for one in facts.targets(target) if isinstance(one, facts.Name)]
        given = {name: self._unpack(target, name, values) for name in names}
        return msgspec.structs.replace(frame, round={**frame.round, **given})

    # -- names -----------------------------------------------------------------------------------------------------

    def name(self, name: str, frame: Frame, at: facts.Step | None = None) -> Values:
        """What a name can be where it is read: local, of an outer function, or of the module."""
        function = frame.function
        if name in frame.round:
            return frame.round[name]
        if function is None:
            return self.module_name(name, frame.module)
        steps = function.binds.get(name, ())
        param = function.named.get(name)
        if param is not None and not steps and frame.receiver is not None and self._is_receiver(param, frame):
            return frozenset({frame.receiver})
        if param is None and not steps:
            if name in function.loops:
                return self._looped(name, frame, at)
            if function.outer is not None:
                return self.name(name, Frame(frame.module, function.outer, frame.receiver))
            return self.module_name(name, frame.module)
        assigning, covered, numbers = self._reaching(function, name, at)
        arguments = frozenset(frame.arguments.items()) if frame.arguments is not None else None
        of_round = frozenset(frame.round.items()) if frame.round else NOTHING
        key = ("name", id(function), frame.receiver, name, numbers, covered, arguments, of_round)

        def compute() -> Values:
            found: Values = self.parameter(param, frame) if param is not None and not covered else NOTHING
            for step in assigning:
                found |= self.bound(step, name, frame)
            for step, put_under, value in function.fills.get(name, ()):
                if self.worth_keeping is not None and self.worth_keeping(value):
                    found |= self._put(put_under, value, frame, step)
            return found

        return self._once(key, compute)

    def _put(self, key: Expr | None, value: Expr, frame: Frame, at: facts.Step) -> Values:
        """A container of the one thing that a step puts into one."""
        held = flat(_whole(self.evaluate(value, frame, at)))
        if not any(map(is_telling, held)):
            return NOTHING
        if key is None:
            return frozenset({ElementsOf(held)})
        return frozenset({table([(self.evaluate(key, frame, at), held)])})

    def _reaching(self, function: FunctionNode, name: str, at: facts.Step | None) -> _Reaching:
        """The steps that can give a local name its value at a step: the same for every object and every call."""
        key = (id(function), name, id(at))
        kept = self._reached.get(key)
        if kept is None:
            assigning, covered = reaching(function.binds.get(name, ()), at, function.facts.body)
            # with whose numbers the key is made of, so that these stay theirs
            kept = self._reached[key] = (function, at), (assigning, covered, tuple(map(id, assigning)))
        return kept[1]

    def _looped(self, name: str, frame: Frame, at: facts.Step | None) -> Values:
        """What a name can be that a comprehension gives its elements, one after the other."""
        assert frame.function is not None
        loops = frame.function.loops[name]
        key = ("loop", id(frame.function), frame.receiver, name)

        def compute() -> Values:
            each = ((loop, elements(self.evaluate(loop.iterable, frame, at))) for loop in loops)
            return union([self._unpack(loop.target, name, found) for loop, found in each])

        return self._once(key, compute)

    def module_name(self, name: str, module: facts.Module) -> Values:
        """What a name means at module level."""
        found = union([self.symbol(symbol) for symbol in self.project.resolve(module, name)])
        return found or (frozenset({ExternalValue(f"builtins.{name}")}) if name in _BUILTINS else NOTHING)

    def symbol(self, symbol: Symbol) -> Values:
        """The values of what a linked name stands for."""
        match symbol:
            case ClassNode():
                return frozenset({ClassValue(symbol)})
            case FunctionNode():
                return frozenset({FunctionValue(symbol)})
            case ModuleRef(name=name):
                return frozenset({ModuleValue(name)})
            case External(name=name):
                return frozenset({ExternalValue(name)})
            case Assigned(module=module, value=value):
                return self._once(("assigned", id(value)), lambda: self.evaluate(value, Frame(module)))

    @staticmethod
    def _is_receiver(param: facts.Param, frame: Frame) -> bool:
        """Whether Python hands a parameter its value: the object or class that a method was reached through."""
        function = frame.function
        assert function is not None
        return function.takes_receiver and param is function.facts.params[0]

    def parameter(self, param: facts.Param, frame: Frame) -> Values:
        """What a parameter can be: the receiver, what is handed over, or what the hook or its annotation tell."""
        function = frame.function
        assert function is not None
        if frame.receiver is not None and self._is_receiver(param, frame):
            return frozenset({frame.receiver})
        if frame.arguments is not None and param.name in frame.arguments:
            return frame.arguments[param.name]
        around = Frame(frame.module, function.outer, frame.receiver if function.outer is not None else None)
        if frame.arguments is not None and param.default is not None:
            return self.evaluate(param.default, around)
        if self.parameter_hook is not None and (found := self.parameter_hook(frame, param)) is not None:
            return found
        found = self.annotation(param.annotation, frame)
        if param.default is not None:
            found |= self.evaluate(param.default, around)
        return found

    def annotation(self, expr: Expr | None, frame: Frame) -> Values:
        """What a value of an annotated type is: an instance of a class of the tree, or a container of such."""
        match expr:
            case facts.Name() | facts.Attribute():
                symbols = self.project.symbol(frame.module, expr)
                return frozenset(self.instance(s) for s in symbols if isinstance(s, ClassNode))
            case facts.Item(base=base, index=index):
                name = (facts.dotted(base) or "").rpartition(".")[2]
                parts = index.items if isinstance(index, facts.Display) else (index,)
                if name in ("Optional", "Union", "Annotated", "Final", "ClassVar"):
                    return union([self.annotation(part, frame) for part in parts])
                if name in ("Type", "type"):
                    found = union([self.annotation(part, frame) for part in parts])
                    return frozenset(ClassValue(value.node) for value in found if isinstance(value, Instance))
                if name in ("Tuple", "tuple") and not any(isinstance(part, facts.Other) for part in parts):
                    return frozenset({SequenceValue(tuple([self.annotation(part, frame) for part in parts]))})
                found = union([self.annotation(part, frame) for part in parts])
                return frozenset({ElementsOf(found)}) if found else NOTHING
            case facts.Other(parts=parts):  # X | None
                return union([self.annotation(part, frame) for part in parts])
            case _:
                return NOTHING

    def bound(self, step: facts.Step, name: str, frame: Frame) -> Values:
        """What one step gives to a local name."""
        scope = frame.scope
        match step:
            case facts.Bind(target=target, value=value, annotation=annotation, how=how):
                if how == "declare":
                    return self.annotation(annotation, frame)
                if how == "augment":
                    return NOTHING
                found = self.evaluate(value, frame, step)
                if how in _OPENS:
                    found = self._opened(how, found)
                found = self._unpack(target, name, found)
                if annotation is not None and not any(isinstance(v, Instance) for v in found):
                    found |= self.annotation(annotation, frame)
                return found
            case facts.Define(index=index):
                assert frame.function is not None
                return frozenset({FunctionValue(frame.function.nested[index], frame.receiver)})
            case _:
                return union([self.symbol(s) for s in self.project.symbols(frame.module, scope, step)])

    def _opened(self, how: str, values: Values) -> Values:
        """What a loop goes through, or what a `with` gives a name: what entering a context manager gives."""
        if how == "for":
            return elements(self._as_rows(values))
        found: set[Value] = set()
        for value in values:
            enter = self.hierarchy.lookup(value.node, "__enter__") if isinstance(value, Instance) else None
            if isinstance(value, ElementsOf):  # what a generator yields
                found |= value.elements
            elif enter is not None and enter.function is not None:
                found |= self.returned(enter.function, value, None)
            else:
                found.add(value)
        return frozenset(found)

    def _as_rows(self, values: Values) -> Values:
        """Objects that are tuples of their fields as such."""
        records = [value for value in values if isinstance(value, Instance) and self.hierarchy.is_record(value.node)]
        if not records:
            return values
        rows: set[Value] = set(values.difference(records))
        for one in records:
            names = self.hierarchy.fields(one.node)
            rows.add(SequenceValue(tuple([flat(self.attribute(one, name)) for name in names])))
        return frozenset(rows)

    def _unpack(self, target: Expr, name: str, values: Values) -> Values:
        match target:
            case facts.Name(id=found):
                return values if found == name else NOTHING
            case facts.Display(items=items):
                values = self._as_rows(values)
                parts = (
                    self._unpack(one, name, item(values, frozenset({ConstantValue(index)})))
                    for index, one in enumerate(items)
                )
                return union(parts)
            case _:
                return NOTHING

    # -- attributes ------------------------------------------------------------------------------------------------

    def attribute(self, value: Value, name: str) -> Values:
        """What an attribute of a value can be."""
        if self.attribute_hook is not None and (found := self.attribute_hook(value, name)) is not None:
            return found
        match value:
            case Instance(node=node):
                return self.instance_attribute(value, node, name)
            case ClassValue(node=node):
                if name == "__name__":
                    return frozenset({ConstantValue(node.name)})
                member = self.hierarchy.lookup(node, name)
                return self.member(member, value) if member is not None else NOTHING
            case ModuleValue(name=dotted):
                return union([self.symbol(s) for s in self.project.member(ModuleRef(dotted), name)])
            case ExternalValue(name=dotted, called=called):
                if dotted.count(".") >= _MOST_NAMES:  # a chain that a loop makes longer
                    return frozenset({value})
                return frozenset({ExternalValue(f"{dotted}.{name}", called)})
            case Unknown():
                return frozenset({value})
            case TableValue(entries=entries):  # a namespace: no dict has an attribute by a key's name
                key = ConstantValue(name)
                return union([held for keys, held in entries if key in keys])
            case _:
                return NOTHING

    def instance_attribute(self, value: Instance, node: ClassNode, name: str) -> Values:
        """What an attribute of an object can be, by its class, its methods' assignments and its annotations."""
        return self._once(("attribute", value, name), lambda: self._instance_attribute(value, node, name))

    def _instance_attribute(self, value: Instance, node: ClassNode, name: str) -> Values:
        found: Values = NOTHING
        member = self.hierarchy.lookup(node, name)
        if member is not None:
            found |= self.member(member, value)
        if member is None or member.kind == "attribute":
            for one in chain(self._own_binds(node, name), self._own_binds(node, content(name))):
                found |= self._bound_attribute(one.step, one.frame(value), name)
            if not any(map(is_telling, found)):
                found |= self._declared(node, name)
            if self.outside_binds is not None and not any(map(is_telling, found)):
                for frame, step in self.outside_binds(node, name):
                    found |= self._bound_attribute(step, frame, name)
        return found or self._handed_on(value, name)

    def _handed_on(self, value: Instance, name: str) -> Values:
        """What the objects have that an object asks for names it doesn't know."""
        answers = opening(self.hierarchy, value.node, name) if not name.startswith("__") else None
        found: set[Value] = set()
        for path in answers.paths if answers is not None else ():
            if name in path:
                continue
            held: Values = frozenset({value})
            for attribute in (*path, name):
                held = union([self.attribute(one, attribute) for one in held])
            found |= held
        return frozenset(found)

    def given(self, attribute: str, step: facts.Step, value: Expr | None, frame: Frame) -> Values:
        """What a step gives an attribute: `value`, or its part of what is unpacked there."""
        if value is None and isinstance(step, facts.Bind):
            return self._bound_attribute(step, frame, attribute) or frozenset(
                {Unknown("it is a part of what is unpacked", is_object=False)}
            )
        return self.evaluate(value, frame, step)

    def _bound_attribute(self, step: facts.Bind, frame: Frame, name: str) -> Values:
        if step.how == "declare":
            return self.annotation(step.annotation, frame)
        if step.how == "put" and (
            self.worth_keeping is None or step.value is None or not self.worth_keeping(step.value)
        ):
            return NOTHING
        found = self.evaluate(step.value, frame, step)
        if step.how == "put":
            held = _whole(found)
            return held if any(map(is_telling, held)) else NOTHING
        if step.how in _OPENS:
            found = self._opened(step.how, found)
        if isinstance(step.target, facts.Display):
            for index, one in enumerate(step.target.items):
                if isinstance(one, facts.Attribute) and one.name == name:
                    found = item(found, frozenset({ConstantValue(index)}))
                    break
        if step.annotation is not None and not any(isinstance(v, Instance) for v in found):
            found |= self.annotation(step.annotation, frame)
        return found

    def _declared(self, node: ClassNode, name: str) -> Values:
        """What the class body annotates, or `__init__`'s fields in a dataclass."""
        for one in self.hierarchy.order(node).nodes:
            for step in one.facts.body.steps:
                if isinstance(step, facts.Bind) and step.target == facts.Name(name) and step.annotation is not None:
                    return self.annotation(step.annotation, Frame(one.module))
        return NOTHING

    def self_binds(self, node: ClassNode, name: str) -> Iterator[tuple[FunctionNode, facts.Bind]]:
        """Every `self.name = …` in the methods of a class and its bases."""
        return ((one.function, one.step) for one in self._own_binds(node, name))

    def _own_binds(self, node: ClassNode, name: str) -> Iterator[OwnBind]:
        for one in self.hierarchy.order(node).nodes:
            yield from self.binds_in(one).get(name, ())

    def binds_in(self, node: ClassNode) -> dict[str, list[OwnBind]]:
        """Attribute name -> where the methods of one class bind it on `self`; appends to a list count as well."""
        cached = self._binds.get(node.key)
        if cached is not None:
            return cached
        cached = self._binds[node.key] = {}
        functions = [
            one for method in self.project.methods_of(node) for one in method.within if one.receiver is not None
        ]
        for function in functions:
            for step in function.facts.body.steps:
                for name, bind in own_binds(step, function.receiver or ""):
                    cached.setdefault(name, []).append(OwnBind(function, bind, {}))
        for function in functions:  # what the names are may depend on what the others give
            for step in function.facts.body.steps:
                frame = Frame(function.module, function)
                for name, bind, one in self.named(step, function.receiver or "", frame) or ():
                    cached.setdefault(name, []).append(OwnBind(function, bind, one.round))
        return cached

    def named(self, step: facts.Step, own: str, frame: Frame) -> list[tuple[str, facts.Bind, Frame]] | None:
        """What a step binds on an object under names that it computes, each with the round of the loops in which it
        does; None where the names can't be known."""
        parts = computed(step)
        if parts is None or parts[0] != facts.Name(own):
            return []
        base, asked, value = parts
        found = []
        for one in self.rounds(step, frame):
            texts = self.texts(asked, one, step)
            if texts is None:
                return None
            for text in sorted(texts):
                target = facts.Attribute(base, text, step.line)
                found.append((text, facts.Bind(target, value, None, "=", step.guard, step.line), one))
        return found

    def member(self, member: Member, receiver: Value) -> Values:
        """What a class-level definition gives when it is reached through a value."""
        function = member.function
        match member.kind:
            case "property" if isinstance(receiver, Instance) and function is not None:
                found = self.returned(function, receiver, None)
                if not any(isinstance(v, (Instance, ModelObject, ClassValue)) for v in found):
                    found |= self.annotation(function.facts.returns, Frame(function.module))
                return found
            case "class":
                nested = next((c for c in member.owner.facts.body.classes if c.name == member.name), None)
                if nested is None:
                    return NOTHING
                return frozenset({ClassValue(self.project.class_node(member.owner.module, nested))})
            case "attribute":
                return self.evaluate(member.value, Frame(member.owner.module)) if member.value is not None else NOTHING
            case "classmethod" if isinstance(receiver, Instance):
                return (
                    frozenset({FunctionValue(function, ClassValue(receiver.node))}) if function is not None else NOTHING
                )
            case "method" if isinstance(receiver, ClassValue):  # its caller hands the object over
                return frozenset({FunctionValue(function)}) if function is not None else NOTHING
            case _:
                return frozenset({FunctionValue(function, receiver)}) if function is not None else NOTHING

    # -- calls -----------------------------------------------------------------------------------------------------

    def call(self, call: facts.Call, frame: Frame, at: facts.Step | None = None) -> Values:
        """What a call gives back."""
        special = self._of_python(call, frame, at)
        if special is not None:
            return special
        found: set[Value] = set()
        for callee in self.evaluate(call.func, frame, at):
            match callee:
                case ClassValue(node=node):
                    hooked = self.construct_hook(node, call, frame) if self.construct_hook is not None else None
                    found |= hooked if hooked is not None else {self.instance(node)}
                case FunctionValue() | Instance():
                    for one in self._callees(callee, call, frame, at):
                        found |= self._result(one, call, frame, at)
                case PartialValue():
                    found |= self._completed(callee, call, frame, at)
                case ExternalValue(name="functools.partial", called=False):
                    found |= self._partial(call, frame, at)
                case ExternalValue(name=name, called=False) if name in RESULTS:
                    found |= RESULTS[name](*self._handed(call, frame, at))
                case ExternalValue(name=name, called=called):
                    found.add(ExternalValue(name, True) if not called else Unknown(f"the result of {name}(…)"))
                case Unknown():
                    found.add(callee)
                case _:
                    pass
        return frozenset(found)

    def _handed(self, call: facts.Call, frame: Frame, at: facts.Step | None) -> tuple[list[Values], dict[str, Values]]:
        named = {k.name: self.evaluate(k.value, frame, at) for k in call.keywords if k.name is not None}
        return [self.evaluate(one, frame, at) for one in call.args], named

    def _partial(self, call: facts.Call, frame: Frame, at: facts.Step | None) -> Values:
        """What `functools.partial(callee, …)` gives: the callee with what it is handed ahead."""
        if not call.args or any(isinstance(one, facts.Starred) for one in call.args):
            return NOTHING
        args = tuple([flat(self.evaluate(one, frame, at)) for one in call.args[1:]])
        keywords = tuple([(k.name, flat(self.evaluate(k.value, frame, at))) for k in call.keywords if k.name])
        callees = self.evaluate(call.args[0], frame, at)
        return frozenset(
            PartialValue(one, args, keywords)
            for one in callees
            if isinstance(one, (FunctionValue, ClassValue, PartialValue)) and _layers(one) < _MOST_LAYERS
        )

    def _completed(self, partial: PartialValue, call: facts.Call, frame: Frame, at: facts.Step | None) -> Values:
        """What calling a partial gives back, what it was handed ahead put before what the call hands over."""
        args = [self.evaluate(one, frame, at) for one in call.args if not isinstance(one, facts.Starred)]
        keywords = {k.name: self.evaluate(k.value, frame, at) for k in call.keywords if k.name is not None}
        callee: Value = partial
        while isinstance(callee, PartialValue):
            args = [*callee.args, *args]
            keywords = {**dict(callee.keywords), **keywords}
            callee = callee.callee
        if isinstance(callee, ClassValue):
            hooked = self.construct_hook(callee.node, call, frame) if self.construct_hook is not None else None
            return hooked if hooked is not None else frozenset({self.instance(callee.node)})
        assert isinstance(callee, FunctionValue)
        skip = callee.receiver is not None and callee.node.takes_receiver
        return self.returned(callee.node, callee.receiver, bind_values(callee.node, args, keywords, skip_first=skip))

    def _of_python(self, call: facts.Call, frame: Frame, at: facts.Step | None) -> Values | None:
        """What a call of Python's own functions, or of a container's method, gives back; None for any other call."""
        match call:
            case facts.Call(func=facts.Name(id="getattr"), args=(base, asked, *default)):
                names = self.texts(asked, frame, at)
                of = self.evaluate(base, frame, at)
                if names is None:
                    computed = frozenset({Unknown("an attribute whose name is only known when it runs")})
                    return computed if any(map(is_telling, of)) else NOTHING
                found = union([self.attribute(value, name) for value in of for name in sorted(names)])
                return found | union([self.evaluate(one, frame, at) for one in default])
            case facts.Call(func=facts.Name(id="super")) if frame.function is not None and frame.function.owner:
                return frozenset({Unknown("super()")})
            case facts.Call(func=facts.Attribute(base=base)) if facts.super_call(base) is not None:
                return union([self._result(one, call, frame, at) for one in self.callees(call, frame, at)])
            case facts.Call(func=facts.Name(id="cast") | facts.Attribute(name="cast"), args=(to, what)):
                return self.annotation(to, frame) or self.evaluate(what, frame, at)
            case facts.Call(func=facts.Name(id=name)) if name in BUILTINS:
                return BUILTINS[name](*self._handed(call, frame, at))
            case facts.Call(func=facts.Name(id="map")) if made := calls_of(call):
                return frozenset({ElementsOf(flat(union([self.call(one, frame, at) for one in made])))})
            case facts.Call(func=facts.Attribute(name="enter_context"), args=(entered,)):
                return self._opened("with", self.evaluate(entered, frame, at))
            case facts.Call(func=facts.Attribute(base=base, name=name), args=args) if name in METHODS:
                return method(name, self.evaluate(base, frame, at), [self.evaluate(one, frame, at) for one in args])
            case _:
                return None

    def callees(self, call: facts.Call, frame: Frame, at: facts.Step | None = None) -> list[Callee]:
        """Every function of the tree that a call runs, each with the object it runs on: whoever follows calls from
        values to values asks this."""
        above = facts.super_call(call.func.base) if isinstance(call.func, facts.Attribute) else None
        if above is None or not isinstance(call.func, facts.Attribute):
            return [c for value in self.evaluate(call.func, frame, at) for c in self._callees(value, call, frame, at)]
        if frame.function is None or not isinstance(frame.receiver, (Instance, ClassValue)):
            return []
        member = self.hierarchy.above(frame.function, above, frame.receiver.node, call.func.name)
        if member is None or member.function is None:
            return []
        on_class = member.kind == "classmethod"
        return [Callee(member.function, ClassValue(frame.receiver.node) if on_class else frame.receiver)]

    def _callees(self, value: Value, call: facts.Call, frame: Frame, at: facts.Step | None) -> list[Callee]:
        match value:
            case FunctionValue(node=node, receiver=None) if node.takes_receiver and call.args:
                given = self.evaluate(call.args[0], frame, at)
                objects = [one for one in given if isinstance(one, (Instance, ClassValue))]
                return [Callee(node, one, is_handed=True) for one in objects] or [Callee(node, None)]
            case FunctionValue(node=node, receiver=receiver):
                return [Callee(node, receiver)]
            case ClassValue(node=node):
                member = self.hierarchy.lookup(node, "__init__")
                return [Callee(member.function, self.instance(node))] if member is not None and member.function else []
            case Instance(node=node):
                member = self.hierarchy.lookup(node, "__call__")
                return [Callee(member.function, value)] if member is not None and member.function else []
            case _:
                return []

    def _result(self, callee: Callee, call: facts.Call, frame: Frame, at: facts.Step | None) -> Values:
        given = self.result_hook(callee.function) if self.result_hook is not None else None
        if given is not None:
            return given
        return self.returned(callee.function, callee.receiver, self.arguments(callee, call, frame, at))

    def returned(
        self, function: FunctionNode, receiver: Value | None, arguments: Mapping[str, Values] | None
    ) -> Values:
        """What a function can give back, its return annotation where the body tells nothing."""
        key = ("returned", id(function), receiver, frozenset(arguments.items()) if arguments is not None else None)
        return self._once(key, lambda: self._returned(Frame(function.module, function, receiver, arguments)))

    def _returned(self, frame: Frame) -> Values:
        function = frame.function
        assert function is not None
        if function.facts.is_generator:
            return self._yielded(frame, function)
        found = union([self.evaluate(step.value, frame, step) for step in function.facts.returned()])
        if not any(not isinstance(v, (ConstantValue, Unknown, ExternalValue)) for v in found):
            found |= self.annotation(function.facts.returns, frame)
        return found

    def _yielded(self, frame: Frame, function: FunctionNode) -> Values:
        held = [
            elements(found) if one.whole else found
            for step, one in function.yielded
            for found in (self.evaluate(one.value, frame, step),)
        ]
        found = flat(union(held))
        return frozenset({ElementsOf(found)}) if any(map(is_telling, found)) else NOTHING

    def arguments(
        self, callee: Callee, call: facts.Call, frame: Frame, at: facts.Step | None
    ) -> dict[str, Values] | None:
        """Parameter -> what one call hands over, of those that decide what comes back; None where none does.

        What leads nowhere would only make every call a question of its own, and is left out.
        """
        deciding = callee.function.deciding
        if not deciding:
            return None
        bound = callee.bound(call)
        return {name: _followed(self.evaluate(expr, frame, at)) for name, expr in bound.items() if name in deciding}


_PART = Unknown("which part of a model it is, its container doesn't tell", is_object=False)
_OPENS = frozenset({"for", "with"})
_BUILTINS = frozenset({"getattr", "hasattr", "setattr", "isinstance", "super", "type", "len", "int", "list", "print"})


def _followed(values: Values) -> Values:
    """What can be told of values where they were handed on: what leads on, and constants."""
    return frozenset([one for one in values if isinstance(one, ConstantValue) or is_telling(one)])


def _untold(expr: Expr) -> str:
    """Why nothing is known of an expression."""
    match expr:
        case facts.Name() | facts.Attribute() | facts.Item():
            return f"nothing in the tree says what {facts.spell(expr)} is"
        case facts.Call(func=func):
            return f"what {facts.spell(func)}(…) gives can't be followed"
        case _:
            return "it is computed when it runs"


def _whole(values: Values) -> Values:
    """Values as they are put into a container one by one: which parts of models are in it is lost."""
    return frozenset(
        changed(value, lambda one: _PART if isinstance(one, ModelObject) and one.path else one) for value in values
    )


def _joined(before: Any, found: Any) -> Any:  # noqa: ANN401 - whatever was asked
    return together(before | found)


def _unsettled(found: Any) -> Any:  # noqa: ANN401
    return found | {UNSETTLED}


def _layers(value: Value) -> int:
    """How many partials stand around a callable."""
    count = 0
    while isinstance(value, PartialValue):
        value, count = value.callee, count + 1
    return count
