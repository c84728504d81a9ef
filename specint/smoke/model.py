"""What a smoke load is asked to do, and what came of it, as data."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import msgspec

from specint.compliance.model import Status, VerdictWord
from specint.contract.model import Condition

Ended = Literal["done", "crashed", "timed out", "out of memory", "not started"]
Accord = Literal["agree", "disagree", "static unknown", "not asked"]
Severity = Literal["error", "warning"]


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One requirement, as the child needs it.

    Attributes:
        calls: the numbers of positional arguments to call it with.
        keywords: it is called with these or others too, so that a call without them shows nothing.
    """

    member: str
    role: str
    use: str
    strength: str
    algorithms: tuple[str, ...]
    calls: tuple[int, ...] = ()
    keywords: bool = False
    unpacks: int | None = None
    group: str | None = None
    condition: Condition | None = None
    site: str = ""


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """One draft to build beside a target.

    Attributes:
        name: what its steps are called: "draft", with what is set in its configuration where there are several.
        algorithm: for which it is asked and handed something.
        takes: what its forward gets of the target: "captured states", "last state", "embeddings", or "" where that is
            not known.
        given: keys of its configuration that are set whatever its class says.
    """

    name: str
    class_: str = msgspec.field(name="class")
    architecture: str
    algorithm: str
    takes: str
    asks: tuple[Ask, ...]
    given: dict[str, Any] = {}


class Serve(msgspec.Struct, frozen=True, kw_only=True):
    """A scheduler to run with the job's model as its target.

    Attributes:
        algorithm: "" for none.
        draft: the draft's `architecture` and `given`, None for an algorithm that loads none.
        own_checkpoint: the draft is what SGLang makes of the target's checkpoint.
        tokens: how many are asked for after each prompt.
        golden: the names of the weights of a draft that can be made to guess right, {} for none.
        arguments: more of the server's arguments.
    """

    algorithm: str = ""
    draft: dict[str, Any] | None = None
    own_checkpoint: bool = False
    tokens: int = 8
    golden: dict[str, Any] = {}
    arguments: dict[str, Any] = {}


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One model to build and to ask.

    Attributes:
        class_: the dotted class.
        variant: what is set in its configuration beside its own: "tied", "untied", or "".
        members: every member that the contract names; whether the object has it is compared with the static answer.
        capture: the setters for layers to capture, by preference.
        inner: the attributes that hold an inner model.
        given: keys of the configuration that are set whatever its class says.
        drafts: the drafts that are built beside the target, each by itself.
        serve: instead of all that, run a scheduler.
        checkpoint: the folder of a real checkpoint, whose config.json is shrunk.
    """

    id: int
    class_: str = msgspec.field(name="class")
    architecture: str
    module: str | None
    variant: str = ""
    role: str
    members: tuple[str, ...]
    asks: tuple[Ask, ...]
    capture: tuple[str, ...]
    inner: tuple[str, ...]
    given: dict[str, Any] = {}
    forward: bool = False
    reference: bool = False
    drafts: tuple[Draft, ...] = ()
    serve: Serve | None = None
    checkpoint: str | None = None
    dtype: str = "float32"
    memory_mb: int = 4096
    settings: dict[str, Any] = {}


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a job. `outcome` is "ok", "skipped", "failed", or "begun" where the process ended in it."""

    name: str
    outcome: str
    seconds: float = 0.0
    reason: str | None = None
    where: str | None = None
    facts: dict[str, Any] = {}


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """What a child found when it imported SGLang. `kernels` says whether its kernel package is used."""

    sglang: str
    sglang_at: str
    torch: str
    transformers: str
    device: str
    registered: int
    kernels: str = "none"
    not_imported: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a job, raw. `output` is the end of what the process printed, where it did not end well."""

    ended: Ended
    reason: str | None = None
    steps: tuple[Step, ...] = ()
    seconds: float = 0.0
    peak_mb: int = 0
    stand_ins: tuple[str, ...] = ()
    output: str = ""

    def step(self, name: str) -> Step | None:
        """The step of that name, if the job got there."""
        return next((step for step in self.steps if step.name == name), None)

    def facts(self, name: str) -> dict[str, Any]:
        """What a step told, {} if there is none."""
        found = self.step(name)
        return found.facts if found else {}


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """One member of one model: what reading says, and what the object says.

    Attributes:
        asked: the calls that were done, each with its outcome.
        findings: the rules that have something to say about this member.
        why: what the disagreement is.
    """

    member: str
    static: Status
    provider: str | None = None
    runtime: Literal["present", "missing"]
    runtime_provider: str | None = None
    accord: Accord
    required_by: tuple[str, ...] = ()
    site: str = ""
    asked: tuple[dict[str, Any], ...] = ()
    findings: tuple[str, ...] = ()
    why: str | None = None


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """One algorithm: the verdict of reading, and what the same demands say of the object.

    Attributes:
        missing: members ("a|b" for an any-of) that the algorithm insists on and the object lacks.
        broken: members that it insists on and that fail when they are called.
        why: what the disagreement is.
    """

    algorithm: str
    static: VerdictWord
    running: Literal["ok", "missing", "broken"]
    missing: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    accord: Accord
    why: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Whatever it found to be wrong."""
        return (*self.missing, *self.broken)


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the run shows to be wrong with the model. An error fails the run, a warning doesn't.

    Attributes:
        about: the dotted class that it is about: the model's, or that of a draft beside it.
    """

    kind: str
    what: str
    severity: Severity
    where: str | None = None
    about: str = ""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The model beside Transformers' own, the same weights in both.

    Attributes:
        logits, decode: the largest difference of the logits after a prefill, and after one more step.
        states: the largest difference of a captured state from the nearest layer's.
        convention: which state a request for a layer gives.
    """

    reference: str
    logits: float
    decode: float
    states: float | None
    convention: str | None


