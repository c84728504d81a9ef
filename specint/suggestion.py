"""What a user may have meant by a name that doesn't exist."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str], most: int = 3) -> str:
    """`did you mean A, B or C?`, or "" where nothing is near. Letter case doesn't count."""
    names = near(word, known, most)
    if not names:
        return ""
    *front, last = names
    return f"did you mean {', '.join(front)} or {last}?" if front else f"did you mean {last}?"


def near(word: str, known: Iterable[str], most: int = 3, cutoff: float = 0.6) -> list[str]:
    """The known names nearest to `word`, nearest first; one that contains it counts as near. `cutoff` is difflib's."""
    import difflib  # only where something went wrong

    spelled: dict[str, str] = {}
    for name in known:
        spelled.setdefault(name.lower(), name)
    lower = word.lower()
    found = difflib.get_close_matches(lower, spelled, n=most, cutoff=cutoff)
    found += sorted((name for name in spelled if len(lower) > 2 and lower in name and name not in found), key=len)
    return [spelled[name] for name in found[:most]]
