"""Measures everything, interleaved, and prints one table: `python -m benchmarks.run [--quick]`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from datetime import UTC, datetime
from time import perf_counter

from benchmarks import loops, parts
from benchmarks.environments import ROOT, prepare
from benchmarks.lab import RUNNERS, Lab
from benchmarks.table import Row, as_table

RESULTS = ROOT / ".bench-results"

MEASUREMENTS: dict[str, Callable[[Lab], list[Row]]] = {
    "http": loops.over_http,
    "loop": loops.in_process,
    "growth": loops.growth,
    "fan-out": loops.fan_out,
    "arguments": parts.arguments,
    "registration": parts.registration,
    "import": parts.face,
    "installed": parts.installed,
    "streaming": parts.streaming,
    "memory": loops.kept,
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="fewer repeats: for a look, not for a claim"
    )
    parser.add_argument(
        "--only", metavar="NAME", nargs="+", choices=MEASUREMENTS, default=list(MEASUREMENTS),
        help=f"of {', '.join(MEASUREMENTS)}",
    )  # fmt: skip
    given = parser.parse_args(arguments)
    for name in RUNNERS:
        prepare(name)
    rows: list[Row] = []
    with ExitStack() as stack:
        lab = Lab.open(stack, quick=given.quick)
        loops.check(lab)
        stack.callback(_report, rows, quick=given.quick)  # also of what there is when one fails
        for name in given.only:
            print(f"Measuring {name} ...", end="", file=sys.stderr, flush=True)
            started = perf_counter()
            rows += MEASUREMENTS[name](lab)
            print(f" {perf_counter() - started:.0f} s", file=sys.stderr)


def _machine() -> str:
    now = datetime.now(UTC)
    return (
        f"{now:%Y-%m-%d}, {os.cpu_count()} cores, {platform.system()}, "
        f"{platform.python_implementation()} {platform.python_version()}"
    )


def _report(rows: Sequence[Row], *, quick: bool) -> None:
    print(f"\n{_machine()}\n\n{as_table(rows)}")
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{datetime.now(UTC):%Y%m%d-%H%M%S}.json"
    found = [{**asdict(row), "met": row.met} for row in rows]
    path.write_text(json.dumps({"machine": _machine(), "quick": quick, "rows": found}, indent=1))
    print(f"\nAlso in {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
