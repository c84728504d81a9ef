"""Which schedulers are run, and what is said of them, on runs written by hand; and real ones."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from specint.analysis.model import Analysis
from specint.checks.finding import about
from specint.compliance.model import ModelCompliance, Verdict
from specint.contract.model import Contract, Requirement, Site
from specint.smoke import serve
from specint.smoke.model import Ran, Served, Step
from specint.smoke.plan import Wish
from specint.source.tree import Origin

OWN = "sglang.srt.models.kumo.KumoForCausalLM"
TOKENS = [[5, 6, 7, 8, 9, 1, 2, 3], [4, 4, 4, 4, 4, 4, 4, 4]]


def model(name: str, verdict: str = "ok", **more: Any) -> ModelCompliance:
    values = {"roles": ("target",), "algorithms": {"EAGLE3": Verdict(verdict=verdict)}, **more}  # type: ignore[arg-type]
    return ModelCompliance(
        class_=f"sglang.srt.models.kumo.{name}",
        name=name,
        file="kumo.py",
        line=1,
        mro=(),
        wraps=(),
        members={},
        **values,
    )


def analysis(verdict: str = "ok") -> Analysis:
    draft = model("LlamaForCausalLMEagle3", roles=("draft",), drafts_for={"EAGLE3": "its name"})
    setter = Requirement(
        role="target", member="set_eagle3_layers_to_capture", use="call", algorithms=("EAGLE3",), strength="raises",
        sites=(Site("worker.py", 1, "run"),),
    )  # fmt: skip
    return Analysis(
        sglang=Origin(source="sglang", version="0.0.0"),
        contract=Contract(requirements=(setter,), algorithms=("EAGLE3",)),
        models=(model("KumoForCausalLM", verdict), draft),
        findings=(),
        diagnostics=(),
    )


def ran(**steps: dict | str) -> Ran:
    """Steps by name: facts where one ended well, else its reason."""
    made = [
        Step(name=name.replace("_", " "), outcome="failed", reason=told)
        if isinstance(told, str)
        else Step(name=name.replace("_", " "), outcome="ok", facts=told)
        for name, told in steps.items()
    ]
    return Ran(ended="done", steps=tuple(made))


def answered(tokens: list[list[int]] = TOKENS, **more: Any) -> Ran:
    started = {"worker": "EAGLEWorker", "changed": ["a kernel"]}
    return ran(serve_start=started, serve={"tokens": tokens, "finished": True, **more.pop("serve", {})}, **more)


def judged(speculating: Ran, plain: Ran | None = None, verdict: str = "ok") -> Served:
    whole = analysis(verdict)
    jobs = serve.jobs(whole, whole.models, Wish(algorithms=("EAGLE3",)))
    return serve.judged(whole, jobs, [plain or answered(), speculating])[1]


def kinds(one: Served) -> list[tuple[str, str]]:
    return [(problem.kind, problem.severity) for problem in one.problems]


def test_a_target_is_run_without_speculation_and_with_each_algorithm():
    whole = analysis()
    plain, eagle3 = serve.jobs(
        whole, whole.models, Wish(algorithms=("EAGLE3",), given={"draft.x": 1, "vocab_size": 64})
    )
    assert plain.serve is not None
    assert eagle3.serve is not None
    assert (plain.serve.algorithm, plain.serve.draft) == ("", None)
    assert eagle3.serve.draft == {"architecture": "LlamaForCausalLMEagle3", "given": {"vocab_size": 64, "x": 1}}
    assert eagle3.serve.arguments["speculative_num_steps"] == 3
    assert eagle3.given == {"vocab_size": 64}


def test_a_draft_that_sglang_makes_of_the_targets_checkpoint_is_given_as_that():
    whole = analysis()
    own = model("KumoNextN", roles=("draft",), drafts_for={"EAGLE3": "its name"}, made_from=("KumoForCausalLM",))
    jobs = serve.jobs(
        Analysis(**{**{f: getattr(whole, f) for f in whole.__struct_fields__}, "models": (*whole.models, own)}),
        whole.models, Wish(algorithms=("EAGLE3",)),
    )  # fmt: skip
    assert jobs[1].serve is not None
    assert jobs[1].serve.own_checkpoint


def test_equal_tokens_are_no_problem_and_others_are():
    one = judged(answered())
    assert (one.outcome, one.equal, kinds(one), one.accord) == ("served", True, [], "agree")
    assert kinds(judged(answered([[5, 6], [4, 4]]))) == [("tokens differ", "error")]
    greedy = answered(greedy={"tokens": [[0] * 8, [0] * 8]})
    assert kinds(judged(answered(), greedy)) == [("tokens differ", "error")]


def test_a_golden_draft_of_which_little_is_accepted_got_wrong_states():
    def golden(verified: list[int]) -> Ran:
        return answered(golden={"samples": 9}, serve={"verified": verified, "accept_length": 1.5})

    assert kinds(judged(golden([4, 4]))) == []
    assert kinds(judged(golden([4, 6]))) == [("few accepted", "error")]


def test_a_golden_draft_says_nothing_where_the_target_itself_has_other_numbers():
    """It was fitted to Transformers' states."""
    few = answered(golden={"samples": 9}, serve={"verified": [4, 6], "accept_length": 1.5})
    other = answered(greedy={"tokens": [[0] * 8, [0] * 8]})
    assert kinds(judged(few, other)) == [("tokens differ", "error")]


