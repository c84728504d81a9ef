"""re, json, string, textwrap, and the comparison of version numbers."""

from __future__ import annotations

import base64
import binascii
import hashlib
import html
import ipaddress
import json
import numbers
import re
import shlex
import string
import textwrap
import urllib.parse
from typing import TYPE_CHECKING, Any

from specint.execution import bounds
from specint.execution.library.language import own
from specint.execution.natives import call_native, plainly
from specint.execution.records import record_of
from specint.execution.values import PLAIN, Builtin, Class, Instance, Raised, Unknown

if TYPE_CHECKING:
    from specint.execution.interpreter import Interpreter
    from specint.execution.library import Library


def provide(library: Library, it: Interpreter) -> None:
    """Offer the modules of this part."""
    flags = {name: getattr(re, name) for name in dir(re) if name.isupper()}
    searching = {
        name: own(f"re.{name}", _searching(name))
        for name in ("match", "fullmatch", "search", "sub", "subn", "findall", "finditer", "split", "compile")
    }
    library.add(
        "re", {**flags, **searching, "escape": re.escape, "error": re.error, "Pattern": re.Pattern, "Match": re.Match}
    )
    library.add("regex", {**flags, **searching, "escape": re.escape})
    for name in ("json", "orjson"):
        library.add(
            name,
            {
                "loads": own("json.loads", _loads),
                "load": own("json.load", _load),
                "dumps": own("json.dumps", _dumps),
                "JSONDecodeError": json.JSONDecodeError,
                "dump": own("json.dump", _dump),
            },
        )
    library.add("json.decoder", {"JSONDecodeError": json.JSONDecodeError})
    library.add(
        "string", {name: getattr(string, name) for name in dir(string) if isinstance(getattr(string, name), str)}
    )
    wrapping = {name: own(f"textwrap.{name}", _wrapping(name)) for name in ("indent", "fill", "shorten")}
    library.add("textwrap", {"dedent": textwrap.dedent, **wrapping})
    library.add("shlex", {"split": shlex.split, "quote": shlex.quote, "join": shlex.join})
    library.add(
        "base64", {n: getattr(base64, n) for n in ("b64encode", "b64decode", "urlsafe_b64encode", "urlsafe_b64decode")}
    )
    library.add("binascii", {"Error": binascii.Error, "hexlify": binascii.hexlify})
    library.add("hashlib", {n: getattr(hashlib, n) for n in ("sha256", "md5", "sha1", "blake2b")})
    library.add(
        "ipaddress",
        {
            n: getattr(ipaddress, n)
            for n in ("ip_address", "ip_network", "IPv6Address", "IPv4Address", "AddressValueError")
        },
    )
    library.modules["ipaddress"] |= {n: own(n, _native(getattr(ipaddress, n))) for n in ("IPv6Address", "IPv4Address")}
    library.add(
        "urllib.parse",
        {
            n: getattr(urllib.parse, n)
            for n in ("urlparse", "quote", "unquote", "urlencode", "parse_qs", "urljoin", "urlsplit", "urlunparse")
        },
    )
    library.add("html", {"escape": html.escape, "unescape": html.unescape})
    library.add("numbers", {"Number": numbers.Number, "Integral": numbers.Integral, "Real": numbers.Real})
    version = _version_class(it)
    library.add("packaging.version", {"Version": version, "parse": version, "InvalidVersion": ValueError})
    library.add("packaging", {})


def _native(function: Any) -> Any:
    return lambda it, arguments, keywords: call_native(it, function, arguments, keywords)