class DraftResult(msgspec.Struct, frozen=True, kw_only=True):
    """A draft that was built beside a target; `reason` is why it was not."""

    name: str
    class_: str = msgspec.field(name="class")
    built: bool
    reason: str | None
    agreements: tuple[Agreement, ...]
    verdicts: tuple[Judgement, ...]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One model: built or not and why, what it was asked, where reading and running agree, what is wrong with it.

    Attributes:
        built: whether there was a model to ask.
        reason: why there was none, or why the process ended early.
        verdicts: one for each algorithm that was asked for and applies.
        drafts: the same for the drafts that were built beside it.
        raw: every step with all its facts.
    """

    class_: str = msgspec.field(name="class")
    name: str
    variant: str
    built: bool
    reason: str | None
    ended: Ended
    config_class: str | None
    assumed: dict[str, Any]
    agreements: tuple[Agreement, ...]
    verdicts: tuple[Judgement, ...]
    drafts: tuple[DraftResult, ...]
    problems: tuple[Problem, ...]
    comparison: Comparison | None
    states: tuple[int, ...]
    seconds: float
    peak_mb: int
    raw: tuple[Step, ...]

    @property
    def compared(self) -> dict[str, tuple[Agreement, ...]]:
        """What was compared of each class: the model's own, and that of each draft."""
        return {self.class_: self.agreements, **{one.class_: one.agreements for one in self.drafts}}

    @property
    def judged(self) -> dict[str, tuple[Judgement, ...]]:
        """The verdicts on each class: the model's own, and that of each draft."""
        return {self.class_: self.verdicts, **{one.class_: one.verdicts for one in self.drafts}}

    @property
    def disagreements(self) -> tuple[Disagreement, ...]:
        """Where reading was wrong: specint's own fault. A verdict adds nothing to a member that it is about."""
        members = [
            Disagreement(class_, one.member, one.why or "")
            for class_, found in self.compared.items()
            for one in found
            if one.accord == "disagree"
        ]
        known = {(one.class_, one.about) for one in members}
        verdicts = [
            Disagreement(class_, one.algorithm, one.why or "")
            for class_, judged in self.judged.items()
            for one in judged
            if one.accord == "disagree"
            and not known.intersection((class_, name) for label in one.names for name in label.split("|"))
        ]
        return tuple(dict.fromkeys([*members, *verdicts]))


class Disagreement(NamedTuple):
    """Reading and running contradict each other: of which class, about which member or algorithm, and how."""

    class_: str
    about: str
    why: str


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """A scheduler at work on a tiny target: with an algorithm and a tiny draft, or without speculation.

    Attributes:
        verdict: what reading says of the target under the algorithm; None without one.
        outcome: "not tried" where this machine, or a configuration that isn't complete, is why.
        trace: SGLang's lines that led to where it failed, the innermost last.
        worker: the class of the speculative worker.
        equal: whether the tokens are those that come without speculation; None where one of them gave none.
        greedy: whether they are those that Transformers takes; None where it has no such model.
        accept_length: tokens for each verification.
        golden: whether the draft's weights were made to guess right from the right states.
        changed: what was changed in SGLang and in Triton so that it runs here.
    """

    class_: str = msgspec.field(name="class")
    name: str
    algorithm: str
    draft: str | None
    verdict: VerdictWord | None
    outcome: Literal["served", "does not start", "stops", "not tried"]
    reason: str | None
    where: str | None
    trace: tuple[str, ...]
    worker: str | None
    tokens: tuple[tuple[int, ...], ...]
    equal: bool | None
    greedy: bool | None
    accept_length: float | None
    golden: bool
    changed: tuple[str, ...]
    seconds: float
    peak_mb: int
    accord: Accord
    why: str | None = None
    problems: tuple[Problem, ...]
    raw: tuple[Step, ...]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything of one run. `notes` are what may explain results and is neither the models' fault nor ours."""

    schema: str
    source: str
    ready: Ready
    algorithms: tuple[str, ...]
    notes: tuple[str, ...] = ()
    results: tuple[Result, ...]
    served: tuple[Served, ...] = ()
