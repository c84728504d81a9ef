"""A team's launches in pyproject.toml, asked without arguments; and what `--strict` makes of an open answer."""

import pytest
from click.testing import CliRunner

from specint.cli.commands import group
from specint.errors import SpecintError
from tests.launch.test_course import SMALL

CHECKED = """
    def check_server_args(self):
        from importlib.util import find_spec
        if self.model_path == "refused":
            raise ValueError("not this one")
        if self.model_path == "open" and find_spec("package_that_nobody_knows") is not None:
            raise ValueError("it is there")
"""
CONFIGURED = """
class ModelConfig:
    hf_config = None

    @classmethod
    def from_server_args(cls, args, **keywords):
        found = cls()
        found.hf_config = Config()
        return found

class Config:
    architectures = ["OakForCausalLM"]
"""
CLASSES = """
from sglang.srt.models.registry import import_model_classes

def get_model_architecture(config):
    name = config.hf_config.architectures[0]
    return import_model_classes()[name], name
"""


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """`ask(options, **launches)`: the exit code and the text for launches by their id and model."""
    texts = {
        **SMALL,
        "srt/server_args": SMALL["srt/server_args"].replace(
            "    def check_server_args(self):\n        pass\n", CHECKED
        ),
        "srt/configs/model_config": CONFIGURED,
        "srt/model_loader/utils": CLASSES,
        "srt/models/registry": "def import_model_classes():\n    raise RuntimeError('never evaluated')\n",
        "srt/models/oak": "class OakForCausalLM:\n    pass\n\nEntryClass = OakForCausalLM\n",
        "srt/model_executor/model_runner": "class ModelRunner:\n    pass\n",
        "__init__": '__version__ = "0"\n',
        "version": '__version__ = "0"\n',
    }
    for name, text in texts.items():
        path = tmp_path / "sglang" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)

    def run(*options, **launches):
        rows = [
            f'[[tool.specint.launch]]\nid = "{name}"\ngpu = "h200"\ncommand = "sglang serve --model-path {model}"\n'
            for name, model in launches.items()
        ]
        (tmp_path / "pyproject.toml").write_text('[tool.specint]\nsglang = "sglang"\n' + "\n".join(rows))
        done = CliRunner().invoke(group, ["preflight", *options], standalone_mode=False)
        assert done.exception is None, done.exception
        return done.return_value, done.stdout

    return run


def test_every_launch_is_asked_under_its_name(ask):
    code, text = ask(chat="a", code="b")
    assert code == 0, text
    assert [line.partition(":")[0] for line in text.splitlines() if "starts" in line] == ["chat", "code"]


def test_one_that_is_refused_fails_them_all(ask):
    code, text = ask(chat="a", code="refused")
    assert code == 1
    assert "refused by SGLang: not this one" in text


@pytest.mark.parametrize(("options", "expected"), [((), 2), (("--strict",), 1)])
def test_one_that_depends_on_an_open_fact_fails_strictly_alone(ask, options, expected):
    code, text = ask(*options, chat="a", code="open")
    assert "depends" in text
    assert code == expected


def test_no_launch_and_no_command_is_an_error(ask, tmp_path):
    ask(chat="a")
    (tmp_path / "pyproject.toml").write_text('[tool.specint]\nsglang = "sglang"\n')
    done = CliRunner().invoke(group, ["preflight"], standalone_mode=False)
    assert isinstance(done.exception, SpecintError)
    assert "[[tool.specint.launch]]" in str(done.exception.hint)
