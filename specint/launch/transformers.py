"""Transformers' configuration classes: the text of the release that SGLang pins, evaluated like SGLang's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from specint.errors import SpecintError
from specint.execution.bounds import HaltedError
from specint.execution.interpreter import Interpreter
from specint.execution.modules import Modules
from specint.execution.values import Builtin, Function, Raised, Unknown
from specint.launch import strict
from specint.source.tree import Tree, content_digest

PACKAGE = "transformers"
BASES = frozenset(("PreTrainedConfig", "PretrainedConfig"))
"""The base class of configurations, under both of its names."""
HETEROGENEOUS = "_heterogeneity_spec"
"""What a configuration holds whose layers differ, since 5.12."""
READ = re.compile(
    r"transformers(\.configuration_utils|\.modeling_rope_utils|\.utils\.type_validators|\.models|\.models\.auto"
    r"|\.integrations(\.heterogeneity.*)?|\.models\.auto\.(configuration_auto|auto_mappings|modeling_auto)"
    r"|\.modeling_utils|\.models\.\w+(\.(configuration|modeling)_\w+)?)?"
)
"""The modules whose text is evaluated: configurations, the tables that lead to them, and (where SGLang has
none of its own for an architecture) the model's classes. All others stay outside."""


def is_hidden(name: str) -> bool:
    """Whether a module of Transformers is left outside."""
    return name.startswith(f"{PACKAGE}.") and READ.fullmatch(name) is None


class Library:
    """The names that `transformers` itself offers, found by text."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.configurations: dict[str, str] | None = None
        self.listed: dict[str, str] | None = None
        self.offered: dict[str, str | None] = {}

    def member(self, it: Interpreter, name: str) -> Any:
        """`transformers.name`."""
        if name in ("PretrainedConfig", "PreTrainedConfig"):
            module = it.module(f"{PACKAGE}.configuration_utils")
            found = module.names.get(name)
            return found if found is not None else it.module_attribute(module, name)
        if name in ("AutoConfig", "CONFIG_MAPPING"):
            return it.module_attribute(it.module(f"{PACKAGE}.models.auto.configuration_auto"), name)
        if name.endswith("Config") and (found_in := self.configuration(name)):
            return it.module_attribute(it.module(found_in), name)
        if name in ("models", "configuration_utils", "modeling_rope_utils"):
            return it.module(f"{PACKAGE}.{name}")
        if name == "__version__":
            return it.foreign("transformers.__version__")
        if name.startswith("__") or not name.isidentifier():
            raise Raised(AttributeError(f"module {PACKAGE!r} has no attribute {name!r}"))
        if name[0].isupper():
            place = self.place(name)
            if place is None:
                raise Raised(AttributeError(f"module {PACKAGE} has no attribute {name}"))
            if ".modeling_" in place and it.modules.where(place) is not None:
                return it.module_attribute(it.module(place), name)
        return it.foreign(f"{PACKAGE}.{name}")

    def configuration(self, name: str) -> str | None:
        """The module that defines a configuration class."""
        if self.configurations is None:
            self.configurations = {}
            for folder in self.tree.folder(f"{PACKAGE}/models").folders:
                for stem in self.tree.folder(f"{PACKAGE}/models/{folder}").files:
                    if stem.startswith("configuration_"):
                        key = stem.removeprefix("configuration_").replace("_", "")
                        self.configurations.setdefault(key, f"{PACKAGE}.models.{folder}.{stem}")
        key = name.removesuffix("Config").lower()
        # A class is named after its module, sub-configurations with a word more.
        while key and key not in self.configurations:
            key = key[:-1]
        module = self.configurations.get(key) if len(key) > 2 else None
        if module is None:
            return None
        text = self._text(module)
        return module if re.search(rf"^class {re.escape(name)}\b", text, re.MULTILINE) else None

    def place(self, name: str) -> str | None:
        """The module that lists a class which `transformers` offers under its own name; None where there is none."""
        if name not in self.offered:
            self.offered[name] = self._near(name) or self.exported().get(name)
        return self.offered[name]

    def _near(self, name: str) -> str | None:
        """As `place`, where a class is called after its folder, or listed with the package: most are."""
        if self.listed is not None:
            return None
        plain = _plain(name)
        for folder in self._folders(f"{PACKAGE}/models"):
            last = _plain(folder.rpartition("/")[2])
            if last == "auto" or plain.startswith(last):
                listed = self._listed_in(folder)
                if name in listed:
                    return listed[name]
        return PACKAGE if f'"{name}"' in self._text(PACKAGE) else None

    def exported(self) -> dict[str, str]:
        """The classes that `transformers` offers under its own name, each with the module that lists it.

        Transformers makes the list from `__all__` of the models' modules; what else there is stands in its `__init__`.
        """
        if self.listed is None:
            self.listed = dict.fromkeys(re.findall(r'"([A-Z]\w*)"', self._text(PACKAGE)), PACKAGE)
            for folder in self._folders(f"{PACKAGE}/models"):
                self.listed |= self._listed_in(folder)
        return self.listed

    def _listed_in(self, folder: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for stem in self.tree.folder(folder).files:
            if stem.startswith("modular_"):
                continue  # what the others are made of
            module = f"{folder}/{stem}".replace("/", ".")
            _, listing, names = self._text(module).rpartition("\n__all__ = ")
            if listing:
                found |= dict.fromkeys(re.findall(r'"([A-Z]\w*)"', names), module)
        return found

    def _folders(self, above: str) -> Iterator[str]:
        for folder in self.tree.folder(above).folders:
            yield f"{above}/{folder}"
            yield from self._folders(f"{above}/{folder}")

    def _text(self, module: str) -> str:
        file = self.tree.find(module)
        if file is None:
            return ""
        try:
            return self.tree.read(file).decode("utf-8", errors="replace")
        except SpecintError:
            return ""


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def install(modules: Modules, library: Library) -> None:
    """Let `import transformers` find the configurations' text."""

    def members(name: str) -> Callable[[Interpreter, str], Any] | None:
        if name == PACKAGE:
            return library.member
        if name == f"{PACKAGE}.integrations":
            return lambda it, member: _below(it, name, member)
        if name.startswith(f"{PACKAGE}.models") and name.count(".") < 3 and READ.fullmatch(name):
            return lambda it, member: _below(it, name, member)
        return None

    modules.members = members