# -- re ----------------------------------------------------------------------------------------------------------------
def _searching(name: str) -> Any:
    function = getattr(re, name)

    def run(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        arguments = [plainly(argument) for argument in arguments]
        pattern = arguments[0]
        if isinstance(pattern, Unknown):
            return Unknown(f"re.{name}({pattern.reason})")
        if not isinstance(pattern, re.Pattern) and len(pattern) > bounds.LONGEST_PATTERN:
            return Unknown("a regular expression that is too long")
        refused = bounds.too_much_matching(pattern, name, [*arguments[1:], *keywords.values()])
        if refused is not None:
            return Unknown(refused)
        return call_native(it, function, arguments, keywords)

    return run


def _wrapping(name: str) -> Any:
    function = getattr(textwrap, name)

    def run(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        texts = [len(one) for one in (*arguments, *keywords.values()) if isinstance(one, str)]
        # Each line, and each letter may be one, takes what is put before it.
        if sum(texts[1:]) * max(texts, default=0) > bounds.LONGEST:
            return Unknown(f"textwrap.{name}() of a text that is too long")
        return call_native(it, function, arguments, keywords)

    return run


# -- json --------------------------------------------------------------------------------------------------------------
def _loads(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    text = plainly(arguments[0])
    if isinstance(text, Unknown):
        return Unknown(f"json.loads({text.reason})")
    it.budget.built(len(text))
    try:
        return call_native(it, json.loads, [text], {})
    except bounds.ExhaustedError:
        latest = f" (read last: {it.files.latest})" if it.files.latest else ""
        raise bounds.HaltedError(f"JSON that is nested too deeply{latest}") from None


def _load(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if isinstance(arguments[0], Unknown):
        return Unknown(f"json.load({arguments[0].reason})")
    return _loads(it, [it.call(it.get_attribute(arguments[0], "read"), [], {})], keywords)


def _plain(it: Interpreter, value: Any, depth: int = 0) -> Any:
    if depth > 60:
        raise bounds.ExhaustedError("a structure that is too deep")
    it.step()
    value = plainly(value)
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, Unknown):
        raise _UnknownInsideError(value)
    if isinstance(value, Instance) and isinstance(value.payload, dict | list):
        value = value.payload
    if isinstance(value, dict):
        return {plainly(key): _plain(it, one, depth + 1) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(it, one, depth + 1) for one in value]
    if isinstance(value, Instance) and record_of(value):
        return {name: _plain(it, value.attributes.get(name), depth + 1) for name in record_of(value).names}  # type: ignore[union-attr]
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


class _UnknownInsideError(Exception):
    pass


def _dumps(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    options = {
        key: value for key, value in keywords.items() if key in ("indent", "sort_keys", "separators", "ensure_ascii")
    }
    if isinstance(options.get("indent"), int):
        options["indent"] = min(options["indent"], 8)
    try:
        plain = _plain(it, arguments[0])
        bounds.check_whole(it.budget, plain)
        return json.dumps(plain, **options)
    except _UnknownInsideError as error:
        return Unknown(f"json.dumps({error.args[0].reason})")
    except TypeError as error:
        raise Raised(error) from None


def _dump(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return it.call(it.get_attribute(arguments[1], "write"), [_dumps(it, arguments[:1], keywords)], {})


# -- versions ----------------------------------------------------------------------------------------------------------
_VERSION = re.compile(
    r"v?(?:(\d+)!)?(\d+(?:\.\d+)*)[-_.]?(a|b|rc|alpha|beta|c|pre)?[-_.]?(\d*)(?:[-_.]?post(\d*))?(?:[-_.]?dev(\d*))?(?:\+([\w.]+))?",
    re.I,
)


def version_key(text: str) -> tuple[Any, ...] | None:
    """What versions are compared by; None for what is none."""
    found = _VERSION.fullmatch(text.strip())
    if found is None or len(text) > 80:
        return None
    epoch, numbers_, kind, n, post, dev, local = found.groups()
    release = [int(part) for part in numbers_.split(".")]
    while len(release) > 1 and release[-1] == 0:
        release.pop()
    order = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "rc": 2, "pre": 2}
    before = (order[kind.lower()], int(n or 0)) if kind else ((3, 0) if dev is None or post is not None else (-1, 0))
    after = -1 if post is None else int(post or 0)
    last = float("inf") if dev is None else int(dev or 0)
    return int(epoch or 0), tuple(release), before, after, last, tuple((local or "").split(".") if local else ())


def _version_class(it: Interpreter) -> Class:
    cls = Class(it, "Version", [], {})
    cls.module, cls.order = "packaging.version", [cls, object]

    def initialise(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> None:
        obj, text = arguments[0], arguments[1]
        if isinstance(text, Unknown):
            obj.attributes["__unknown__"] = text
            return
        key = version_key(str(text))
        if key is None:
            raise Raised(ValueError(f"Invalid version: '{text}'"))
        numbers_ = [*key[1], 0, 0, 0]
        obj.attributes.update(
            key=key, text=str(text), release=key[1], major=numbers_[0], minor=numbers_[1], micro=numbers_[2]
        )
        obj.attributes["base_version"] = ".".join(map(str, [*key[1], *[0] * (3 - len(key[1]))]))
        obj.attributes.update(
            local=".".join(key[5]) or None, is_prerelease=key[2][0] < 3, is_devrelease=key[4] != float("inf")
        )
        obj.attributes.update(public=str(text).partition("+")[0], epoch=key[0], post=None, dev=None, pre=None)

    def ordered(operate: str) -> Builtin:
        def run(_it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
            left, right = arguments
            for one in arguments:
                if isinstance(one, Unknown):
                    return Unknown(one.reason)
                if isinstance(one, Instance) and "__unknown__" in one.attributes:
                    return Unknown(f"a version: {one.attributes['__unknown__'].reason}")
            if not isinstance(right, Instance) or "key" not in right.attributes:
                return NotImplemented
            return getattr(left.attributes["key"], operate)(right.attributes["key"])

        return Builtin(operate, run, binds=True)

    cls.names["__init__"] = Builtin("__init__", initialise, binds=True)
    for operate in ("__lt__", "__le__", "__gt__", "__ge__", "__eq__"):
        cls.names[operate] = ordered(operate)
    cls.names["__str__"] = Builtin("str", lambda it, a, k: a[0].attributes.get("text", ""), binds=True)
    cls.names["__hash__"] = Builtin("hash", lambda it, a, k: hash(a[0].attributes.get("text")), binds=True)
    return cls
