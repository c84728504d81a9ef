"""What one evaluation needs: the tree with its Transformers, the machine's facts, packages, boundary functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from specint.errors import SpecintError
from specint.execution.files import Files
from specint.execution.interpreter import Interpreter
from specint.execution.modules import Modules
from specint.execution.outside import Outside
from specint.execution.values import Foreign, Unknown
from specint.launch import transformers
from specint.launch.declared import declared
from specint.launch.machine import Machine, tools
from specint.launch.pins import requirements
from specint.source.tree import Tree

Registry = Callable[[], dict[str, tuple[str, str]]]


class Setting:
    """One SGLang, ready to be asked about launches.

    Attributes:
        pins: the packages that are installed with it, with their versions where pinned.
    """

    def __init__(self, tree: Tree, registry: Registry, cache_dir: Path | None, progress: Any = None) -> None:
        self.tree = tree
        self.registry = registry
        self.package = tree.package
        self.pins = requirements(tree)
        self.notes: list[str] = []
        library = self._transformers(cache_dir, progress)
        whole = tree if library is None else tree.beside(library)
        self.modules = Modules(whole, transformers.is_hidden if library is not None else None)
        if library is not None:
            transformers.install(self.modules, transformers.Library(library))
        self.whole = whole
        self.registered: dict[str, tuple[str, str]] | None = None

    def _transformers(self, cache_dir: Path | None, progress: Any) -> Tree | None:
        from specint.source.archive import ArchiveTree
        from specint.source.release import Release, fetch
        from specint.source.tree import Origin

        version = self.pins.get(transformers.PACKAGE)
        if version is None:
            self.notes.append(
                "which Transformers this SGLang pins is not known: its configuration classes are not read"
            )
            return None
        try:
            release = Release(transformers.PACKAGE, version)
            wheel = fetch(release, cache_dir, progress=progress)
            return ArchiveTree(wheel, transformers.PACKAGE, Origin(version=version, source=str(release)))
        except SpecintError as error:
            self.notes.append(f"Transformers {version} can't be read: {error.what}")
            return None

    def interpreter(self, machine: Machine, files: Files, environment: Mapping[str, str]) -> Interpreter:
        """A fresh evaluation on a machine."""
        it = Interpreter(self.whole, self._outside(machine), files=files, environment=environment, modules=self.modules)
        it.hooks |= {f"{self.package}.{name}": hook for name, hook in self._boundaries().items()}
        it.watched = transformers.BASES
        it.hooks |= transformers.fast_hooks(self.modules)
        return it

    def _outside(self, machine: Machine) -> Outside:
        packages, outside = declared()["packages"], declared()["outside"]
        facts: dict[str, Any] = {**machine.facts, **transformers.FACTS}
        facts |= {
            f"random.{name}()": Unknown(f"random.{name}()", kind=int)
            for name in ("randint", "randrange", "getrandbits")
        }
        for name, version in self.pins.items():
            imported = packages["imports"].get(name, name.replace("-", "_"))
            if version is not None:
                facts |= {f"version {name}": version, f"version {name.replace('-', '_')}": version,
                          f"version {imported}": version, f"{imported}.__version__": version}  # fmt: skip
        torch = self.pins.get("torch")
        if torch is not None and machine.kind == "cuda":
            facts["torch.__version__"] = f"{torch}+cu{str(machine.facts['torch.version.cuda']).replace('.', '')}"
        facts |= {path: Foreign(of) for path, of in outside["same"].items()}
        present = {packages["imports"].get(name, name.replace("-", "_")) for name in self.pins}
        return Outside(
            facts,
            absent=set(packages["absent"]) - present,
            present=present | set(packages["present"]),
            objects=outside["objects"],
            classes=outside["classes"],
            calls={**tools(machine), **transformers.CALLS},
        )

    def _boundaries(self) -> dict[str, Callable[..., Any]]:
        kinds: dict[str, Callable[..., Any]] = {
            "registry": self._registry,
            "nothing": lambda it, a, k: None,
            "drawn": lambda it, a, k: Unknown("a port that is free on the host", kind=int),
            "true": lambda it, a, k: True,
        }
        return {name: kinds[row["kind"]] for row in declared()["boundary"] for name in row["functions"]}

    def _registry(self, it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:  # noqa: ARG002
        """The registered classes by name, as opaque values."""
        if self.registered is None:
            self.registered = self.registry()
        return {name: ModelClass(module, cls) for name, (module, cls) in self.registered.items()}


class ModelClass(Foreign):
    """A registered model class: known by its place, not evaluated."""

    __slots__ = ("cls", "module")

    def __init__(self, module: str, cls: str) -> None:
        super().__init__(f"{module}.{cls}")
        self.module = module
        self.cls = cls
