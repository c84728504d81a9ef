"""The classes whose objects a class builds, told by the names that it mentions.

Composition says which attribute holds what. Layers in lists and tables have no attribute of their own; for rules that
only ask whether any part of a model reads a name, that a class is mentioned where its objects are made is enough.
"""

from __future__ import annotations

from collections.abc import Iterator

from specint.facts import model as facts
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import Assigned, ClassNode, Project
from specint.graph.steps import expressions

_LIMIT = 400
"""The most parts of one class that are looked for; a model of SGLang has some dozens."""


class Parts:
    """Answers per class, memoised."""

    def __init__(self, project: Project, hierarchy: Hierarchy) -> None:
        self.project = project
        self.hierarchy = hierarchy
        self._known: dict[str, tuple[ClassNode, ...]] = {}
        self._named: dict[str, tuple[ClassNode, ...]] = {}

    def of(self, node: ClassNode) -> tuple[ClassNode, ...]:
        """The classes of which objects of a class are built, through their own parts too."""
        if node.key not in self._known:
            found: dict[ClassNode, None] = {}
            pending = list(self.hierarchy.order(node).nodes)
            own = set(pending)
            while pending and len(found) < _LIMIT:
                one = pending.pop()
                if one.key not in self._named:
                    self._named[one.key] = tuple(self._named_classes(one))
                for part in self._named[one.key]:
                    if part not in found and part not in own:
                        found[part] = None
                        above = self.hierarchy.order(part).nodes[1:]
                        pending += [part, *(one for one in above if one not in found)]
            self._known[node.key] = tuple(found)
        return self._known[node.key]

    def _named_classes(self, node: ClassNode) -> Iterator[ClassNode]:
        """The classes of its own package that a class names in its constructor and its body."""
        package = node.module.name.rpartition(".")[0]
        scopes = [node.facts.body, *(f.body for f in node.facts.body.functions if f.name == "__init__")]
        names = {
            part.id
            for scope in scopes
            for step in scope.steps
            for expr in expressions(step)
            for part in facts.within(expr, facts.Name)
        }
        table = self.project.table(node.module)
        for name in sorted(names):
            imports = [step for step in table.get(name, ()) if isinstance(step, facts.Import)]
            if imports and not any(step.module.startswith(package) for step in imports):
                continue  # a layer that all models share: not worth reading its module
            for symbol in self.project.resolve(node.module, name):
                if isinstance(symbol, ClassNode) and symbol.module.name.startswith(package):
                    yield symbol
                elif isinstance(symbol, Assigned):  # a table of layer classes
                    for part in facts.walk(symbol.value):
                        if isinstance(part, facts.Name):
                            found = self.project.symbol(symbol.module, part)
                            yield from (s for s in found if isinstance(s, ClassNode))
