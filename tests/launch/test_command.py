"""Launch commands as people have them."""

import pytest

from specint.errors import SpecintError
from specint.launch.command import command_of

FLAGS = ("--model-path", "org/model", "--tp", "8")


@pytest.mark.parametrize(
    "words",
    [
        ["python", "-m", "sglang.launch_server", *FLAGS],
        ["python3", "-u", "-m", "sglang.launch_server", *FLAGS],
        ["sglang", "serve", *FLAGS],
        ["nohup", "/usr/bin/python3", "-m", "sglang.launch_server", *FLAGS],
        [*FLAGS],
        ["python -m sglang.launch_server --model-path org/model --tp 8  # a comment"],
    ],
)
def test_words(words):
    assert command_of(words).argv == FLAGS


def test_variables_before_it():
    found = command_of(["env", "A=1", "B=x y", "python", "-m", "sglang.launch_server", *FLAGS])
    assert (found.argv, dict(found.environment)) == (FLAGS, {"A": "1", "B": "x y"})


SCRIPT = """#!/bin/bash
set -e
export SGLANG_X=1
MODEL=org/model  # which
python -m sglang.launch_server \\
    --model-path "$MODEL" \\
    --tp ${TP:-8} > log 2>&1 &
"""
COMPOSE = """
services:
  sglang:
    image: lmsysorg/sglang
    entrypoint: python3 -m sglang.launch_server
    command: --model-path org/model --tp 8
    environment: {SGLANG_X: "1"}
"""
KUBERNETES = """
kind: Deployment
spec:
  template:
    spec:
      containers:
        - name: sglang
          command: [python3, -m, sglang.launch_server]
          args: ["--model-path", "org/model", "--tp", "8"]
          env: [{name: SGLANG_X, value: "1"}]
"""


