"""Launches that nobody wrote: models x drafts x flags, drawn from a seed.

The flags are those of SGLang's own parser, as the release that is asked has it, so that a new release brings its own.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from specint.execution.files import Files
from specint.execution.library.parser import Parser
from specint.execution.stack import with_deep_stack
from specint.launch.command import Command, located
from specint.launch.declared import declared
from specint.launch.machine import machine_named
from specint.launch.setting import Setting
from tests.launch.checkpoints import DRAFTS, TARGETS, Config, damaged

# Where the decisions are; any other flag comes now and then.
CORE = re.compile(
    r"^--(tensor|data-par|pipeline|expert-par|moe|attention|prefill-att|decode-att|page-size|mem-frac|dtype|quant|kv-cache"
    r"|max-run|chunked|disable-(cuda|radix|overlap)|enable-(dp|hier|mixed|multi|determ|two|single|eplb|torch|lora|mem)"
    r"|disagg|mamba|linear|dsa|nsa|hicache|ep-|deepep|load-format|context|swa|cuda-graph|schedule|device|model-impl"
    r"|is-emb|fp[48]|grammar|json-model)"
)
# What is read from a file, listens somewhere, ends the process or says where a model is.
LEFT_OUT = re.compile(
    r"path|config$|-file$|host|port|addr|folder|dir$|url|key|socket|sigquit|revision|ssl|checksum|numa|ib-device|gpu-id"
    r"|speculative-algorithm|node-rank|random-seed|served|download|watchdog|help"
)
WHOLE = ["0", "1", "2", "3", "4", "8", "16", "64", "100", "1000", "-1"]
BROKEN = ["0.0", "0.3", "0.5", "0.85", "1.0", "1.5", "-1.0"]
TEXTS = {
    "--device": ["cuda", "cpu"],
    "--model-impl": ["auto", "sglang", "transformers"],
    "--json-model-override-args": ["{}", '{"num_hidden_layers": 4}', '{"architectures": ["LlamaForCausalLM"]}', "{bad"],
    "--speculative-draft-attention-backend": ["fa3", "triton", "nonsense"],
}
ALGORITHMS = ["EAGLE", "EAGLE3", "NEXTN", "STANDALONE", "NGRAM", "DFLASH"]
SIZES = [(3, 1, 4), (3, 1, 4), (5, 8, 32), (3, 4, 16), (1, 1, 2), (4, 1, 8), (2, 2, 3)]


class Launch(NamedTuple):
    """One of them, and its models' folders."""

    name: str
    argv: tuple[str, ...]

    def command(self, folder: Path) -> Command:
        """With the folders of the models as they lie."""
        return located(Command(tuple(word.replace("{models}", str(folder)) for word in self.argv)), folder)


def options(setting: Setting) -> list[Any]:
    """The options of SGLang's parser, filled by reading it."""

    def fill() -> Parser:
        it = setting.interpreter(machine_named("h200"), Files(), {})
        module, cls, name = f"{setting.package}.{declared()['entry']['parser']['functions'][0]}".rsplit(".", 2)
        parser = Parser()
        it.call(it.get_attribute(it.module_attribute(it.module(module), cls), name), [parser], {})
        return parser

    return [one for one in with_deep_stack(fill)._actions if one.option_strings]


def launches(seed: int, number: int, parser: Sequence[Any], folder: Path) -> Iterator[Launch]:
    """That many launches; the configurations that they name are written below the folder."""
    draw = random.Random(seed)
    usual = [one for one in parser if not any(LEFT_OUT.search(flag) for flag in one.option_strings)]
    core = [one for one in usual if any(CORE.search(flag) for flag in one.option_strings)]
    speculative = [one for one in usual if one.option_strings[0].startswith("--speculative")]
    for n in range(number):
        name = f"{seed}-{n:03}"
        argv = ["--model-path", _written(draw, folder, name, TARGETS)]
        if draw.random() < 0.5:
            argv.append("--trust-remote-code")
        algorithm = draw.choice(ALGORITHMS) if draw.random() < 0.75 else None
        if algorithm is not None:
            argv += ["--speculative-algorithm", algorithm]
            alone = {"NEXTN": 0.7, "EAGLE": 0.4, "NGRAM": 0.9}.get(algorithm, 0.05)
            if draw.random() >= alone:
                argv += ["--speculative-draft-model-path", _written(draw, folder, f"{name}-draft", DRAFTS)]
            if draw.random() < 0.6:
                flags = ("--speculative-num-steps", "--speculative-eagle-topk", "--speculative-num-draft-tokens")
                argv += [word for pair in zip(flags, map(str, draw.choice(SIZES)), strict=True) for word in pair]
        if draw.random() < 0.6:
            argv += ["--tp", draw.choice(["1", "2", "4", "8", "8", "16"])]
        if draw.random() < 0.2:
            argv += ["--dp", draw.choice(["2", "8"]), *(["--enable-dp-attention"] if draw.random() < 0.7 else [])]
        drawn = [draw.choice(core) for _ in range(draw.choice([0, 0, 1, 1, 2, 3]))]
        drawn += [draw.choice(speculative)] if algorithm and draw.random() < 0.3 else []
        drawn += [draw.choice(usual)] if draw.random() < 0.2 else []
        for option in drawn:
            argv += _given(draw, option)
        yield Launch(name, tuple(argv))


def _written(draw: random.Random, folder: Path, name: str, models: dict[str, Config]) -> str:
    """A configuration's folder, now and then of one that is damaged or of the other side."""
    if draw.random() < 0.04:
        models = TARGETS if models is DRAFTS else DRAFTS
    chosen = draw.choice(sorted(models))
    config = models[chosen]
    if draw.random() < 0.25:
        chosen, config = name, damaged(config, draw)
    place = folder / chosen
    place.mkdir(parents=True, exist_ok=True)
    (place / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return f"{{models}}/{chosen}"


def _given(draw: random.Random, option: Any) -> list[str]:
    """An option with a value of its type, or one that it doesn't take; nothing where none is known."""
    flag = draw.choice(option.option_strings)
    if option.nargs == 0:
        return [flag]
    many = draw.choice([1, 2]) if option.nargs in ("+", "*") else 1
    if option.choices:
        return [flag, *(str(draw.choice(list(option.choices))) for _ in range(many))]
    kind = getattr(option.type, "__name__", "")
    values = {"int": WHOLE, "float": BROKEN}.get(kind, TEXTS.get(option.option_strings[0], []))
    sign = draw.random() < 0.3 and many == 1 and flag.startswith("--")
    if not values:
        return []
    drawn = [draw.choice(values) for _ in range(many)]
    return [f"{flag}={drawn[0]}"] if sign else [flag, *drawn]
