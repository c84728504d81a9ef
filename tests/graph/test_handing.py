"""The calls that Python's own functions make of what they are handed, against what Python does."""

from __future__ import annotations

import pytest

from specint.facts import model as facts
from specint.facts.extract import extract
from specint.graph.handing import calls_of

# `*x` in the middle of a call stands for an element of x.
CASES = {
    "map(f, x)": ["f(*x)"],
    "map(f, x, y)": ["f(*x, *y)"],
    "map(f)": [],
    "filter(f, x)": ["f(*x)"],
    "starmap(f, [(1, 2), (3,)])": ["f(1, 2)", "f(3)"],
    "itertools.starmap(f, ((1, 2),))": ["f(1, 2)"],
    "starmap(f, [(1, 2), x])": ["f(1, 2)"],
    "starmap(f, x)": [],
    "starmap(f)": [],
    "sorted(x, key=f)": ["f(*x)"],
    "sorted(x)": [],
    "sorted(x, reverse=f)": [],
    "sorted(key=f)": [],
    "x.sort(key=f)": ["f(*x)"],
    "max(x, key=f)": ["f(*x)"],
    "min(x, key=f)": ["f(*x)"],
    "reduce(f, x)": ["f(*x, *x)"],
    "reduce(f, x, 0)": ["f(0, *x)"],
    "functools.reduce(f, x, 0)": ["f(0, *x)"],
    "reduce(f)": [],
    "pool.submit(f, 1, k=2)": ["f(1, k=2)"],
    "pool.submit(f)": ["f()"],
    "pool.submit()": [],
    "asyncio.to_thread(f, 1)": ["f(1)"],
    "loop.call_soon(f, 1)": ["f(1)"],
    "loop.call_soon_threadsafe(f, 1)": ["f(1)"],
    "stack.callback(f, 1)": ["f(1)"],
    "loop.run_in_executor(None, f, 1)": ["f(1)"],
    "loop.run_in_executor(None)": [],
    "loop.call_later(3, f, 1)": ["f(1)"],
    "Thread(target=f)": ["f()"],
    "threading.Thread(target=f, args=(1, 2))": ["f(1, 2)"],
    "Thread(None, f)": ["f()"],
    "Thread(target=f, kwargs={'k': 1})": ["f(k=1)"],
    "Thread(target=f, args=(1,), kwargs={'k': 2, x: 3, 4: 5})": ["f(1, k=2)"],
    "Thread(target=f, args=x, kwargs=y)": ["f()"],
    "Process(target=f, args=(1,))": ["f(1)"],
    "Timer(3, f)": ["f()"],
    "Timer(3, f, [1])": ["f(1)"],
    "Timer(3, function=f, args=[1])": ["f(1)"],
    "Thread()": [],
    "Thread(3)": [],
    "f(x)": [],
    "f(x)(y)": [],
}


def value(text: str) -> facts.Expr:
    (step,) = extract(text, name="m", path="m.py").body.steps
    assert isinstance(step, facts.Evaluate)
    return step.value


@pytest.mark.parametrize("text", CASES)
def test_what_is_called(text: str) -> None:
    call = value(text)
    assert isinstance(call, facts.Call)
    made = calls_of(call)
    assert [spelled(one) for one in made] == CASES[text]
    assert all(one.line == call.line for one in made)


def spelled(call: facts.Call) -> str:
    args = [
        f"*{facts.spell(one.args[0].args[0])}"
        if isinstance(one, facts.Call) and facts.spell(one).startswith("next(iter(")
        else facts.spell(one)
        for one in call.args
    ]
    return (
        f"{facts.spell(call.func)}({', '.join([*args, *(f'{k.name}={facts.spell(k.value)}' for k in call.keywords)])})"
    )
