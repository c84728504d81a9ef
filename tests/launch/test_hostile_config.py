"""A config.json that means harm, or is none: one clear line or a bounded answer, and no way out of its folder."""

import json
from itertools import count

import pytest
from click.testing import CliRunner

from specint.cli.commands import group
from specint.execution import bounds
from specint.launch.ask import Asking
from specint.launch.command import command_of
from specint.launch.text import github_of, headline, markdown_of, text_of
from specint.source.locate import open_tree
from tests.launch.test_releases import EAGLE3, FOUR, LLAMA

pytestmark = [pytest.mark.slow, pytest.mark.release]


def config(**keys):
    return json.dumps({**LLAMA, **keys})


def with_text(text):
    return f'{config()[:-1]}, "x": {text}}}'


def nested(depth, left, inner, right):
    return with_text(left * depth + inner + right * depth)


REFUSED = {
    "no object: a list": ("[1, 2]", "TypeError"),
    "no object: a string": ('"x"', "TypeError"),
    "no object: null": ("null", "TypeError"),
    "empty": ("", "OSError"),
    "no JSON": ("{a", "OSError"),
    "no text": (b'\xff\xfe\x00{"a"', "OSError"),
    "not UTF-8 in a string": (config()[:-1].encode() + b', "x": "\xff"}', "OSError"),
    "a number of too many digits": (with_text("9" * 100_000), "ValueError"),
    "a name that is a path": (config(architectures=["../../etc/passwd"]), "ValueError"),
    "a model type that is a path": (config(model_type="../../x"), "ValueError"),
    "code that is a path": (config(model_type="x", auto_map={"AutoConfig": "../../etc/passwd.C"}), "ValueError"),
    "names that are a number": (config(architectures=7), "TypeError"),
    "names that are an object": (config(architectures={"a": 1}), "KeyError"),
    "a model type that is a list": (config(model_type=["llama"]), "TypeError"),
    "a model type that steers a terminal": (config(model_type="\x1b[2J\r\n::error::x"), "ValueError"),
    "half of a surrogate pair": (config(model_type="\ud800"), "ValueError"),
}
BOUNDED = {
    "lists in lists": (nested(100_000, "[", "", "]"), "nested too deeply"),
    "objects in objects": (nested(900, '{"a":', "1", "}"), "too deep"),
    "a million of elements": (config(x=list(range(10**6))), "too large"),
    "a million of names": (config(architectures=["LlamaForCausalLM"] * 10**6), "too large"),
}
READ = {
    "integers of 4,000 digits": config(hidden_size=10**3999, num_hidden_layers=10**3999),
    "a milliard of layers": config(num_hidden_layers=10**9),
    "numbers that are none": with_text("[NaN, Infinity, -Infinity]"),
}


@pytest.fixture(scope="module")
def ask(release, tmp_path_factory):
    asking = Asking(open_tree(str(release("0.5.9"))), None, None)
    numbers = count()

    def run(text, *flags, draft=None):
        words = []
        for flag, content in (("--model-path", text), ("--speculative-draft-model-path", draft)):
            if content is not None:
                folder = tmp_path_factory.mktemp(f"model{next(numbers)}")
                written = content if isinstance(content, bytes) else content.encode()
                (folder / "config.json").write_bytes(written)
                words += [flag, str(folder)]
        asking.prepare("h200")
        return asking.answer(command_of([*words, *flags]), "h200")

    return run


def shown(answer):
    """All that is printed of an answer is a few lines that can't steer anything."""
    texts = [text_of(answer), github_of([answer]), markdown_of([answer])]
    for text in texts:
        assert len(text) < 4_000
        assert all(line.isprintable() for line in text.splitlines())
    assert len(texts[1].splitlines()) == 1
    return headline(answer)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_configuration_is_refused_as_the_launch_would_refuse_it(ask, name):
    text, error = REFUSED[name]
    answer = ask(text)
    assert (answer.answer, answer.found.refusals[0].error) == ("refused", error)
    assert shown(answer).startswith("refused by ")


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("side", ["target", "draft"])
def test_what_is_too_much_is_not_answered(ask, name, side):
    text, why = BOUNDED[name]
    answer = ask(text) if side == "target" else ask(config(), *FOUR, draft=text)
    assert answer.answer == "unknown"
    assert why in shown(answer)


@pytest.mark.parametrize("name", READ)
def test_what_is_large_is_read(ask, name):
    answer = ask(READ[name])
    assert answer.answer == "starts"
    assert shown(answer)


def test_the_draft_of_a_hostile_pair_is_judged(ask):
    answer = ask(config(num_hidden_layers=10**9), *FOUR, draft=json.dumps({**EAGLE3, "hidden_size": 10**3999}))
    assert answer.answer == "fails"
    assert "hidden size does not fit" in shown(answer)


@pytest.mark.parametrize("kind", ["link", "folder", "large"])
def test_a_configuration_that_is_no_file_of_its_folder(release, tmp_path, kind, monkeypatch):
    (tmp_path / "model").mkdir()
    place = tmp_path / "model" / "config.json"
    (tmp_path / "secret").write_text(config(model_type="secret-of-a-neighbour"))
    if kind == "link":
        place.symlink_to(tmp_path / "secret")
    elif kind == "folder":
        place.mkdir()
    else:
        monkeypatch.setattr(bounds, "LONGEST", 100_000)
        place.write_text(config(x="x" * 200_000))
    arguments = ["preflight", "--sglang", str(release("0.5.9")), "--gpu", "h200", "--", "--model-path"]
    done = CliRunner().invoke(group, [*arguments, str(place.parent)], standalone_mode=False)
    assert (done.exception, done.return_value) == (None, 2)
    assert str(place) in done.stdout.replace("\n", "")
    assert "secret-of" not in done.stdout


def test_json_of_half_a_surrogate_pair_is_json(release, tmp_path):
    (tmp_path / "config.json").write_text(config(model_type="\ud800"))
    arguments = ["preflight", "--sglang", str(release("0.5.9")), "--gpu", "h200", "--format", "json", "--"]
    done = CliRunner().invoke(group, [*arguments, "--model-path", str(tmp_path)], standalone_mode=False)
    assert (done.exception, done.return_value) == (None, 1)
    assert "\ud800" in json.loads(done.stdout)["refusal"]["message"]
