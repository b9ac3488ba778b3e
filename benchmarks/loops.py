"""Measures whole conversations: over HTTP, in process, long ones, wide ones, and what they leave behind."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

from benchmarks.lab import PEERS, RUNNERS, Answers, Lab, interleaved, median_of, ratio
from benchmarks.table import Row

__all__ = ["check", "fan_out", "growth", "in_process", "kept", "over_http"]

Key = tuple[str, str]
"""Runner and kind of tool."""

KINDS = {
    "async": "async tool",
    "inline": "sync tool, inline",
    "sync": "sync tool, in a thread",
}


def check(lab: Lab) -> None:
    """Each runner against a server that refuses a wrong history; it also opens the connections."""
    for worker in lab.workers.values():
        for kind in ("async", "sync"):
            worker.ask("converse", way="http", model="checked-loop-5", tool=kind)
            worker.ask("converse", way="http", model="checked-loop-2-3", tool=kind)
            worker.ask("converse", way="in process", model="loop-2-3", tool=kind)


def over_http(lab: Lab) -> list[Row]:
    """CPU for each request of a conversation, against the hand-written loop."""
    rows: list[Row] = []
    for rounds, goal in ((20, 1.15), (200, 1.0)):
        # A long conversation takes the peers tens of seconds: once must do.
        fewer = lab.repeats(5, 2) if rounds == 20 else lab.repeats(1, 0)
        answers = _converse(lab, "http", rounds, lab.repeats(15, 5), fewer)
        rows += _ratios(answers, f"HTTP, {rounds} rounds", goal, rounds + 1)
    return rows


def in_process(lab: Lab) -> list[Row]:
    """CPU for each round of a conversation without HTTP, against the bare loop."""
    rows: list[Row] = []
    for rounds in (20, 100):
        answers = _converse(lab, "in process", rounds, lab.repeats(15, 5), lab.repeats(3, 1))
        rows += _ratios(answers, f"loop alone, {rounds} rounds", 3.0, rounds + 1)
    return rows


def growth(lab: Lab) -> list[Row]:
    """What a round costs at the end of a long conversation, against one near its beginning."""
    rows = []
    for way, words in (("http", "HTTP"), ("in process", "loop alone")):
        jobs = {
            name: lab.ask(name, "converse", way=way, model="loop-500", tool="async", gaps=True)
            for name in ("floor", "toolcrib")
        }
        answers = interleaved(lab.repeats(7, 2), jobs)
        found = {name: median(map(_growth, answers[name])) for name in jobs}
        others = {"floor": found["floor"]}
        rows.append(Row(f"{words}, round 500 / round 10", found["toolcrib"], "×", 1.3, others))
    return rows


def fan_out(lab: Lab) -> list[Row]:
    """Wall time of a conversation whose only round calls 64 tools of 50 ms."""
    rows = []
    for kind, words, goal in (("slow async", "async", 55.0), ("slow sync", "sync", 75.0)):
        jobs = {
            name: lab.ask(name, "converse", way="in process", model="loop-1-64", tool=kind)
            for name in RUNNERS
            if (name, kind) != ("floor", "slow sync")  # by hand, they run one after another
        }
        answers = interleaved(lab.repeats(7, 2), jobs)
        found = {name: median_of(answers[name], "wall") * 1e3 for name in jobs}
        rows.append(
            Row(f"64 {words} tools of 50 ms, one round", found.pop("toolcrib"), "ms", goal, found)
        )
    return rows


def kept(lab: Lab) -> list[Row]:
    """Memory that a finished conversation leaves behind."""
    found = {
        name: lab.workers[name].ask("keep", way="http", model="loop-10", tool="async", times=20)
        for name in RUNNERS
    }
    kilobytes = {name: answer["bytes"] / 1e3 for name, answer in found.items()}
    ours = kilobytes.pop("toolcrib")
    return [Row("memory kept per finished conversation", ours, "KB", 5.0, kilobytes)]


def _converse(lab: Lab, way: str, rounds: int, repeats: int, peer_repeats: int) -> Answers[Key]:
    # A conversation without HTTP takes too little to be measured alone.
    times = 20 if way == "in process" else 1
    jobs: dict[Key, Callable[[], dict[str, Any]]] = {}
    fewer: dict[Key, int] = {}
    for name in RUNNERS:
        for kind in KINDS if name == "toolcrib" else ("async", "sync"):
            slow = name in PEERS
            once = 1 if slow else times
            order = {"way": way, "model": f"loop-{rounds}", "tool": kind, "times": once}
            jobs[name, kind] = lab.ask(name, "converse", **order)
            if slow:
                fewer[name, kind] = peer_repeats
    return interleaved(repeats, jobs, fewer)


def _ratios(answers: Answers[Key], title: str, goal: float, requests: int) -> list[Row]:
    rows = []
    for kind, words in KINDS.items():
        plain = "async" if kind == "async" else "sync"  # by hand a sync tool is just called
        base = ("floor", plain)
        micro = median_of(answers[base], "cpu") / requests * 1e6
        others: dict[str, float | str] = {"floor": f"1 = {micro:.0f} µs"}
        others |= {
            name: ratio(answers, (name, kind), base) for name in PEERS if answers.get((name, kind))
        }
        wanted = None if kind == "sync" else goal  # a hop to a thread has its price
        ours = ratio(answers, ("toolcrib", kind), base)
        rows.append(Row(f"{title}, {words}", ours, "×", wanted, others))
    return rows


def _growth(answer: dict[str, Any]) -> float:
    gaps = answer["gaps"]
    return float(median(gaps[-12:-1]) / median(gaps[5:16]))
