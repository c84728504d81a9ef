"""The examples below every `--help`; a test parses each of them, so that none names an option that is gone."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "preflight": (
        "specint preflight --sglang 0.5.9 --gpu h200 -- python -m sglang.launch_server --model-path ./Kimi-K2.5 --tp 8",
        "specint preflight --sglang 0.5.9 --against 0.5.23 --gpu h200 -- serve.sh",
        "specint preflight --launches launches.jsonl --gpu h200,b200 --format json",
    ),
    "report": (
        "specint report --sglang 0.5.23",
        "specint report --sglang 0.5.23 -o report.html",
        "specint report --sglang 0.5.23 --compare 0.5.9",
        'specint report --algorithm EAGLE3 --format markdown >> "$GITHUB_STEP_SUMMARY"',
    ),
    "check": (
        "specint check --sglang 0.5.9",
        "specint check my_models/ --sglang 0.5.23 --format github",
        "specint check --model KimiK25ForConditionalGeneration --algorithm EAGLE3 --sglang 0.5.9",
        "specint check --baseline .specint-baseline --also sarif:specint.sarif",
    ),
    "fix": (
        "specint fix my_models/kumo.py --sglang 0.5.23 --diff",
        "specint fix --sglang python/sglang --diff | git apply",
    ),
    "explain": (
        "specint explain KimiVLForConditionalGeneration --algorithm EAGLE3 --sglang 0.5.23",
        "specint explain LlamaForCausalLM --draft LlamaForCausalLMEagle3 --algorithm EAGLE3",
        "specint explain spec-missing-delegation",
    ),
    "graph": (
        "specint graph KimiVLForConditionalGeneration --sglang 0.5.23",
        "specint graph InternVLChatModel --format svg -o internvl.svg",
        "specint graph DeepseekV3ForCausalLM --format dot | dot -Tpng -o deepseek.png",
        "specint graph --inner-of DeepseekV3ForCausalLM",
    ),
    "smoke": (
        "specint smoke KimiVLForConditionalGeneration --sglang 0.5.23 --algorithm EAGLE3",
        "specint smoke --all --device meta --format json",
    ),
    "contract": (
        "specint contract --sglang 0.5.23 --algorithm EAGLE3",
        "specint contract --diff 0.5.9 0.5.23 my_models/",
    ),
    "lsp": ("specint lsp",),
    "rules": ("specint rules", "specint rules --format markdown"),
    "rule": ("specint rule spec-missing-delegation", "specint rule --all --format markdown"),
    "config": ("specint config", "specint config --format json"),
    "init": ("specint init", "specint init other/pyproject.toml"),
    "schema": ("specint schema config", "specint schema report -o report.schema.json"),
    "cache": ("specint cache size", "specint cache clean --releases"),
}


def examples(command: str) -> str:
    """The epilog of a command."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in EXAMPLES[command])])