def test_a_start_that_fails_for_a_member_is_shown_with_its_lines():
    lacks = "AttributeError: 'Kumo' object has no attribute 'set_eagle3_layers_to_capture'"
    one = judged(ran(serve_start=lacks), verdict="missing")
    assert (one.outcome, one.accord) == ("does not start", "agree")
    assert kinds(one) == [("does not serve", "error")]
    assert judged(ran(serve_start=lacks)).accord == "disagree"


def test_what_was_read_as_missing_and_serves_is_a_disagreement():
    assert judged(answered(), verdict="missing").accord == "disagree"
    assert judged(answered(), verdict="unknown").accord == "static unknown"


@pytest.mark.parametrize(("rule", "accord"), [("spec-lost-residual", "agree"), ("spec-wrong-return", "disagree")])
def test_what_was_read_as_broken_and_serves_is_a_disagreement_only_where_a_start_would_show_it(rule, accord):
    finding = about(rule, model("KumoForCausalLM"), "forward", ("EAGLE3",), message="", evidence=())
    whole = analysis("broken")
    broken = model("KumoForCausalLM", algorithms={"EAGLE3": Verdict(verdict="broken", broken=("forward",))})
    whole = msgspec.structs.replace(whole, models=(broken, whole.models[1]), findings=(finding,))
    jobs = serve.jobs(whole, whole.models, Wish(algorithms=("EAGLE3",)))
    assert serve.judged(whole, jobs, [answered(), answered()])[1].accord == accord


def test_overlap_and_a_tree_of_tokens_are_arguments_of_every_scheduler_that_takes_them():
    whole = analysis()
    plain, eagle3 = serve.jobs(whole, whole.models, Wish(algorithms=("EAGLE3",), overlap=True, topk=4))
    assert plain.serve is not None
    assert eagle3.serve is not None
    assert plain.serve.arguments == {"disable_overlap_schedule": False}
    assert eagle3.serve.arguments["disable_overlap_schedule"] is False
    assert eagle3.serve.arguments["speculative_eagle_topk"] == 4
    assert eagle3.serve.arguments["speculative_num_draft_tokens"] == 8


def test_what_this_machine_lacks_says_nothing_about_the_model():
    compiled = Step(name="serve", outcome="failed", reason="TypeError: no path", where="sglang/jit/toolchain.py:175")
    assert judged(Ran(ended="done", steps=(compiled,))).outcome == "not tried"
    one = judged(ran(serve_start="StandInCalled: sgl_kernel.x was called"))
    assert (one.outcome, one.accord, kinds(one)) == ("not tried", "not asked", [("not served here", "warning")])


def test_what_fails_without_speculation_too_says_nothing_about_speculation():
    broken = ran(serve_start={}, serve="ValueError: no")
    assert kinds(judged(broken, broken)) == [("does not serve", "warning")]


Smoke = Callable[..., dict[str, Any]]
ALGORITHMS = [("0.5.9", "EAGLE"), ("0.5.9", "EAGLE3"), ("0.5.9", "STANDALONE")]
ALGORITHMS += [("0.5.23", name) for name in ("EAGLE", "EAGLE3", "STANDALONE", "DFLASH")]


