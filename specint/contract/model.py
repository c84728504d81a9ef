"""What the spec workers and the model runner ask of a model object, as data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

Role = Literal["target", "draft", "both", "inner", "class"]
Use = Literal["call", "read", "write"]
Strength = Literal["required", "raises", "optional", "any-of", "conditional"]


class Site(msgspec.Struct, frozen=True, order=True):
    """One place that touches a model object.

    Attributes:
        file: relative to the folder that holds the `sglang` package.
        algorithms: under which of the requirement's algorithms the line runs; empty where every server runs it.
        conditions: how many conditions on the server's make-up stand around it that nothing decides here.
        raised_at: the line of the function that raises where the member is missing, 0 where the touch itself fails.
    """

    file: str
    line: int
    function: str
    algorithms: tuple[str, ...] = ()
    conditions: int = 0
    raised_at: int = 0

    def under(self, algorithms: Iterable[str]) -> tuple[str, ...]:
        """Which of these algorithms come by here, in their order."""
        return tuple(name for name in algorithms if not self.algorithms or name in self.algorithms)


class CallShape(msgspec.Struct, frozen=True, order=True):
    """How one or more sites call a member.

    Attributes:
        positional: the most positional arguments that any site hands over.
        keywords: the keyword arguments of the sites, sorted.
        unpacks: into how many names the result is unpacked, None where it is not.
        fewest: the fewest positional arguments; less than `positional` means that the parameter needs a default.
        starred: a site hands over `*args` or `**kwargs`, so the figures above are lower bounds.
    """

    positional: int = 0
    keywords: tuple[str, ...] = ()
    unpacks: int | None = None
    fewest: int = 0
    starred: bool = False


class Condition(msgspec.Struct, frozen=True, order=True):
    """A requirement holds only if the same model object has (`holds`) or lacks another member."""

    member: str
    holds: bool


class Requirement(msgspec.Struct, frozen=True, kw_only=True):
    """One member that callers ask of a model object in one role.

    Attributes:
        algorithms: names as in `SpeculativeAlgorithm`, sorted; empty where no algorithm decides (every server asks).
        strength: `required` (unguarded, AttributeError), `raises` (guarded in form, an error by name in fact),
            `any-of` (one member of `group` is enough, first is preferred), `conditional` (see `condition`),
            `optional` (a usable default).
        call: how it is called, by all sites together; `calls`: where no server comes by all of them, the shapes of
            which one must fit.
        group: the members of an any-of, in the order in which the caller tries them, joined by "|".
        interface: which contract it belongs to; "speculative" is the one that verdicts are about.
        decided_by: the line that sets the strength: the raise, the hasattr, the handler; else the first site. Its
            `algorithms` say nothing.
        unconditional: some site stands under no condition that is open (on data, on configuration, on another object).
        settings: conditions on configuration (not on the model) that are open, as written in the source.
    """

    role: Role
    member: str
    use: Use
    algorithms: tuple[str, ...]
    strength: Strength
    sites: tuple[Site, ...]
    group: str | None = None
    call: CallShape | None = None
    calls: tuple[CallShape, ...] = ()
    condition: Condition | None = None
    interface: str = "speculative"
    decided_by: Site | None = None
    settings: tuple[str, ...] = ()
    unconditional: bool = True

    def sites_under(self, algorithms: Iterable[str]) -> tuple[Site, ...]:
        """The sites where one of these algorithms comes by; all of them where none is named."""
        names = tuple(algorithms)
        return tuple(site for site in self.sites if not names or site.under(names))

    @property
    def shapes(self) -> tuple[CallShape, ...]:
        """The shapes of which one must fit a signature; none where the member isn't called."""
        return self.calls or ((self.call,) if self.call is not None else ())


def telling_site(requirements: Iterable[Requirement], algorithms: Iterable[str]) -> Site:
    """The site to name where one must do: the first at which the most of these algorithms ask, under the fewest
    conditions: what another kind of server reaches doesn't fail first."""
    names = tuple(algorithms)
    sites = [site for requirement in requirements for site in requirement.sites]
    return min(sites, key=lambda site: (-len(site.under(names)), site.conditions))


def failing_site(requirements: Iterable[Requirement], algorithms: Iterable[str]) -> Site:
    """The same, at the line where a model without the member fails: the raise, where its absence was looked for."""
    site = telling_site(requirements, algorithms)
    return msgspec.structs.replace(site, line=site.raised_at) if site.raised_at else site


class Unread(msgspec.Struct, frozen=True):
    """Why nothing is known of what an algorithm asks, and where it is registered ("" where the enum names it)."""

    reason: str
    file: str = ""
    line: int = 0


class Unanswered(msgspec.Struct, frozen=True):
    """A worker class that can't answer what is asked of every worker: where it is, why, and a line that asks."""

    class_: str = msgspec.field(name="class")
    file: str
    line: int
    column: int
    reason: str
    site: Site
    algorithms: tuple[str, ...]


class WorkerDemand(msgspec.Struct, frozen=True, kw_only=True):
    """One member that the code around the workers asks of whatever worker an algorithm has."""

    member: str
    use: Literal["call", "read"]
    algorithms: tuple[str, ...]
    sites: tuple[Site, ...]
    lacking: tuple[Unanswered, ...] = ()


class Contract(msgspec.Struct, frozen=True, kw_only=True):
    """All requirements of one tree.

    Attributes:
        algorithms: every speculative algorithm of the tree, in the order of its enum, without NONE.
        aliases: other names that a user may pass (`NEXTN`) and the algorithm each turns into.
        workers: algorithm to the dotted names of the worker classes that serve it.
        apart: a worker class's dotted name to the functions (`file:name`, as a site has them) that only other workers
            of its algorithms run.
        demands: what the code around the workers asks of the workers themselves.
        one_stage: the algorithms that refuse a server of several pipeline stages, each with the line that does.
        unread: the algorithms of which no worker was found, each with the reason: what they ask isn't known.
    """

    requirements: tuple[Requirement, ...]
    algorithms: tuple[str, ...]
    aliases: dict[str, str] = {}
    workers: dict[str, tuple[str, ...]] = {}
    apart: dict[str, tuple[str, ...]] = {}
    unread: dict[str, Unread] = {}
    one_stage: dict[str, str] = {}
    demands: tuple[WorkerDemand, ...] = ()
