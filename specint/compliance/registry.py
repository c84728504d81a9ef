"""Which classes are registered as models: by SGLang's own modules, and by plugins in whatever form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from specint.compliance.written import (
    Addition,
    Place,
    Reader,
    Several,
    Table,
    Unread,
    Written,
    additions,
    elements,
    places,
    table,
)
from specint.contract.declared import CodeRoot
from specint.errors import Diagnostic, SpecintError
from specint.facts import model as facts
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import ClassNode, FunctionNode, ModuleRef, Project
from specint.source.tree import SourceFile, Tree

_RUN_BY = ("forward", "__call__", "__getattr__", "__getattribute__", "__new__")
"""What of a class is run for a module's forward: its own, or that of whatever it stands for."""
_HINT = "name the classes themselves, or have one judged with --model"


@dataclass
class Registry:
    """Reads registrations out of modules.

    Attributes:
        unread: the places that register something which could not be worked out.
    """

    project: Project
    hierarchy: Hierarchy
    declared: CodeRoot
    unread: list[Diagnostic] = field(default_factory=list)
    _reader: Reader = field(init=False)
    _open: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._reader = Reader(self.project)

    def models(self, tree: Tree, own: Sequence[SourceFile], wanted: Sequence[str] = ()) -> tuple[ClassNode, ...]:
        """Every registered class that is a model.

        Args:
            own: files outside of SGLang's models, which may register some in any form.
            wanted: names of classes of those files that count whether or not they are registered.

        Raises:
            SpecintError: there is none.
        """
        package = f"{tree.package}.{self.declared.models}"
        depth = package.count(".") + 1  # the registry doesn't look into packages below
        named = [file for file in tree.files(package) if file.module.count(".") == depth and not file.is_init]
        found: dict[ClassNode, None] = {}
        asked: dict[ClassNode, None] = {}
        files = dict.fromkeys([*named, *own])
        for file in own:
            if (module := self.project.module(file.module)) is not None:
                classes, packages = self.put_by(module)
                found.update(dict.fromkeys(classes))
                asked.update(dict.fromkeys(demanded(self.project, module, wanted)))
                files.update(dict.fromkeys(one for name in packages for one in tree.files(name)))
        for file in files:
            if (module := self.project.module(file.module)) is not None:
                found.update(dict.fromkeys(self.named_by(module)))
        kept = tuple(node for node in {**found, **asked} if node in asked or not self._is_none(node))
        if not kept:
            attribute = self.declared.registry_attribute
            raise SpecintError(f"no model names itself in {attribute}", package, "is this a whole SGLang?")
        return kept

    def _is_none(self, node: ClassNode) -> bool:
        """Whether a class of a user's own is none; what SGLang's registry takes of SGLang it takes."""
        why = no_model(node, self.hierarchy) if self._is_own(node.module) else ""
        if why:
            what = f"{node.name} is registered and is no model: {why}"
            line, column = node.facts.line, node.facts.column
            self.unread.append(Diagnostic(file=node.file, line=line, column=column, what=what, severity="warning"))
        return bool(why)

    def named_by(self, module: facts.Module) -> tuple[ClassNode, ...]:
        """The classes that a module names in its registry attribute: one class, or several."""
        attribute = self.declared.registry_attribute
        found: dict[ClassNode, None] = {}
        if module.name in self._open:
            return ()
        self._open.add(module.name)
        for step in self.project.table(module).get(attribute, ()):
            if isinstance(step, facts.Import):
                source = self.project.module(step.module)
                if step.attribute == attribute and source is not None:
                    found.update(dict.fromkeys(self.named_by(source)))
                else:
                    found.update(dict.fromkeys(s for s in self.project.imported(step) if isinstance(s, ClassNode)))
        top = Place(module, module.body)
        for addition in additions(module.body, lambda one: _is_attribute(one, attribute)):
            if addition.whole and addition.step.guard == -1:
                found.clear()
            found.update(dict.fromkeys(self._classes(addition, top)))
        self._open.discard(module.name)
        return tuple(found)

    def put_by(self, module: facts.Module) -> tuple[tuple[ClassNode, ...], tuple[str, ...]]:
        """What a plugin registers, when it is imported or in its functions: classes it puts into the registry's table,
        and packages that it names."""
        classes: dict[ClassNode, None] = {}
        packages: dict[str, None] = {}
        for place in places(self.project, module):
            for addition in additions(place.scope, partial(self._is_table, place=place)):
                if not self._is_table(addition.value, place):  # then it is another name for it
                    classes.update(dict.fromkeys(self._classes(addition, place, in_pairs=True)))
            for step in place.scope.steps:
                value = getattr(step, "value", None)
                match value:
                    case facts.Call(func=facts.Attribute(base=base, name="register"), args=(given, *_)) if (
                        self._is_registry(base, place)
                    ):
                        packages.update(dict.fromkeys(self._texts(given, place, step)))
                    case _:
                        pass
        return tuple(classes), tuple(packages)

    # -- what is put there -----------------------------------------------------------------------------------------

    def _classes(self, addition: Addition, place: Place, *, in_pairs: bool = False) -> Iterator[ClassNode]:
        """The classes that a statement puts somewhere; `in_pairs`: what lists hold are keys with their values."""
        step = addition.step
        listed = isinstance(addition.value, facts.Display) and addition.spread
        for part in addition.value.items if listed else (addition.value,):  # type: ignore[union-attr]
            try:
                for round_ in self._reader.rounds(place, step.guard):
                    for value in self._reader.values(part, place, round_, step):
                        if listed and in_pairs and isinstance(value, Several) and len(value.items) == 2:
                            value = value.items[1]  # noqa: PLW2901
                        yield from self._of(value, place, whole=addition.whole)
            except Unread as why:  # of one entry; the others are read all the same
                self._say(place.module, step, str(why))

    def _of(self, value: Written, place: Place, *, whole: bool) -> Iterator[ClassNode]:
        match value:
            case ClassNode():
                yield value
            case Several(items=(Several(items=(str(), _)), *_)):  # pairs of names and classes
                yield from self._of(table(value), place, whole=False)
            case Several():
                for one in elements(value):
                    yield from self._of(one, place, whole=False)
            case Table(pairs=pairs):
                for _, one in pairs:
                    yield from self._of(one, place, whole=False)
            case str():
                yield self._reader.class_named(value, place.module)
            case None if whole:
                pass
            case FunctionNode() | ModuleRef():
                name = value.name.rpartition(".")[2]
                raise Unread(f"`{name}` is a {'function' if isinstance(value, FunctionNode) else 'module'}, no class")
            case _:
                raise Unread(f"{value!r} is no class")

    def _texts(self, expr: facts.Expr, place: Place, step: facts.Step) -> list[str]:
        try:
            found: list[str] = []
            for round_ in self._reader.rounds(place, step.guard):
                values = self._reader.values(expr, place, round_, step)
                found += [one for one in values if isinstance(one, str)]
                found += [one.name for one in values if isinstance(one, ModuleRef)]
            if found:
                return found
            why = "the name of the package isn't a text"
        except Unread as error:
            why = str(error)
        self._say(place.module, step, why)
        return []

    def _say(self, module: facts.Module, step: facts.Step, why: str) -> None:
        self.unread.append(
            Diagnostic(
                file=module.path,
                line=step.line,
                what=f"models are registered here in a form that can't be read: {why}",
                hint=_HINT,
                severity="error" if self._is_own(module) else "warning",
            )
        )

    def _is_own(self, module: facts.Module) -> bool:
        return not f"{module.name}.".startswith(f"{self.project.package}.")

    # -- where it is put -------------------------------------------------------------------------------------------

    def _is_registry(self, expr: facts.Expr, place: Place, hops: int = 8) -> bool:
        """Whether an expression is SGLang's registry, under whatever name."""
        name = self.declared.registry
        match expr:
            case facts.Attribute(name=found):
                return found == name
            case facts.Name(id=found) if hops:
                steps = self._binds(found, place)
                if not steps:
                    return found == name
                return any(
                    (isinstance(step, facts.Import) and step.attribute == name)
                    or (
                        isinstance(step, facts.Bind)
                        and step.value is not None
                        and step.target == expr
                        and self._is_registry(step.value, place, hops - 1)
                    )
                    for step in steps
                )
            case _:
                return False

    def _is_table(self, expr: facts.Expr, place: Place, hops: int = 8) -> bool:
        """Whether an expression is the registry's table."""
        match expr:
            case facts.Attribute(base=base, name=name):
                return name == self.declared.registry_table and self._is_registry(base, place)
            case facts.Name(id=found) if hops:
                return any(
                    isinstance(step, facts.Bind)
                    and step.target == expr
                    and step.how == "="
                    and step.value is not None
                    and self._is_table(step.value, place, hops - 1)
                    for step in self._binds(found, place)
                )
            case _:
                return False

    def _binds(self, name: str, place: Place) -> list[facts.Step]:
        for scope in place.scopes:
            if steps := self.project.binds_of(scope).get(name):
                return steps
        return self.project.table(place.module).get(name, [])