@pytest.fixture(scope="module")
def served(smoke: Smoke) -> Callable[[str], dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}

    def run(release: str) -> dict[str, Any]:
        if release not in found:
            names = ",".join(name for one, name in ALGORITHMS if one == release)
            found[release] = smoke(release, "LlamaForCausalLM", "--serve", "--algorithms", names, "--timeout", "500")
        return found[release]

    return run


@pytest.mark.smoke
@pytest.mark.parametrize(("release", "algorithm"), ALGORITHMS)
def test_a_real_worker_serves_with_equal_tokens(
    served: Callable[[str], dict[str, Any]], release: str, algorithm: str
) -> None:
    report = served(release)
    one = next(one for one in report["served"] if one["algorithm"] == algorithm)
    assert one["outcome"] == "served", (one["reason"], one["trace"])
    rounded = algorithm == "DFLASH"  # which runs in bfloat16, where nothing is compared with Transformers
    assert (one["equal"], one["greedy"]) == (True, None if rounded else True)
    assert one["golden"] is (algorithm == "EAGLE3")
    assert report["exit"] == 0


@pytest.mark.smoke
@pytest.mark.parametrize("release", ["0.5.9", "0.5.23"])
@pytest.mark.parametrize("options", [("--overlap",), ("--topk", "4")])
def test_overlapping_batches_and_trees_of_tokens_serve_with_equal_tokens(
    smoke: Smoke, release: str, options: tuple[str, ...]
) -> None:
    report = smoke(release, "LlamaForCausalLM", "--serve", "--algorithm", "EAGLE3", "--timeout", "500", *options)
    plain, one = report["served"]
    assert (one["outcome"], one["equal"], one["greedy"], report["exit"]) == ("served", True, True, 0), one["reason"]
    loop = "event_loop_overlap" if options == ("--overlap",) else "event_loop_normal"
    told = [step["facts"]["loop"] for ran in (plain, one) for step in ran["raw"] if step["name"] == "serve"]
    assert told == [loop, loop]
    assert one["worker"] == ("EAGLEWorker" if release == "0.5.9" and loop == "event_loop_normal" else "EAGLEWorkerV2")


@pytest.mark.smoke
def test_a_hook_that_is_missing_is_shown_where_the_server_stops(smoke: Smoke) -> None:
    report = smoke("0.5.9", "Gemma2ForCausalLM", "--serve", "--algorithm", "EAGLE3")
    one = next(one for one in report["served"] if one["algorithm"])
    assert (one["outcome"], one["verdict"], one["accord"]) == ("does not start", "missing", "agree")
    assert "set_eagle3_layers_to_capture" in one["reason"] or "get_embed_and_head" in one["reason"]
    assert any("model_runner.py" in line or "eagle_worker.py" in line for line in one["trace"])


@pytest.mark.smoke
def test_one_wrong_layer_of_three_is_heard_in_what_is_accepted(
    smoke: Smoke, environment: Callable[[str], Path], tmp_path: Path
) -> None:
    installed = next(environment("0.5.9").parent.parent.glob("lib/python3*/site-packages/sglang"))
    copied = Path(shutil.copytree(installed, tmp_path / "sglang", ignore=shutil.ignore_patterns("__pycache__")))
    qwen = copied / "srt/models/qwen2.py"
    text = qwen.read_text()
    assert "num_layers - 3," in text
    qwen.write_text(text.replace("num_layers - 3,", "num_layers - 2,"))
    arguments = ["Qwen2ForCausalLM", "--serve", "--algorithm", "EAGLE3", "--sglang", str(copied), "--timeout", "500"]
    report = smoke("0.5.9", *arguments)
    one = next(one for one in report["served"] if one["algorithm"])
    assert one["equal"] is True  # the target repairs what the draft guessed
    assert [problem["kind"] for problem in one["problems"]] == ["few accepted"]
    assert report["exit"] == 1


@pytest.mark.smoke
def test_a_checkpoints_configuration_is_served_with_a_shrunk_model(smoke: Smoke, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(
        '{"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 4096, "num_hidden_layers": 32,'
        ' "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256}'
    )
    report = smoke("0.5.9", "--model-path", str(tmp_path), "--serve", "--algorithm", "EAGLE3", "--timeout", "500")
    one = next(one for one in report["served"] if one["algorithm"])
    assert (one["outcome"], one["equal"]) == ("served", True), one["reason"]
