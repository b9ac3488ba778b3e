"""What all measurements share: the live runners, and interleaving."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeVar

from benchmarks.processes import Server, Worker

__all__ = ["PEERS", "RUNNERS", "Answers", "Lab", "interleaved", "median_of", "ratio"]

PEERS = ("openai_agents", "pydantic_ai")
RUNNERS = ("floor", "toolcrib", *PEERS)

Key = TypeVar("Key", bound=Hashable)
Answers = dict[Key, list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Lab:
    """One server, one live process for each runner, and how thorough to be."""

    workers: Mapping[str, Worker]
    address: str
    quick: bool

    @classmethod
    def open(cls, stack: ExitStack, *, quick: bool) -> Lab:
        """Start everything; it ends with `stack`."""
        server = stack.enter_context(Server())
        workers = {name: stack.enter_context(Worker(name, server.address)) for name in RUNNERS}
        return cls(workers, server.address, quick)

    def ask(self, runner: str, do: str, **order: Any) -> Callable[[], dict[str, Any]]:
        """An order to be given later."""
        return lambda: self.workers[runner].ask(do, **order)

    def repeats(self, thorough: int, quick: int) -> int:
        """How often to measure."""
        return quick if self.quick else thorough


def interleaved(
    repeats: int,
    jobs: Mapping[Key, Callable[[], dict[str, Any]]],
    fewer: Mapping[Key, int] | None = None,
) -> Answers[Key]:
    """Each job so many times, in an order shuffled anew each time, so that what slows the machine
    down for a while slows all of them. What takes long may be done `fewer` times."""
    answers: Answers[Key] = {key: [] for key in jobs}
    for repeat in range(repeats):
        order = list(jobs)
        random.Random(repeat).shuffle(order)
        for key in order:
            if repeat < (fewer or {}).get(key, repeats):
                answers[key].append(jobs[key]())
    return answers


def median_of(answers: list[dict[str, Any]], field: str) -> float:
    return float(median(answer[field] for answer in answers))


def ratio(answers: Answers[Key], key: Key, base: Key, field: str = "cpu") -> float:
    """How many times as much as `base` it takes: the median of the ratios within each repeat."""
    pairs = zip(answers[key], answers[base], strict=False)
    return float(median(ours[field] / theirs[field] for ours, theirs in pairs))
