"""A measurement as one line, and all lines as one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["COLUMNS", "Row", "as_table"]

COLUMNS = {
    "floor": "by hand",
    "openai_agents": "openai-agents",
    "pydantic_ai": "pydantic-ai",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One thing measured. Ratios have the unit `×`, and then `others["floor"]` is what 1 stands for."""

    what: str
    ours: float
    unit: str
    goal: float | None = None
    others: Mapping[str, float | str] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached, in the digits that are shown; None without a goal."""
        return None if self.goal is None else float(_digits(self.ours)) <= self.goal

    def cells(self) -> list[str]:
        verdict = {None: "", True: "yes", False: "**no**"}[self.met]
        goal = "" if self.goal is None else f"{self.goal:g} {self.unit}"
        others = (self.others.get(name, "") for name in COLUMNS)
        return [
            self.what,
            f"{_digits(self.ours)} {self.unit}",
            goal,
            verdict,
            *(
                other if isinstance(other, str) else f"{_digits(other)} {self.unit}"
                for other in others
            ),
        ]


def as_table(rows: Sequence[Row]) -> str:
    """Markdown, aligned so that it can be read as it is."""
    head = ["what", "toolcrib", "goal: at most", "met", *COLUMNS.values()]
    lines = [head, *(row.cells() for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "| "
        + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        + " |"
        for line in lines
    )


def _digits(number: float) -> str:
    if abs(number) >= 100 or isinstance(number, int):
        return f"{number:.0f}"
    return f"{number:.3g}" if abs(number) >= 10 else f"{number:.2f}"
