"""argparse: what evaluated code adds goes to a real parser, so that abbreviations and messages are argparse's own."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from specint.execution.natives import call_method, native_attribute
from specint.execution.values import Builtin, Class, Foreign, Instance, Raised, UndeterminedError, Unknown

if TYPE_CHECKING:
    from specint.execution.interpreter import Interpreter
    from specint.execution.library import Library


class CommandLineError(argparse.ArgumentError):
    """argparse has refused the command line."""


class Parser(argparse.ArgumentParser):
    """A real parser that neither prints nor ends the process."""

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        raise Raised(SystemExit(f"error: {message}"), "argparse", 2)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End, as `--help` does."""
        raise Raised(SystemExit(message or status), "argparse", status)

    def _print_message(self, message: str, file: Any = None) -> None:
        pass


OPTIONS = ("prog", "description", "epilog", "usage", "add_help", "allow_abbrev", "conflict_handler", "exit_on_error")


def make_parser(_it: Interpreter, _arguments: list[Any], keywords: dict[str, Any]) -> Parser:
    """`argparse.ArgumentParser(...)`. Arguments from files are not read."""
    options = {name: value for name, value in keywords.items() if name in OPTIONS and not isinstance(value, Unknown)}
    return Parser(**options)


MAKERS: dict[type, Callable[..., Any]] = {
    argparse.ArgumentParser: make_parser,
    argparse.Namespace: lambda it, a, k: argparse.Namespace(**k),
}


def provide(library: Library, it: Interpreter) -> None:
    """Offer argparse."""
    library.add(
        "argparse",
        {
            "ArgumentParser": argparse.ArgumentParser,
            "Namespace": argparse.Namespace,
            "Action": argparse.Action,
            "ArgumentTypeError": argparse.ArgumentTypeError,
            "ArgumentError": argparse.ArgumentError,
            "SUPPRESS": argparse.SUPPRESS,
            "REMAINDER": argparse.REMAINDER,
            "OPTIONAL": argparse.OPTIONAL,
            "ZERO_OR_MORE": argparse.ZERO_OR_MORE,
            "ONE_OR_MORE": argparse.ONE_OR_MORE,
            "BooleanOptionalAction": argparse.BooleanOptionalAction,
            **{
                name: Foreign(f"argparse.{name}")
                for name in (
                    "HelpFormatter",
                    "RawTextHelpFormatter",
                    "ArgumentDefaultsHelpFormatter",
                    "RawDescriptionHelpFormatter",
                )
            },
        },
    )
    for kind in (Parser, argparse._ArgumentGroup, argparse._MutuallyExclusiveGroup):
        library.kinds[kind] = _parser_attribute


def fill_like(parser: Any, filled: Parser) -> None:
    """Add the arguments of another parser."""
    for action in filled._actions:
        if not isinstance(action, argparse._HelpAction):
            parser._add_action(action)
    parser._defaults.update(filled._defaults)


def _parser_attribute(it: Interpreter, parser: Any, name: str) -> Any:
    if name == "add_argument":
        return Builtin(name, lambda i, a, k: _add_argument(i, parser, a, k))
    if name in ("parse_args", "parse_known_args"):
        return Builtin(name, lambda i, a, k: _parse(i, parser, name, a, k))
    if name in ("add_argument_group", "add_mutually_exclusive_group", "set_defaults", "get_default"):
        return Builtin(name, lambda i, a, k: call_method(i, native_attribute(i, parser, name), a, k))
    if name in ("print_help", "print_usage"):
        return Builtin(name, lambda i, a, k: None)
    if name in ("error", "exit"):
        return Builtin(name, lambda i, a, k: getattr(parser, name)(*a))
    if name in ("description", "prog", "epilog", "usage", "_actions", "_option_string_actions", "_defaults"):
        return getattr(parser, name)
    return Unknown(f"parser.{name}")


def _add_argument(it: Interpreter, parser: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    options = dict(keywords)
    for name in ("help", "metavar"):
        if isinstance(options.get(name), Unknown):
            options[name] = "?"
    if isinstance(options.get("choices"), Unknown):
        it.lost(options.pop("choices"))
    if isinstance(options.get("help"), str):
        options["help"] = options["help"].replace("%", "%%")
    kind = options.get("type")
    if kind is not None and not isinstance(kind, type):
        options["type"] = converter(it, kind)
    action = options.get("action")
    if isinstance(action, Class):
        options["action"] = _action_class(it, action)
    elif isinstance(action, Foreign):
        options.pop("action")
    try:
        return parser.add_argument(*arguments, **options)
    except (TypeError, ValueError, argparse.ArgumentError) as error:
        raise Raised(error) from None


def converter(it: Interpreter, function: Any) -> Callable[[str], Any]:
    """A `type=` of the tree's own as argparse calls it."""

    def convert(text: str) -> Any:
        try:
            value = it.call(function, [text], {})
        except Raised as raised:
            # argparse turns these into its own message; all others are the tree's.
            if isinstance(raised.value, ValueError | TypeError | argparse.ArgumentTypeError):
                raise raised.value from None
            if isinstance(raised.value, Instance) and isinstance(raised.value.payload, ValueError | TypeError):
                raise raised.value.payload from None
            raise
        return value

    convert.__name__ = str(getattr(function, "name", "value"))
    return convert


def _action_class(it: Interpreter, cls: Class) -> Callable[..., argparse.Action]:
    def make(**options: Any) -> argparse.Action:
        obj = it.call(cls, [], options)
        action = obj.payload
        assert isinstance(action, TreeAction)
        for name in (
            "option_strings",
            "dest",
            "nargs",
            "const",
            "default",
            "type",
            "choices",
            "required",
            "help",
            "metavar",
        ):
            if name in obj.attributes:
                value = obj.attributes[name]
                if name == "type" and value is not None and not isinstance(value, type):
                    value = converter(it, value)
                setattr(action, name, value)
        return action

    return make


class TreeAction(argparse.Action):
    """An action whose class is in the tree."""

    def __init__(self, it: Interpreter, cls: Class, obj: Instance) -> None:
        super().__init__([], "")
        self.it = it
        self.cls = cls
        self.obj = obj

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        """Run the tree's own `__call__`."""
        self.it.call(self.it.get_attribute(self.obj, "__call__"), [parser, namespace, values, option_string], {})

    def initialise(self, obj: Instance, keywords: dict[str, Any]) -> None:
        """`argparse.Action.__init__` on the tree's object."""
        plain: dict[str, Any] = {
            "option_strings": [],
            "dest": "",
            "nargs": None,
            "const": None,
            "default": None,
            "type": None,
            "choices": None,
            "required": False,
            "help": None,
            "metavar": None,
        }
        obj.attributes.update({**plain, **keywords})


def action_for(it: Interpreter, cls: Class, obj: Instance) -> TreeAction:
    """The real action behind an object of the tree."""
    return TreeAction(it, cls, obj)


def _parse(it: Interpreter, parser: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    given = arguments[0] if arguments else keywords.get("args")
    if given is None:
        given = list(it.library.modules["sys"]["argv"][1:])
    words = list(it.iterate(given))
    if any(isinstance(word, Unknown) for word in words):
        return Unknown("parsed arguments")
    namespace = arguments[1] if len(arguments) > 1 else keywords.get("namespace")
    try:
        found = getattr(parser, name)(words, namespace)
        it.parsed.append(found)
        return found
    except (UndeterminedError, Raised):
        raise
    except argparse.ArgumentError as error:
        raise Raised(SystemExit(f"error: {error}"), "argparse", 2) from None
