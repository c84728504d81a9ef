"""Modules of the tree: read when a name in them is first used, their statements evaluated once."""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from specint.errors import SpecintError
from specint.execution import bounds
from specint.execution.code import MISSING, Frame, ModuleCode
from specint.execution.expressions import Context
from specint.execution.outline import outlined
from specint.execution.statements import compile_block
from specint.execution.values import Builtin, ImportedName, Module, Raised, Unknown
from specint.parsing import Unparsable, parsed_module
from specint.source.tree import SourceFile, Tree, decode

if TYPE_CHECKING:
    from specint.execution.interpreter import Interpreter

_IMPORTED = r"^from ([\w.]+) import (?:\([^)]*\b{name}\b(?! as)[^)]*\)|[^\n(]*\b{name}\b(?! as))"
MOST_HOPS = 4
LONGEST_TEXT = 3_000_000
"""Characters of one module; the largest of SGLang has a fifth of it."""


def _parsed(text: str) -> tuple[ast.Module, dict[int, tuple[int, int]]]:
    """The module without its functions' bodies, which are parsed at the first call; whole where that can't be done."""
    collecting = gc.isenabled()
    gc.disable()  # a tree of nodes is no garbage, and looking for some takes as long as parsing
    try:
        short, bodies = outlined(text)
        try:
            return parsed_module(short), bodies
        except Unparsable:
            return parsed_module(text), {}
    finally:
        if collecting:
            gc.enable()