def _below(it: Interpreter, package: str, name: str) -> Any:
    full = f"{package}.{name}"
    if it.modules.where(full) is not None:
        return it.modules.load(it, full)
    if package.endswith(".auto") and name in ("AutoConfig", "CONFIG_MAPPING"):
        return it.module_attribute(it.module(f"{package}.configuration_auto"), name)
    if name.endswith("Config"):
        for stem in it.tree.folder(package.replace(".", "/")).files:
            if stem.startswith("configuration_"):
                return it.module_attribute(it.module(f"{package}.{stem}"), name)
    return it.foreign(full)


# -- what the configurations ask of the rest of Transformers ----------------------------------------------------------
FACTS: dict[str, Any] = {
    "transformers.utils.is_remote_url()": False,
    "transformers.utils.extract_commit_hash()": None,
    "transformers.utils.is_torch_available()": True,
    "transformers.utils.CONFIG_NAME": "config.json",
    "transformers.utils.generic.is_timm_config_dict()": False,
    "transformers.modeling_gguf_pytorch_utils.load_gguf_checkpoint": None,
    "transformers.utils.resolve_revision()": "main",
    "transformers.utils.hub.resolve_revision()": "main",
    "hasattr transformers.utils.versions": True,
}


def _cached_file(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """The file of a checkpoint that lies in a folder; nothing is fetched."""
    folder, name = arguments[0], arguments[1]
    if isinstance(folder, Unknown) or isinstance(name, Unknown):
        return Unknown("a checkpoint's file")
    path = f"{str(folder).rstrip('/')}/{name}"
    if it.files.is_file(path):
        return path
    if it.files.is_there(path):
        raise HaltedError(f"{path} is no file of that folder: a link that leads out of it, a folder or a pipe")
    if it.files.is_folder(str(folder)):
        if keywords.get("_raise_exceptions_for_missing_entries") is False:
            return None
        raise Raised(OSError(f"{folder} does not appear to have a file named {name}."))
    if it.files.known(str(folder)):
        raise Raised(OSError(f"{folder} is no folder"))
    text = f"{folder} is no folder here: fetch its {name} into one (huggingface-cli download) and name that"
    raise HaltedError(text)


def _trust(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    trusted, name, has_local, has_remote = arguments[:4]
    if trusted is None:
        trusted = False if has_local else None
    if has_remote and not has_local and not trusted:
        text = (
            f"The repository {name} contains custom code which must be executed to correctly load the model. "
            "Pass trust_remote_code to allow it."
        )
        raise Raised(ValueError(text))
    if trusted and has_local and not any(name.endswith(".py") for name in it.files.names(str(name))):
        it.logged.append(
            ("assumed", f"{name}: its own configuration class is not there, the one of this name stands for it", "", 0)
        )
        return False
    return bool(trusted)


BAG = """
from transformers import PretrainedConfig

class KeysOfACheckpoint(PretrainedConfig):
    def __init__(self, **kwargs):
        for key in list(kwargs):
            packed = "quant" in key or "compression" in key
            if key.endswith("_config") and isinstance(kwargs[key], dict) and not packed:
                kwargs[key] = KeysOfACheckpoint(**kwargs[key])
        super().__init__(**kwargs)
"""


def _dynamic(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """A checkpoint's own class: its text is evaluated if it is in the folder, else the keys stand for it."""
    reference, folder = str(arguments[0]).rpartition("--")[2], str(arguments[1])
    stem, _, name = reference.rpartition(".")
    if it.files.is_file(f"{folder}/{stem}.py"):
        package = f"checkpoint_{content_digest(folder.encode())}"
        texts = {}
        for one in it.files.names(folder):
            if one.endswith(".py"):
                texts[f"{package}.{one[:-3]}"] = it.files.read(f"{folder}/{one}").decode("utf-8", errors="replace")
        it.modules.add(texts)
        return it.module_attribute(it.module(f"{package}.{stem}"), name)
    if not reference.endswith("Config"):
        return Unknown(f"the checkpoint's own class {name}")
    it.logged.append(("assumed", f"{folder}: its own class {name} is not there, its keys stand for it", "", 0))
    it.modules.add({"keys_of_a_checkpoint": BAG})
    return it.module_attribute(it.module("keys_of_a_checkpoint"), "KeysOfACheckpoint")


def base_name(it: Interpreter) -> str:
    """The name of the base class of configurations in this Transformers."""
    names = it.module(f"{PACKAGE}.configuration_utils").names
    return "PreTrainedConfig" if "PreTrainedConfig" in names else "PretrainedConfig"


def _itself(_it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return (
        arguments[0] if arguments and not isinstance(arguments[0], str) else Builtin("decorator", lambda i, a, k: a[0])
    )


def _generation(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    folder = arguments[0] if arguments else None
    if isinstance(folder, str) and it.files.known(folder) and not it.files.is_file(f"{folder}/generation_config.json"):
        raise Raised(OSError(f"{folder} does not appear to have a file named generation_config.json."))
    return Unknown("the generation configuration")


def _generation_defaults(_it: Interpreter, _arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    names = (
        "max_length min_length do_sample early_stopping num_beams num_beam_groups diversity_penalty temperature top_k "
        "top_p "
        "typical_p repetition_penalty length_penalty no_repeat_ngram_size encoder_no_repeat_ngram_size bad_words_ids "
        "num_return_sequences output_scores return_dict_in_generate forced_bos_token_id forced_eos_token_id "
        "remove_invalid_values exponential_decay_length_penalty suppress_tokens begin_suppress_tokens"
    )
    return dict.fromkeys(names.split())


CALLS: dict[str, Callable[..., Any]] = {
    "transformers.utils.cached_file": _cached_file,
    "transformers.utils.hub.cached_file": _cached_file,
    "transformers.dynamic_module_utils.resolve_trust_remote_code": _trust,
    "transformers.dynamic_module_utils.get_class_from_dynamic_module": _dynamic,
    "transformers.GenerationConfig.from_pretrained": _generation,
    "transformers.generation.GenerationConfig._get_default_generation_params": _generation_defaults,
    "transformers.generation.configuration_utils.GenerationConfig._get_default_generation_params": _generation_defaults,
    "huggingface_hub.dataclasses.strict": strict.strict,
    "huggingface_hub.dataclasses.as_validated_field": strict.as_validated_field,
    "huggingface_hub.dataclasses.validated_field": strict.validated_field,
    "transformers.utils.auto_docstring": _itself,
    "transformers.utils.copy_func": _itself,
    "transformers.utils.import_utils.requires": _itself,
}


def fast_hooks(modules: Modules) -> dict[str, Callable[..., Any]]:
    """Methods of the base class that run for every attribute, in specint's own words; the names say which."""
    from specint.execution.attributes import NOTHING, in_order, look_up, plain

    del modules

    def mapped(cls: Any, name: str) -> str:
        table = look_up(cls, "attribute_map")[1]
        return table.get(name, name) if isinstance(table, dict) else name

    def get(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        obj, name = arguments
        name = mapped(obj.cls, name)
        if HETEROGENEOUS in obj.attributes:
            # Layers that differ: the class above has its own say on what may be read (transformers.integrations).
            above = next((n for n, one in enumerate(obj.cls.order) if getattr(one, "name", "") in BASES), 0) + 1
            kind, own = in_order(obj.cls.order, "__getattribute__", above)
            if kind != NOTHING and type(own) is Function:
                return it.call(own, [obj, name], {})
        try:
            return plain(it, obj, name)
        except Raised as raised:
            if not raised.line:  # it comes up in this method, which is Transformers'
                raised.file, raised.line = PACKAGE, -1
            raise

    def put(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> None:
        obj, name, value = arguments
        it.set_plain(obj, mapped(obj.cls, name), value)

    found: dict[str, Callable[..., Any]] = {}
    for base in sorted(BASES):
        found[f"{PACKAGE}.configuration_utils.{base}.__getattribute__"] = get
        found[f"{PACKAGE}.configuration_utils.{base}.__setattr__"] = put
    return found
