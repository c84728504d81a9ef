"""Why classes were not built, by cause: the table in docs/smoke.md.

    specint smoke --all --device cpu --python ENV --format json | python tests/smoke/causes.py

A cause is told by what the reason says; where a class fails for several, the first is what its constructor came to.
"""

from __future__ import annotations

import collections
import json
import re
import sys

CAUSES = (
    ("another package, or another release of one", r"can't be imported|No module named|cannot import name|is required|"
     r"requires the timm|install timm|registry has no|name 'ms'"),
    ("only on a GPU", r"CUDA"),
    ("only in bfloat16", r"bfloat16"),
    ("SGLang builds another class", r"SGLang builds"),
    ("the class fails in this release whatever it is given", r"expected 3\)|keyword argument 'start_layer'|"
     r"no attribute 'post_load_weights'"),
    ("a tower", r"[Vv]ision|class_name|Conv2d|CLIP|allocate memory|MemoryError|_attn_implementation"),
    ("the configuration class refuses its own values", r"Validation|unknown kwargs|must be a|configs/|config\.py"),
    ("a key's value has another shape", r"NoneType|subscriptable|iterable|'list' object|'dict' object|"
     r"IndexError|KeyError|rope|RoPE|mapping"),
    ("a key that nothing says a value for", r"has no attribute|attempts"),
)  # fmt: skip


def cause(reason: str) -> str:
    """The first cause that a reason speaks of."""
    return next((name for name, pattern in CAUSES if re.search(pattern, reason)), "a value that the class refuses")


def main() -> int:
    """Print how many there are of each cause, and which."""
    results = json.load(sys.stdin)["results"]
    found = collections.defaultdict(list)
    for one in results:
        if not one["built"]:
            found[cause(one["reason"] or "")].append(one["name"])
    print(f"{sum(one['built'] for one in results)} of {len(results)} are built\n")  # noqa: T201 - a script
    print("| not built for | classes | |\n|---|---|---|")  # noqa: T201
    for name, classes in sorted(found.items(), key=lambda pair: -len(pair[1])):
        print(f"| {name} | {len(classes)} | {', '.join(sorted(classes))} |")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
