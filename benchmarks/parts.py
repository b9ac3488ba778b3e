"""Measures single parts: streamed events, arguments, registration, import, installed size."""

from __future__ import annotations

import json
import subprocess
from functools import partial
from typing import Any

from benchmarks.environments import footprint, python_of
from benchmarks.lab import PEERS, RUNNERS, Lab, interleaved, median_of, ratio
from benchmarks.processes import Worker
from benchmarks.table import Row

__all__ = ["arguments", "face", "installed", "registration", "streaming"]


def streaming(lab: Lab) -> list[Row]:
    """CPU for each event of a streamed text."""
    events = 2_000
    jobs = {
        (name, way): lab.ask(name, "stream", way=way, characters=4 * events)
        for name, way in (
            ("floor", "model"),
            ("toolcrib", "model"),
            ("toolcrib", "agent"),
            *((peer, "agent") for peer in PEERS),
        )
    }
    answers = interleaved(lab.repeats(11, 3), jobs, {(peer, "agent"): 3 for peer in PEERS})
    micro = {key: median_of(found, "cpu") / events * 1e6 for key, found in answers.items()}
    floor = {"floor": micro["floor", "model"]}
    peers = {peer: micro[peer, "agent"] for peer in PEERS}
    return [
        Row("streamed event, from the model", micro["toolcrib", "model"], "µs", 25.0, floor),
        Row("streamed event, from the agent", micro["toolcrib", "agent"], "µs", None, peers),
    ]


def arguments(lab: Lab) -> list[Row]:
    """CPU of one call: the model's text, checked, handed to a sync function."""
    rows = []
    for what, goal in (("two ints", 8.0), ("nested order", 25.0)):
        times = lab.repeats(2_000, 500)
        jobs = {name: lab.ask(name, "read", what=what, times=times) for name in RUNNERS}
        answers = interleaved(lab.repeats(11, 3), jobs)
        micro = {name: median_of(answers[name], "cpu") * 1e6 for name in jobs}
        rows.append(Row(f"arguments to call, {what}", micro.pop("toolcrib"), "µs", goal, micro))
    return rows


def registration(lab: Lab) -> list[Row]:
    """CPU until 1,000 realistic functions have their schemas, in a fresh process each time."""

    def fresh(name: str) -> dict[str, Any]:
        with Worker(name, lab.address) as worker:
            return worker.ask("register", count=1_000)

    names = ("toolcrib", *PEERS)
    jobs = {name: partial(fresh, name) for name in names}
    answers = interleaved(lab.repeats(5, 2), jobs)
    seconds = {name: median_of(answers[name], "cpu") for name in names}
    return [Row("register 1,000 functions", seconds.pop("toolcrib"), "s", 0.15, seconds)]


FACES = {
    "floor": "from pydantic import BaseModel, TypeAdapter",
    "toolcrib": "from toolcrib import tool, Toolbox, Agent",
    "openai_agents": "from agents import Agent, Runner, function_tool",
    "pydantic_ai": "from pydantic_ai import Agent, Tool",
}
_PROBE = """
import json, sys, sysconfig, time
before = set(sys.modules)
cpu = time.process_time()
{face}
cpu = time.process_time() - cpu
loaded = {{name.partition(".")[0] for name in set(sys.modules) - before}}
loaded -= {{*sys.stdlib_module_names, "toolcrib", sysconfig._get_sysconfigdata_name()}}
print(json.dumps({{"cpu": cpu, "loaded": sorted(loaded)}}))
"""


def face(lab: Lab) -> list[Row]:
    """CPU of importing the face, against what pydantic's takes, and what it loads."""

    def probe(name: str) -> dict[str, Any]:
        code = _PROBE.format(face=FACES[name])
        # Where nothing of this repository but what is installed can be found.
        done = subprocess.run(
            [python_of(name), "-I", "-c", code], check=True, stdout=subprocess.PIPE, text=True
        )
        found = json.loads(done.stdout)
        assert isinstance(found, dict)
        return found

    jobs = {name: partial(probe, name) for name in FACES}
    for job in jobs.values():  # warms the file cache and writes bytecode
        job()
    answers = interleaved(lab.repeats(21, 7), jobs, dict.fromkeys(PEERS, 5))
    milli = median_of(answers["floor"], "cpu") * 1e3
    others: dict[str, float | str] = {"floor": f"1 = {milli:.0f} ms"}
    others |= {peer: ratio(answers, peer, "floor") for peer in PEERS}
    loaded = {name: answers[name][0]["loaded"] for name in FACES}
    packages = {name: len(loaded[name]) for name in ("floor", *PEERS)}
    return [
        Row("import, against pydantic", ratio(answers, "toolcrib", "floor"), "×", 1.6, others),
        Row("third-party packages loaded by import", len(loaded["toolcrib"]), "", None, packages),
    ]


def installed(lab: Lab) -> list[Row]:
    """What an installation of the core brings."""
    found = {name: footprint(name) for name in ("toolcrib", *PEERS)}
    counts = {name: one.distributions for name, one in found.items()}
    sizes = {name: one.megabytes for name, one in found.items()}
    return [
        Row("distributions installed", counts.pop("toolcrib"), "", 15, counts),
        Row("installed, without bytecode", sizes.pop("toolcrib"), "MB", 15, sizes),
    ]