@pytest.mark.parametrize(("name", "text"), [("s.sh", SCRIPT), ("c.yaml", COMPOSE), ("k.yml", KUBERNETES)])
def test_a_file_that_holds_it(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    found = command_of([name], relative_to=tmp_path)
    assert (found.argv, dict(found.environment)) == (FLAGS, {"SGLANG_X": "1"})


def test_local_folders_become_absolute(tmp_path):
    (tmp_path / "m").mkdir()
    found = command_of(["--model-path", "./m", "--draft=./m", "--other", "./none"], relative_to=tmp_path)
    assert found.argv == ("--model-path", str(tmp_path / "m"), f"--draft={tmp_path / 'm'}", "--other", "./none")
    assert set(found.folders) == {str(tmp_path / "m")}


@pytest.mark.parametrize("words", [["echo", "hello"], ["'unclosed quote"]])
def test_what_is_no_launch_is_one_clear_error(words):
    with pytest.raises(SpecintError):
        command_of(words)


EIGHT = "--model-path org/model --tp 8"
START = f"python -m sglang.launch_server {EIGHT}"
SCRIPTS = {
    "an array": 'A=(--model-path org/model)\nA+=(\n  --tp 8 # eight\n)\npython -m sglang.launch_server "${A[@]}"',
    "words in a variable": f'ARGS="{EIGHT}"\npython -m sglang.launch_server $ARGS',
    "a default in a default": "M=${MODEL:-${OTHER:-org/model}}\n"
    'python -m sglang.launch_server --model-path "$M" --tp "${TP:-8}"',
    "a sum": "N=4\npython -m sglang.launch_server --model-path org/model --tp $((N * 2))",
    "what follows": f"{START}; echo done",
    "what goes before": f"cd /app && {START} || exit 1",
    "a pipe and files": f"{START} 2>&1 | tee log",
    "both into a file": f"{START} &> log",
    "a file without a gap": f"{START} >log",
    "a subshell": f"({START} > log 2>&1 &)",
    "a process that listens": f"{START} > >(tee log) 2>&1",
    "another file is written": f"cat > run.sh <<EOF\npython -m sglang.launch_server --model-path old\nEOF\n{START}",
    "what is said": f"echo {START.replace('org/model', 'old')}\n{START}",
    "a container": f"docker run --rm -e SGLANG_Y=2 image {START}",
    "a shell in a container": f'docker run --rm image bash -lc "set -e; {START}"',
    "a condition": f'if [ -n "$X" ]; then\n  {START}\nfi',
    "a function": f'run() {{\n  {START} "$@"\n}}\nrun',
    "the script's own arguments": f"exec {START} $@",
    "lines of another system": START.replace(" --tp", " \\\r\n --tp") + "\r\n",
    "the file of the module": f"python /sgl-workspace/sglang/python/sglang/launch_server.py {EIGHT}",
    "quotes in a word": "python -m sglang.launch_server --model-path 'org'/\"model\" --tp 8",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts(tmp_path, name):
    (tmp_path / "run.sh").write_text(SCRIPTS[name])
    found = command_of([str(tmp_path / "run.sh")])
    assert (found.argv, found.unknown) == (FLAGS, ())


def test_quoted_text_is_one_word_as_it_is_written(tmp_path):
    text = 'X=1\npython -m sglang.launch_server --override \'{\n "a": "$X"}\' --name "<\\$X $X>" --empty \'\'\n'
    (tmp_path / "run.sh").write_text(text)
    assert command_of([str(tmp_path / "run.sh")]).argv == (
        "--override", '{\n "a": "$X"}', "--name", "<$X 1>", "--empty", ""
    )  # fmt: skip


def test_which_variables_a_script_hands_on(tmp_path):
    text = f"A=1\nB=2\nexport B\nexport C=3 D='4 5'\nunset C\nE=6 {START}\nF=7 true\n"
    (tmp_path / "run.sh").write_text(text)
    assert command_of([str(tmp_path / "run.sh")]).environment == {"B": "2", "D": "4 5", "E": "6"}
    (tmp_path / "run.sh").write_text(f"export A=1 B=2\ndocker run -e A --env C=3 --env=D=4 image {START}\n")
    assert command_of([str(tmp_path / "run.sh")]).environment == {"A": "1", "C": "3", "D": "4"}


@pytest.mark.parametrize("word", ["$(nvidia-smi -L | wc -l)", "$TP", "${TP}", "`nproc`", "${TP##*/}", "$((TP))"])
def test_what_only_running_tells_is_told(tmp_path, word):
    (tmp_path / "run.sh").write_text(f"python -m sglang.launch_server --model-path org/model --tp {word}\n")
    found = command_of([str(tmp_path / "run.sh")])
    assert (found.argv[-1], found.unknown) == (word, (word,))


def test_variables_that_grow_are_bounded(tmp_path):
    text = "A=aaaaaaaa\n" + 'A="$A$A"\n' * 100 + START
    (tmp_path / "run.sh").write_text(text)
    with pytest.raises(SpecintError, match="longer than"):
        command_of([str(tmp_path / "run.sh")])


@pytest.mark.parametrize("text", ["A=(" * 100_000, "echo " + "${A:-" * 100_000, "$(" * 200_000, '"$(' * 100_000])
def test_a_script_that_means_harm_is_bounded(tmp_path, text):
    (tmp_path / "run.sh").write_text(text)
    with pytest.raises(SpecintError):
        command_of([str(tmp_path / "run.sh")])


SERVICES = {
    "a shell": f'command: bash -lc "{START}"',
    "variables with defaults": "command: python -m sglang.launch_server --model-path ${MODEL:-org/model} --tp ${TP-8}",
    "variables of the file beside it": "command: python -m sglang.launch_server --model-path $BESIDE --tp 8",
    "a variable of the container": "environment: {M: org/model}\n    "
    'command: sh -c "python -m sglang.launch_server --model-path $$M --tp 8"',
}


@pytest.mark.parametrize("name", SERVICES)
def test_services(tmp_path, name):
    (tmp_path / ".env").write_text("# which\nBESIDE='org/model'\n")
    (tmp_path / "c.yaml").write_text(f"services:\n  one:\n    {SERVICES[name]}\n")
    found = command_of([str(tmp_path / "c.yaml")])
    assert (found.argv, found.unknown) == (FLAGS, ())


def test_variables_of_services_and_containers(tmp_path):
    (tmp_path / "more.env").write_text("A=1\nexport B='2'\n\nno variable\n")
    (tmp_path / "c.yaml").write_text(
        f"services:\n  one:\n    env_file: [more.env, none.env]\n    environment:\n      B: 3\n      C: true\n"
        f"      TOKEN:\n    command: {START}\n"
    )
    assert command_of([str(tmp_path / "c.yaml")]).environment == {"A": "1", "B": "3", "C": "true"}
    (tmp_path / "k.yaml").write_text(
        "kind: Pod\nspec:\n  containers:\n  - command: [python, -m, sglang.launch_server, --model-path, $(MODEL)]\n"
        "    args: [--tp, 8, --dist-init-addr, '$(LEADER):1']\n    env: [{name: MODEL, value: org/model}]\n"
    )
    found = command_of([str(tmp_path / "k.yaml")])
    assert found.argv == (*FLAGS, "--dist-init-addr", "$(LEADER):1")
    assert found.unknown == ("$(LEADER)",)


def test_a_command_in_one_text_is_read_as_a_shell_does():
    assert command_of([f"export A=1 && {START} 2>&1 | tee log"]).argv == FLAGS
    assert command_of([f"export A=1 && {START}"]).environment == {"A": "1"}
    assert command_of(["--model-path org/model --tp 8"]).argv == FLAGS


LAUGH = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}' if n else 'x'] * 10)}]\n" for n in range(12))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.sh", "A=x\n" + "A=$A$A\n" * 60 + "python -m sglang.launch_server --model-path $A\n"),
        ("x.sh", "sglang serve " + "${a:-" * 20_000),
        ("x.sh", "sglang serve " + "${a:-" * 20_000 + "}" * 20_000),
        ("x.sh", "A=(" * 20_000 + ")" * 20_000),
        ("x.sh", "$(" * 20_000),
        ("x.sh", "<(" * 20_000 + ")" * 20_000),
        ("x.yaml", f"{LAUGH}command: *a11\n"),
        ("x.yaml", f"{LAUGH}services: *a11\n"),
        ("x.yaml", f"{LAUGH}a: {{command: [sglang], environment: [{{name: *a11, value: *a11}}]}}\n"),
        ("x.yaml", "a: &a [*a, *a]\nb: &b {c: *b, d: *a}\n"),
    ],
)
def test_a_file_that_grows_as_it_is_read_is_one_clear_error(work, name, text, tmp_path):
    (tmp_path / name).write_text(text)

    def refused():
        with pytest.raises(SpecintError, match=r"no launch of SGLang|longer than 64 KiB"):
            command_of([name], relative_to=tmp_path)

    assert work(refused) < 500_000


@pytest.mark.parametrize("levels", [10, 30, 3000])
def test_variables_in_variables_are_followed_so_far(levels, tmp_path):
    (tmp_path / "x.sh").write_text("sglang serve --tp " + "${a:-" * levels + "8" + "}" * levels)
    found = command_of(["x.sh"], relative_to=tmp_path)
    assert (found.argv[1] == "8", bool(found.unknown)) == (levels == 10, levels != 10)


def test_what_stands_twice_under_an_alias_is_found_once(tmp_path):
    (tmp_path / "x.yaml").write_text("a: &a {command: [sglang, serve, --tp, 8, [x]]}\nb: *a\n")
    assert command_of(["x.yaml"], relative_to=tmp_path).argv == ("--tp", "8")


def test_the_home_of_nobody_is_a_name(tmp_path):
    assert command_of(["--model-path", "~nobody_at_all/x"], relative_to=tmp_path).argv[1] == "~nobody_at_all/x"