class Modules:
    """The files of a tree as compiled code, which several evaluations share.

    `hidden` says which modules are not read though they are there; `members` gives what stands
    in place of a module's file.
    """

    def __init__(self, tree: Tree, hidden: Callable[[str], bool] | None = None) -> None:
        self.tree = tree
        self.hidden = hidden or (lambda name: False)
        self.members: Callable[[str], Callable[[Interpreter, str], Any] | None] = lambda name: None
        self.codes: dict[str, ModuleCode | SpecintError | SyntaxError] = {}
        self.texts: dict[str, str] = {}
        self.added: dict[str, str] = {}
        self.kinds: dict[str, tuple[str, bool] | None] = {}
        self._named_once: dict[tuple[str, str], bool] = {}

    def add(self, texts: dict[str, str]) -> None:
        """Modules that are not in the tree: a checkpoint's own code, words of specint's."""
        for name, text in texts.items():
            if self.added.get(name) != text:
                self.added[name] = text
                self.codes.pop(name, None)
        self.kinds.clear()
        self._named_once.clear()

    def where(self, name: str) -> tuple[str, bool] | None:
        """The file of a module ("" for a namespace package) and whether it is a package; None if it isn't there."""
        known = self.kinds.get(name, MISSING)
        if known is not MISSING:
            return known  # type: ignore[return-value]
        found: tuple[str, bool] | None = None
        if name in self.added:
            return f"{name.replace('.', '/')}.py", False
        if any(added.startswith(f"{name}.") for added in self.added) or self.members(name) is not None:
            found = ("", True)
        elif name and name.partition(".")[0] in self.tree.packages and not self.hidden(name):
            file = self.tree.find(name)
            if file is not None:
                found = (file.path, file.is_init)
            elif self.tree.is_package(name):
                found = ("", True)
        self.kinds[name] = found
        return found

    def code(self, name: str) -> ModuleCode | None:
        """A module's code; None for a namespace package. Raises SpecintError or SyntaxError for what can't be read."""
        known = self.codes.get(name)
        if known is None:
            known = self.codes[name] = self._compile(name)
        if isinstance(known, SpecintError | SyntaxError):
            raise known
        return known

    def _compile(self, name: str) -> ModuleCode | SpecintError | SyntaxError:
        added = self.added.get(name)
        file = SourceFile.at(f"{name.replace('.', '/')}.py") if added is not None else None
        if file is None and self.members(name) is None:
            file = self.tree.find(name)
        if file is None:
            code = ModuleCode(name, "", False)
            code.body = lambda f: None
            return code
        try:
            text = added if added is not None else decode(self.tree.read(file), file.path)
            if len(text) > LONGEST_TEXT:
                raise SpecintError("too long to be evaluated", file.path)
            parsed, bodies = _parsed(text)
        except SpecintError as error:
            return error
        except Unparsable as error:
            return SyntaxError(error.what, (file.path, error.line, error.column, None))
        self.texts[name] = text
        future = any(
            isinstance(node, ast.ImportFrom)
            and node.module == "__future__"
            and any(alias.name == "annotations" for alias in node.names)
            for node in parsed.body[:8]
        )
        code = ModuleCode(name, file.path, future)
        code.text, code.bodies = text, bodies
        try:
            code.body = compile_block(parsed.body, Context(code, code.scope))
        except (SyntaxError, RecursionError) as error:
            return SyntaxError(str(error))
        return code

    def load(self, it: Interpreter, name: str) -> Module | None:
        """A module, evaluated; None if the tree has none of that name."""
        module = it.loaded.get(name)
        if module is not None and module.state != "new":
            return module
        where = self.where(name)
        if where is None:
            return None
        parent, _, last = name.rpartition(".")
        above = self.load(it, parent) if parent else None
        module = it.loaded.get(name)  # the package may have imported it
        if module is not None and module.state != "new":
            return module
        if module is None:
            module = Module(name, where[0], where[1])
            it.touch(it.loaded)
            it.loaded[name] = module
        if above is not None and last not in above.names:
            it.touch(above.names)
            above.names[last] = module
        self._run(it, module)
        return module

    def _run(self, it: Interpreter, module: Module) -> None:
        name = module.name
        try:
            code = self.code(name)
        except SpecintError as error:
            del it.loaded[name]
            raise Raised(Unknown(str(error)), module.file, 1) from None
        except SyntaxError as error:
            del it.loaded[name]
            raise Raised(SyntaxError(error.msg or str(error)), module.file, error.lineno or 1) from None
        assert code is not None
        assert code.body is not None
        module.state = "running"
        it.order.append(name)
        frame = Frame(it, code.file, module.names, module.names, None)
        it.budget.depth += 1
        if it.budget.depth > bounds.DEEPEST:
            it.budget.depth -= 1
            raise bounds.ExhaustedError("imports too deep")
        it.stack.append(frame)
        it.importing += 1
        try:
            code.body(frame)
        except Raised as raised:
            if not raised.line:
                raised.file, raised.line = frame.file, frame.line
            it.loaded.pop(name, None)
            parent, _, last = name.rpartition(".")
            if parent in it.loaded and it.loaded[parent].names.get(last) is module:
                del it.loaded[parent].names[last]
            raise
        finally:
            it.stack.pop()
            it.importing -= 1
            it.budget.depth -= 1
        module.state = "done"

    # -- imports -------------------------------------------------------------------------------------------------------
    def import_module(self, it: Interpreter, name: str, f: Frame, top: bool, eager: bool = False) -> Any:
        """What `import a.b` binds: `a`, or `a.b` where it is renamed."""
        if self.where(name) is not None:
            found = self.load(it, name)
            return it.loaded[name.partition(".")[0]] if top else found
        if self.where(name.partition(".")[0]) is not None and not self.hidden(name):
            raise it.error(ModuleNotFoundError, f"No module named '{name}'", f)
        library = it.library.module(name.partition(".")[0] if top else name)
        if library is not None:
            return library
        it.outside.check_import(it, name, f, eager)
        return it.foreign(name.partition(".")[0] if top else name)

    def import_name(self, it: Interpreter, source: str, name: str, f: Frame, line: int, eager: bool) -> Any:
        """What `from source import name` binds."""
        if self.where(source) is None:
            if self.where(source.partition(".")[0]) is not None and not self.hidden(source):
                raise it.error(ModuleNotFoundError, f"No module named '{source}'", f)
            library = it.library.module(source)
            if library is not None:
                return it.library.member(it, library, source, name)
            it.outside.check_import(it, f"{source}.{name}", f, eager)
            return it.foreign(f"{source}.{name}")
        imported = ImportedName(source, name, f.file, line)
        if eager or self._for_its_effect(f, source, name):
            f.line = line
            return self.value_of(it, imported)
        return imported

    def _for_its_effect(self, f: Frame, source: str, name: str) -> bool:
        """A module that is imported and never named again is imported for what it does."""
        if self.where(f"{source}.{name}") is None:
            return False
        module = f.globals.get("__name__", "")
        if (module, name) not in self._named_once:
            text = self.texts.get(module, "")
            named = text.count(name) <= 1 or len(re.findall(rf"\b{re.escape(name)}\b", text)) <= 1
            self._named_once[module, name] = named
        return self._named_once[module, name]

    def names_class(self, imported: ImportedName) -> bool:
        """Whether an import that was left for later names a class, by the text of its module or of the one that this
        has it from."""
        module, name = imported.module, imported.name
        for _ in range(MOST_HOPS):
            text = self._text(module)
            if re.search(rf"^class {name}\b", text, re.MULTILINE):
                return True
            told = re.search(_IMPORTED.format(name=name), text, re.MULTILINE)
            if told is None:
                return False
            module = told[1]
        return False

    def _text(self, module: str) -> str:
        if module not in self.texts:
            self.texts[module] = ""
            if self.where(module) is not None and module not in self.added and self.members(module) is None:
                file = self.tree.find(module)
                try:
                    self.texts[module] = decode(self.tree.read(file), file.path) if file is not None else ""
                except SpecintError:
                    pass  # said when it is used
        return self.texts[module]

    def value_of(self, it: Interpreter, imported: ImportedName) -> Any:
        """The value of an import that was left for later."""
        module = self.load(it, imported.module)
        if module is None:
            raise Raised(ModuleNotFoundError(f"No module named '{imported.module}'"), imported.file, imported.line)
        value = module.names.get(imported.name, MISSING)
        if value is not MISSING and type(value) is not ImportedName:
            return value
        try:
            return self.attribute(it, module, imported.name)
        except Raised as raised:
            if isinstance(raised.value, AttributeError) and not raised.line:
                text = f"cannot import name '{imported.name}' from '{imported.module}'"
                raise Raised(ImportError(text, name=imported.module), imported.file, imported.line) from None
            raise

    def attribute(self, it: Interpreter, module: Module, name: str) -> Any:
        """`module.name`: its namespace, a module below it, its own `__getattr__`."""
        if module.state == "new":
            self.load(it, module.name)
        value = module.names.get(name, MISSING)
        if value is not MISSING:
            return it.used(module.names, name, value) if type(value) is ImportedName else value
        if name == "__dict__":
            return module.names
        own_members = self.members(module.name)
        if own_members is not None:
            return own_members(it, name)
        if module.is_package:
            if name == "__path__":
                return [module.file.rpartition("/")[0] or module.name.replace(".", "/")]
            if self.where(f"{module.name}.{name}") is not None:
                return self.load(it, f"{module.name}.{name}")
            if self.hidden(f"{module.name}.{name}"):
                return it.foreign(f"{module.name}.{name}")
        own = module.names.get("__getattr__")
        if own is not None and not name.startswith("__"):
            return it.call(own, [name], {})
        if name == "__spec__":
            return Unknown(f"{module.name}.__spec__")
        raise Raised(AttributeError(f"module '{module.name}' has no attribute '{name}'"))

    def star_names(self, it: Interpreter, source: str, f: Frame, line: int) -> dict[str, Any]:
        """What `from source import *` binds."""
        module = self.load(it, source)
        if module is None:
            library = it.library.module(source)
            if library is not None:
                return {name: it.library.member(it, library, source, name) for name in it.library.names(source)}
            it.outside.check_import(it, source, f)
            it.lost(Unknown(f"from {source} import *"))
            return {}
        listed = module.names.get("__all__")
        if isinstance(listed, list | tuple):
            return {name: it.module_attribute(module, name) for name in listed if isinstance(name, str)}
        return {name: value for name, value in module.names.items() if not name.startswith("_")}


def builtin(name: str, run: Any) -> Builtin:
    """A function that specint provides."""
    return Builtin(name, run)
