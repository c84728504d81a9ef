"""A verdict that is open is decided by what a class builds of the launch's configuration."""

import pytest

from specint.compliance.model import ModelCompliance, Verdict
from tests.launch.small import bench, launch
from tests.launch.test_sides import WHOLE

TARGET = """
import torch
from torch import nn

class Inner(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.table = nn.Embedding(config.vocab_size, 8)

class Target(nn.Module):
    def __init__(self, config, quant_config=None, prefix=""):
        super().__init__()
        self.inner = Inner(config)
        BODY

    def usual(self):
        pass

EntryClass = Target
"""
OPEN = ModelCompliance(
    class_="sglang.srt.models.target.Target", name="Target", file="m.py", line=1, roles=("target",), mro=(), wraps=(),
    members={}, algorithms={"EAGLE3": Verdict(verdict="unknown", unknown=("get_embed",))},
)  # fmt: skip
BODIES = {
    "if config.tied:\n            self.get_embed = self.inner.table": ("starts", []),
    "if not config.tied:\n            self.get_embed = self.inner.table": ("fails", ["missing"]),
    "if config.nowhere():\n            self.get_embed = self.inner.table": ("starts", ["unknown"]),
    "if torch.asked():\n            self.get_embed = self.inner.table": ("starts", ["unknown"]),
    "raise ValueError('not with this configuration')": ("fails", ["unknown"]),
}


@pytest.mark.parametrize("body", BODIES)
def test_an_arm_that_tests_the_configuration(tmp_path, body):
    small = bench([OPEN, WHOLE], models={"target": TARGET.replace("BODY", body)})
    answer = small.answer(launch(tmp_path, target={"tied": True, "vocab_size": 4}))
    assert (answer.answer, [one.status for one in answer.contract]) == BODIES[body]
