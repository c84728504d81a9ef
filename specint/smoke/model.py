"""What a smoke load is asked to do, and what came of it, as data."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from specint.compliance.model import Status
from specint.contract.model import Condition

Ended = Literal["done", "crashed", "timed out", "out of memory", "not started"]
Accord = Literal["agree", "disagree", "static unknown", "not asked"]
Severity = Literal["error", "warning"]


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One requirement, as the child needs it. `calls` are the numbers of positional arguments to call it with."""

    member: str
    role: str
    use: str
    strength: str
    algorithms: tuple[str, ...]
    calls: tuple[int, ...] = ()
    unpacks: int | None = None
    group: str | None = None
    condition: Condition | None = None
    site: str = ""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One model to build and to ask.

    Attributes:
        class_: the dotted class.
        variant: what is set in its configuration beside its own: "tied", "untied", or "".
        members: every member that the contract names; whether the object has it is compared with the static answer.
        capture: the setters for layers to capture, by preference.
        inner: the attributes that hold an inner model.
        given: keys of the configuration that are set whatever its class says.
        draft: the class that is built beside the target, None for none.
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
    draft: str | None = None
    draft_given: dict[str, Any] = {}
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
    """What a child found when it imported SGLang."""

    sglang: str
    sglang_at: str
    torch: str
    transformers: str
    device: str
    registered: int
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


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the run shows to be wrong with the model. An error fails the run, a warning doesn't."""

    kind: str
    what: str
    severity: Severity
    where: str | None = None


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


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One model: built or not and why, what it was asked, where reading and running agree, what is wrong with it.

    Attributes:
        built: whether there was a model to ask.
        reason: why there was none, or why the process ended early.
        draft: the same for the draft that was built beside it.
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
    draft: str | None
    draft_agreements: tuple[Agreement, ...]
    problems: tuple[Problem, ...]
    comparison: Comparison | None
    states: tuple[int, ...]
    seconds: float
    peak_mb: int
    raw: tuple[Step, ...]

    @property
    def disagreements(self) -> tuple[Agreement, ...]:
        """Where reading was wrong: specint's own fault."""
        return tuple(one for one in (*self.agreements, *self.draft_agreements) if one.accord == "disagree")


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything of one run."""

    schema: str
    source: str
    ready: Ready
    algorithms: tuple[str, ...]
    results: tuple[Result, ...]
