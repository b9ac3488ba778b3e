"""Where the time of a conversation goes, by function: `python -m benchmarks.profile_runner --help`."""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import importlib
import os
import pstats
import subprocess
import sys

from benchmarks.environments import ROOT, prepare, python_of
from benchmarks.lab import RUNNERS
from benchmarks.processes import Server
from benchmarks.worker import Runner


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runner", nargs="?", choices=RUNNERS, default="toolcrib")
    parser.add_argument("--way", choices=("http", "in process"), default="in process")
    parser.add_argument("--model", default="loop-100", help="loop-ROUNDS or loop-ROUNDS-CALLS")
    parser.add_argument("--tool", default="async", help="async, sync or inline")
    parser.add_argument("--sort", default="tottime", help="tottime or cumtime")
    parser.add_argument("--lines", type=int, default=40)
    given = parser.parse_args()
    if sys.executable != python_of(given.runner):  # the runner is installed only in its own
        prepare(given.runner)
        again = [python_of(given.runner), "-m", "benchmarks.profile_runner", *sys.argv[1:]]
        raise SystemExit(subprocess.run(again, cwd=ROOT).returncode)
    os.environ["NO_PROXY"] = "127.0.0.1"
    runner: Runner = importlib.import_module(f"benchmarks.peers.{given.runner}_peer").RUNNER
    with Server() as server:
        asyncio.run(_profile(runner, server.address, given))


async def _profile(runner: Runner, address: str, given: argparse.Namespace) -> None:
    converse = runner.conversations[given.way](address)
    for _ in range(3):
        await converse(given.model, given.tool)
    with cProfile.Profile() as profile:
        for _ in range(10):
            await converse(given.model, given.tool)
    pstats.Stats(profile).sort_stats(given.sort).print_stats(given.lines)


if __name__ == "__main__":
    main()
