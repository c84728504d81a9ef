"""What is left out of a constructor, and what is not; in an environment that has PyTorch."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import specint.smoke.child
from specint.smoke.knowledge import knowledge

pytestmark = pytest.mark.smoke

MODULE = """
import torch
from torch import nn


class VisionTower(nn.Module):
    def __init__(self):
        super().__init__()
        raise RuntimeError("no kernel")


def make(kind):
    raise ImportError(f"{kind} is not installed")


class Model(nn.Module):
    def __init__(self, config, tokens=8):
        super().__init__()
        self.config = config
        {body}
        self.embed_tokens = nn.Embedding(tokens, 4)
"""
SCRIPT = """
import importlib.util, json, sys
child, settings, module = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
spec = importlib.util.spec_from_file_location("child", child + "/__init__.py", submodule_search_locations=[child])
package = importlib.util.module_from_spec(spec)
sys.modules["child"] = package
spec.loader.exec_module(package)
from child import towers
spec = importlib.util.spec_from_file_location("models", module)
models = importlib.util.module_from_spec(spec)
spec.loader.exec_module(models)
left, model = [], None
for _ in range(6):
    try:
        with towers.gaps_are_read():
            model = models.Model({})
        break
    except Exception as error:
        name = towers.empty_tower(error, settings)
        if name is None:
            break
        left.append(name)
hollow = [part for part in model.children() if type(part).__name__ in left] if model is not None else []
print(json.dumps({
    "left": left,
    "built": model is not None,
    "embeds": hasattr(model, "embed_tokens"),
    "hides": any(hasattr(part, "weight") for part in hollow),
}))
"""
TABLE = [
    ("self.visual = VisionTower()", ["VisionTower"]),
    ("self.visual = make('timm')", ["visual"]),
    ("vision_class = make('timm')\n        self.visual = vision_class(3)", ["vision_class"]),
    ("self.visual = make('a')\n        self.audio_tower = make('b')", ["visual", "audio_tower"]),
    ("self.visual = make('a')\n        self.width = int(self.visual.size)\n        self.projector = 1", None),
    ("self.visual = make('a')\n        self.merger = self.visual.blocks[0]", ["visual"]),
    (
        "self.build_audio_encoder()\n\n    def build_audio_encoder(self):\n        make('c')\n\n    def more(self):",
        None,
    ),
    ("self.language_model = make('d')", None),
    ("self.image_token = make('e')", None),
]


@pytest.mark.parametrize(("body", "left"), TABLE)
def test_towers_alone_are_left_out(
    environment: Callable[[str], Path], tmp_path: Path, body: str, left: list[str] | None
) -> None:
    (tmp_path / "models.py").write_text(MODULE.replace("{body}", body))
    child = str(Path(specint.smoke.child.__file__).parent)
    tower = json.dumps(knowledge()["tower"])
    command = [str(environment("0.5.9")), "-c", SCRIPT, child, tower, str(tmp_path / "models.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    if left is None:
        assert told["built"] is ("build_audio_encoder" in body)
    else:
        assert (told["left"], told["built"], told["embeds"]) == (left, True, True)
        assert not told["hides"]
