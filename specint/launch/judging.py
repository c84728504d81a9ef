"""What the worker that was chosen asks of a side, and whether its class has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from specint.errors import SpecintError

if TYPE_CHECKING:
    from specint.analysis.model import Analysis
    from specint.contract.model import Contract, Requirement, Site


class Lack(msgspec.Struct, frozen=True, kw_only=True):
    """A hook that the worker asks of a side and that its class lacks."""

    side: str
    member: str
    status: str
    file: str = ""
    line: int = 0
    reason: str = ""

    @property
    def fatal(self) -> bool:
        """Whether the launch fails of it: a hook that isn't there, or one that can't work as it is."""
        return self.status in ("missing", "broken")


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What compliance says of a class under an algorithm and its worker."""

    roles: tuple[str, ...]
    lacks: tuple[Lack, ...]


def worker_named(name: str, file: str | None) -> str:
    """A worker's dotted class."""
    return f"{(file or '').removesuffix('.py').replace('/', '.')}.{name}"


Analyse = Callable[[tuple[str, ...]], "Analysis"]
"""The analysis of a tree, of these dotted classes alone; of all for none."""


class Judge:
    """What classes lack, by an analysis that is made when the first is asked about.

    For one launch its own classes are enough. As soon as a launch has others, all are judged at once.
    """

    def __init__(self, analyse: Analyse, several: bool = False) -> None:
        self._analyse = analyse
        self._several = several
        self._analysis: Analysis | None = None
        self._about: frozenset[str] | None = frozenset()
        self.lost = False
        """Whether an analysis could not be had."""

    def about(self, classes: Sequence[str]) -> None:
        """Get ready for the classes of a launch."""
        if self._about is None or (self._about and self._about.issuperset(classes)):
            return
        only = () if self._several or self._about else tuple(sorted(classes))
        self._about = frozenset(only) or None
        try:
            self._analysis = self._analyse(only)
        except SpecintError:
            self._analysis, self._about, self.lost = None, None, True

    def judged(self, side: str, dotted: str, algorithm: str, worker: str) -> Judged | None:
        """What a class lacks as target or draft, for a worker by its dotted name; None where it isn't judged."""
        analysis = self._analysis
        model = next((one for one in analysis.models if one.class_ == dotted), None) if analysis is not None else None
        if analysis is None or model is None:
            return None
        verdict = model.algorithms.get(algorithm)
        applicable = verdict is not None and (side in model.roles or side == "target")
        lacks = []
        for status in ("missing", "broken", "unknown") if applicable else ():
            for member in getattr(verdict, status, ()):
                lack = lacking(analysis.contract, side, member, status, algorithm, worker)
                if lack is not None and status == "broken":
                    lack = msgspec.structs.replace(lack, reason=_why_broken(analysis, dotted, member, algorithm))
                if lack is not None:
                    lacks.append(lack)
        return Judged(roles=model.roles, lacks=tuple(lacks))


def lacking(contract: Contract, side: str, member: str, status: str, algorithm: str, worker: str) -> Lack | None:
    """What a member that a class has not (or has wrongly) means for this worker; None where it doesn't ask for it.

    An algorithm may have several workers, of which one runs: an algorithm's verdict is about all of them.
    """
    apart = frozenset(contract.apart.get(worker, ()))
    asking = [
        requirement
        for requirement in contract.requirements
        if requirement.role in (side, "both", "class") and member in (requirement.member, requirement.group)
    ]
    sites = [site for requirement in asking for site in requirement.sites_under([algorithm])]
    own = [site for site in sites if _place(site) not in apart]
    if sites and not own:
        return None
    reason = ""
    if status == "missing" and _settled_apart(asking, algorithm, apart):
        status, reason = "unknown", "only another worker of this algorithm asks for it in a way that can't do without"
    file = worker.rpartition(".")[0].replace(".", "/") + ".py"
    best = next((site for site in own if site.file == file), own[0] if own else None)
    return Lack(side=side, member=member, status=status, reason=reason,
                file=best.file if best else "", line=best.line if best else 0)  # fmt: skip


def _why_broken(analysis: Analysis, dotted: str, member: str, algorithm: str) -> str:
    """What the rules say of a member that is there and can't work."""
    from specint.checks.catalog import all_rules

    breaking = {rule.symbol for rule in all_rules() if rule.breaks}
    said = [
        finding
        for finding in analysis.findings
        if finding.class_ == dotted
        and finding.rule in breaking
        and member in finding.hooks
        and (not finding.algorithms or algorithm in finding.algorithms)
    ]
    return f"{said[0].message} ({said[0].rule}, {said[0].file}:{said[0].line})" if said else ""


def _settled_apart(asking: Sequence[Requirement], algorithm: str, apart: frozenset[str]) -> bool:
    """Whether every line that makes a member necessary is one of another worker."""
    deciding = [one.decided_by for one in asking if one.decided_by is not None and one.sites_under([algorithm])]
    return bool(deciding) and all(_place(site) in apart for site in deciding)


def _place(site: Site) -> str:
    return f"{site.file}:{site.function}"
