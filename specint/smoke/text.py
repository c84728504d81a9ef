"""A run as text: one model in detail, or many in a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from specint.outputs.terminal import print_table
from specint.smoke.model import Agreement, Disagreement, Report, Result, Served, Step

if TYPE_CHECKING:
    from rich.console import Console

ATTACH = "please report it, with this output and that of `--format json`"


def print_report(console: Console, report: Report, *, detailed: bool) -> None:
    """Print everything; `detailed` for few models, a table for many."""
    ready = report.ready
    console.print(
        f"SGLang {ready.sglang} from {report.source}, run on {ready.device}: "
        f"torch {ready.torch}, transformers {ready.transformers}",
        soft_wrap=True,
    )
    if ready.stand_ins:
        console.print(f"stood in for, in the child process alone: {', '.join(ready.stand_ins)}", soft_wrap=True)
    for note in report.notes:
        console.print(Text(f"note: {note}", "yellow"), soft_wrap=True)
    console.print()
    if not report.results:
        pass
    elif detailed:
        for result in report.results:
            _print_result(console, result)
    else:
        _print_many(console, report.results)
    for served in report.served:
        _print_served(console, served)
    _print_disagreements(console, report)
    console.print(Text(summary(report)), soft_wrap=True)


def summary(report: Report) -> str:
    """The last line. What is said of one class several times, as of a draft beside each target, counts once."""
    results = report.results
    if report.served:
        return _served_in_short(report)
    built = [one for one in results if one.built]
    members = {(class_, one.member): one for each in built for class_, found in each.compared.items() for one in found}
    compared = [one for one in members.values() if one.accord in ("agree", "disagree")]
    present = sum(one.runtime == "present" for one in compared)
    unknown = sum(one.accord == "static unknown" for one in members.values())
    judged = {(class_, one.algorithm): one for each in built for class_, found in each.judged.items() for one in found}
    wrong = {one for each in results for one in each.disagreements}
    problems = {problem for one in results for problem in one.problems}
    errors = sum(problem.severity == "error" for problem in problems)
    text = f"{len(built)} of {len(results)} built"
    if len(results) > len(built):
        text += f", {len(results) - len(built)} not, each with its reason"
    text += (
        f"; {len(compared)} answers of reading and running compared, {present} of them of members that are there, "
        f"and {len(judged)} verdicts: {len(wrong)} disagree"
    )
    if unknown:
        text += f" ({unknown} more that reading left open)"
    return f"{text}; {errors} errors, {len(problems) - errors} warnings"


def _served_in_short(report: Report) -> str:
    speculating = [one for one in report.served if one.algorithm]
    served = [one for one in speculating if one.outcome == "served"]
    same = sum(one.equal is True for one in served)
    wrong = sum(one.accord == "disagree" for one in speculating)
    problems = [problem for one in report.served for problem in one.problems]
    errors = sum(problem.severity == "error" for problem in problems)
    return (
        f"{len(served)} of {len(speculating)} serve, {same} of them with the tokens that come without speculation; "
        f"{wrong} disagree with reading; {errors} errors, {len(problems) - errors} warnings"
    )


def _print_result(console: Console, result: Result) -> None:
    variant = f", {result.variant} embeddings" if result.variant else ""
    console.print(Text.assemble((result.name, "bold"), f"  {result.class_}{variant}"), soft_wrap=True)
    if not result.built:
        console.print(Text(f"  not built: {result.reason}", "yellow"), soft_wrap=True)
        console.print()
        return
    for line in _lines(result):
        console.print(Text(f"  {line}"), soft_wrap=True)
    console.print("  requirements")
    _print_requirements(console, result.agreements)
    for class_, found in {one.class_: one.agreements for one in result.drafts if one.agreements}.items():
        console.print(f"  requirements on the draft {class_}", soft_wrap=True)
        _print_requirements(console, found)
    for problem in result.problems:
        style = "bold red" if problem.severity == "error" else "yellow"
        where = f" ({problem.where})" if problem.where else ""
        about = "" if problem.about == result.class_ else f"{problem.about.rpartition('.')[2]}: "
        shown = Text.assemble("  ", (f"{problem.severity}: {problem.kind}", style), f": {about}{problem.what}{where}")
        console.print(shown, soft_wrap=True)
    console.print()


def _lines(result: Result) -> Iterator[str]:
    build = next(step for step in result.raw if step.name == "build")
    facts = build.facts
    yield (
        f"built from {result.config_class or 'a generic configuration'}: {facts['layers']} layers, "
        f"hidden {facts['hidden']}, vocabulary {facts['vocabulary']}, {facts['parameters']:,} parameters "
        f"on {', '.join(facts['devices'])}; {result.seconds:.1f} s, {result.peak_mb} MB"
    )
    if result.assumed:
        yield "assumed: " + ", ".join(f"{key} = {value}" for key, value in sorted(result.assumed.items()))
    if facts.get("emptied"):
        yield f"left out, since no speculative worker touches it: {', '.join(facts['emptied'])}"
    if result.reason:
        yield f"ended early: {result.reason}"
    steps = {step.name: step for step in result.raw}
    forward = steps.get("forward")
    if forward and forward.outcome == "ok":
        captured = forward.facts.get("captured") or []
        text = f"forward: logits {forward.facts['logits']}"
        if captured:
            text += f"; {forward.facts['capture']}({captured[0]['asked']}) gives {captured[0]['states']} states"
        elif forward.facts.get("capture") is None:
            text += "; nothing to choose layers with"
        yield text
    elif forward:
        yield f"forward: {forward.outcome}: {forward.reason}"
    for name in ("weights", "reference"):
        if name in steps and steps[name].outcome != "ok":
            yield f"reference: {steps[name].outcome}: {steps[name].reason}"
    if result.comparison:
        found = result.comparison
        states = "" if found.states is None else f", states {found.states:.1e}"
        yield (
            f"beside Transformers' {found.reference}, largest difference: logits {found.logits:.1e}, "
            f"decode {found.decode:.1e}{states}"
        )
        if found.convention:
            yield f"layer ids: {found.convention}"
    yield from _shared(steps.get("exchange"), "exchanges", "")
    for draft in result.drafts:
        if not draft.built:
            yield f"{draft.name} {draft.class_}: not built: {draft.reason}"
        yield from _shared(steps.get(f"{draft.name} hand over"), "handed_over", f"{draft.name} ")
        run = steps.get(f"{draft.name} forward")
        if run and run.outcome == "ok":
            yield (
                f"{draft.name} forward with the target's states: logits {run.facts['logits']}, "
                f"hidden {run.facts['hidden']}"
            )
        elif run:
            yield f"{draft.name} forward: {run.outcome}: {run.reason}"


def _shared(step: Step | None, name: str, before: str) -> Iterator[str]:
    for one in step.facts.get(name, ()) if step else ():
        if one["outcome"] == "ok":
            freed, after = one.get("allocated_before"), one.get("allocated_after")
            memory = "" if freed is None else f"; allocated {freed:,} before, {after:,} after"
            yield f"{before}{one['set']}: {one['what']}{memory}"


def _print_requirements(console: Console, agreements: Sequence[Agreement]) -> None:
    shown = [one for one in agreements if one.required_by or one.asked]
    width = max((len(one.member) for one in shown), default=0)
    for one in shown:
        reading = one.static + (f" ({', '.join(one.findings)})" if one.findings else "")
        calls = "".join(f"; {call['arguments']} {_call(call)}" for call in one.asked if call["outcome"] != "not called")
        text = f"    {one.member:{width}}  reading: {reading}; running: {one.runtime}{calls}"
        console.print(Text(text, "bold red" if one.accord == "disagree" else ""), soft_wrap=True)


def _call(call: dict[str, Any]) -> str:
    if call["what"] == "NoneType":
        return str(call["outcome"])
    return f"{call['outcome']}: {call['what']}"


def _print_many(console: Console, results: Sequence[Result]) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for name in ("model", "built", "agree", "disagree", "open", "required and missing, or what is wrong"):
        table.add_column(name, overflow="fold")
    for result in results:
        counts = Counter(one.accord for one in result.agreements)
        wrong = sum(one.class_ == result.class_ for one in result.disagreements)
        what = "; ".join(
            problem.what
            for problem in result.problems
            if problem.severity == "error" and problem.about == result.class_
        )
        if not result.built:
            what = result.reason or ""
        table.add_row(
            result.name,
            "yes" if result.built else "no",
            str(counts["agree"]) if result.built else "",
            Text(str(wrong), "bold red" if wrong else "") if result.built else "",
            str(counts["static unknown"]) if result.built else "",
            Text(what[:200]),
        )
    print_table(console, table)
    console.print()


def _print_served(console: Console, one: Served) -> None:
    under = f"{one.algorithm} with {one.draft}" if one.algorithm else "no speculation"
    console.print(Text.assemble((one.name, "bold"), f"  {under}"), soft_wrap=True)
    if one.outcome == "served":
        equal = {True: "equal to", False: "OTHER than", None: ""}
        said = [f"{equal[one.equal]} those without speculation" if one.equal is not None else ""]
        said.append(f"{equal[one.greedy]} Transformers' greedy tokens" if one.greedy is not None else "")
        worker = f" by {one.worker}" if one.worker else ""
        console.print(
            f"  serves{worker}: {len(one.tokens[0])} tokens for each of {len(one.tokens)} requests", soft_wrap=True
        )
        for text in filter(None, said):
            console.print(f"  tokens {text}", soft_wrap=True)
        if one.accept_length is not None:
            golden = " with a draft that guesses right from the right states" if one.golden else ""
            console.print(f"  accept length {one.accept_length}{golden}", soft_wrap=True)
    else:
        where = f" ({one.where})" if one.where else ""
        console.print(Text(f"  {one.outcome}: {one.reason}{where}", "yellow"), soft_wrap=True)
        for line in one.trace:
            console.print(Text(f"    {line}", "dim"), soft_wrap=True)
    if one.verdict is not None:
        console.print(f"  reading: {one.verdict}", soft_wrap=True)
    console.print(
        f"  {one.seconds:.1f} s, {one.peak_mb} MB; changed here: {', '.join(one.changed) or 'nothing'}", soft_wrap=True
    )
    for problem in one.problems:
        style = "bold red" if problem.severity == "error" else "yellow"
        shown = Text.assemble("  ", (f"{problem.severity}: {problem.kind}", style), f": {problem.what}")
        console.print(shown, soft_wrap=True)
    console.print()


def _print_disagreements(console: Console, report: Report) -> None:
    wrong = dict.fromkeys(one for result in report.results for one in result.disagreements)
    for served in report.served:
        if served.accord == "disagree":
            wrong[Disagreement(served.class_, served.algorithm, served.why or "")] = None
    if not wrong:
        return
    console.print(Text("SPECINT IS WRONG: reading and running disagree", "bold white on red"))
    for one in wrong:
        console.print(Text(f"  {one.class_}, {one.about}: {one.why}", "red"), soft_wrap=True)
    console.print(f"  {ATTACH}")
    console.print()