def _is_attribute(expr: facts.Expr, attribute: str) -> bool:
    """Whether the target of an assignment is a module's own name, also as an entry of its globals."""
    match expr:
        case facts.Name(id=name):
            return name == attribute
        case facts.Item(base=facts.Call(func=facts.Name(id="globals")), index=facts.Constant(value=name)):
            return name == attribute
        case _:
            return False


def demanded(project: Project, module: facts.Module, names: Iterable[str]) -> Iterator[ClassNode]:
    """The classes of a module that somebody asked about by name, whether or not they are registered."""
    wanted = set(names)
    for node in project.classes_of(module):
        if node.name in wanted or node.key in wanted:
            yield node


def no_model(node: ClassNode, hierarchy: Hierarchy) -> str:
    """Why a registered class is no model, "" where it may be one: nothing of it can be run as a module."""
    if hierarchy.external_provider(node, "forward") or any(hierarchy.lookup(node, name) for name in _RUN_BY):
        return ""
    unknown = hierarchy.unknown_bases(node)
    if any(one.name.partition(".")[0] == hierarchy.project.package for one in unknown):
        return ""  # of an SGLang that has it: what it is there isn't known
    if unknown:
        return f"it has no forward, and its base {unknown[0].name} is outside of what is read"
    return "neither it nor a base of it has a forward"
