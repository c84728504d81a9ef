#!/usr/bin/env bash
# The smoke load on a machine with a GPU: what docs/smoke.md shows the output of.
#   tests/smoke/on_a_gpu.sh SGLANG...       each a release, a wheel or a folder
# PYTHON is the interpreter that has torch and SGLang's small packages, OUT a folder for the JSON, DEVICE cuda.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python=$(command -v "${PYTHON:-python3}")
out=${OUT:-smoke-out}
device=${DEVICE:-cuda}
models="LlamaForCausalLM DeepseekV3ForCausalLM KimiK25ForConditionalGeneration LlamaForCausalLMEagle3"
mkdir -p "$out"
smoke() { "$python" -m specint smoke --python "$python" --device "$device" --algorithm EAGLE3 --timeout 200 --quiet "$@"; }
for sglang in "$@"; do
  name=$(basename "$sglang")
  echo "=== $name: built, asked, forward beside Transformers"
  # shellcheck disable=SC2086
  smoke $models --sglang "$sglang" --reference
  echo "exit code $?"
  echo "=== $name: DeepSeek without experts"
  smoke DeepseekV3ForCausalLM --sglang "$sglang" --reference --set first_k_dense_replace=4
  echo "exit code $?"
  echo "=== $name: a scheduler at work"
  for target in LlamaForCausalLM DeepseekV3ForCausalLM KimiK25ForConditionalGeneration Gemma3ForCausalLM; do
    "$python" -m specint smoke "$target" --serve --python "$python" --device "$device" --algorithm EAGLE3 \
      --sglang "$sglang" --timeout 280 --quiet
    echo "exit code $?"
  done
  for option in --overlap "--topk 4"; do
    # shellcheck disable=SC2086
    "$python" -m specint smoke LlamaForCausalLM --serve --python "$python" --device "$device" --algorithm EAGLE3 \
      --sglang "$sglang" --timeout 280 --quiet $option
    echo "exit code $?"
  done
  "$python" -m specint smoke LlamaForCausalLM --serve --python "$python" --device "$device" --algorithm DFLASH \
    --dtype bfloat16 --sglang "$sglang" --timeout 280 --quiet
  echo "exit code $?"
  echo "=== $name: a real size, bfloat16: what sharing embedding and head frees"
  smoke LlamaForCausalLM LlamaForCausalLMEagle3 --sglang "$sglang" --no-forward --dtype bfloat16 \
    --set vocab_size=128256 --set draft_vocab_size=128256 --set hidden_size=4096 --memory 16000 \
    --format json -o "$out/$name.real-size.json"
  echo "exit code $?"
  "$python" - "$out/$name.real-size.json" <<'PY'
import json
import sys

for result in json.load(open(sys.argv[1]))["results"]:
    for step in result["raw"]:
        for one in [*step["facts"].get("exchanges", ()), *step["facts"].get("handed_over", ())]:
            before, after = one.get("allocated_before"), one.get("allocated_after")
            freed = "" if before is None else f"; {before:,} before, {after:,} after, {(before - after) / 2**20:.0f} MiB freed"
            print(f"{result['name']} {step['name']} {one['set']}: {one['outcome']}, {one['what']}{freed}")
PY
done
