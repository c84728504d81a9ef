"""A draft's forward with what its worker gives it: before it is handed the target's tables, and after."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any

from .building import Built
from .capture import Run
from .channel import Channel, Skipped, said
from .forward import Engine
from .tables import Used, watched

ROLES = ("embedding", "head")
"""What the tables are, in the order in which a setter takes them."""


class Trial:
    """A draft that can run, and whether it did before it was given anything.

    Attributes:
        why_not: the reason for which its forward isn't tried at all.
        error: what its forward raised before the hand-over, None if it ran.
    """

    def __init__(
        self, package: str, target: Built, draft: Built, run: Run | None, job: dict[str, Any], takes: str
    ) -> None:
        self.package, self.target, self.draft, self.job, self.takes = package, target, draft, job, takes
        self.states: Any = None
        self.used = Used()
        self.error: str | None = None
        self.why_not = self._prepare(run)
        if self.why_not is None:
            try:
                self.forward()
            except Exception as error:
                self.error = said(error)

    def forward(self) -> Any:  # noqa: ANN401 - SGLang's output
        """Both sequences, with states or embeddings of the target."""
        engine = Engine(self.package, self.draft, self.job["device"])
        text = self.draft.text_config
        vocabulary = int(getattr(text, "draft_vocab_size", None) or text.vocab_size)
        with watched(engine.tensor(engine.tokens), vocabulary, int(text.hidden_size)) as self.used:
            if self.takes == "embeddings":
                return engine.prefill(input_embeds=self._embeddings(engine))
            return engine.prefill(spec_info=SimpleNamespace(hidden_states=self.states))

    def _prepare(self, run: Run | None) -> str | None:
        if not self.job["forward"]:
            return "no forward was asked for"
        if run is None:
            return "the target's forward gave nothing"
        if self.takes == "captured states":
            self.states = run.joined
            return None if self.states is not None else "the target gave no states"
        if self.takes == "last state":
            self.states = run.last
            return None if self.states is not None else "the target gave no last state"
        if self.takes == "embeddings":
            parameters = inspect.signature(self.draft.model.forward).parameters
            return None if "input_embeds" in parameters else "its forward takes no embeddings"
        return "what its worker gives to its forward is more than a step can stand for"

    def _embeddings(self, engine: Engine) -> Any:  # noqa: ANN401 - a tensor
        getter = next(one["name"] for one in self.job["settings"]["member"] if one.get("result") == "module")
        return getattr(self.target.model, getter)()(engine.tensor(engine.tokens))


def tell(trial: Trial, given: list[tuple[str, tuple[Any, ...]]], channel: Channel) -> None:
    """Run the forward again, after the hand-over: what it gives, and whether it uses each table as what it is."""
    if trial.why_not is not None:
        raise Skipped(trial.why_not)
    channel.tell(before=trial.error, takes=trial.takes)
    output = trial.forward()
    logits, hidden = output.next_token_logits, output.hidden_states
    shown = logits if logits is not None else hidden
    channel.tell(
        logits=None if logits is None else list(logits.shape),
        hidden=None if hidden is None else list(hidden.shape),
        finite=bool(shown.isfinite().all()),
        used=[
            {"set": setter, "given": role, "is": trial.used.role(table)}
            for setter, tables in given
            for role, table in zip(ROLES, tables, strict=False)
        ],
    )


def hot_tokens(draft: Built, job: dict[str, Any], channel: Channel) -> None:
    """Give the draft the table of a checkpoint that says which target token each of its own stands for."""
    import torch

    asked = {one["member"] for one in job["asks"] if one["role"] == "draft" and one["strength"] == "required"}
    for known in job["settings"]["hot-tokens"]:
        if known["member"] not in asked or not hasattr(draft.model, known["member"]):
            continue
        with channel.step("hot tokens"):
            size = min(8, int(draft.text_config.vocab_size) // 2)
            differences = torch.arange(size)
            try:
                draft.model.load_weights(iter([(known["weight"], differences)]))
            except Exception as error:
                raise Skipped(f"its load_weights takes no {known['weight']} by itself: {said(error)}") from error
            found = getattr(draft.model, known["member"])
            wanted = differences + torch.arange(size)
            same = (
                isinstance(found, torch.Tensor) and found.shape == wanted.shape and bool((found.cpu() == wanted).all())
            )
            channel.tell(member=known["member"], weight=known["weight"], found=type(found).__name__, same=same)
