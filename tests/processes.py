"""What a process said that must say nothing, without what asyncio says of a busy machine."""

import re

__all__ = ["without_slow_steps"]

# In debug mode (`PYTHONDEVMODE`, `PYTHONASYNCIODEBUG`) asyncio tells of every step that took long:
# a word about the machine, none about what is tested.
_SLOW_STEP = re.compile(r"^Executing <.*> took \d+\.\d+ seconds\n", re.MULTILINE)


def without_slow_steps(stderr: str) -> str:
    """`stderr` without these lines."""
    return _SLOW_STEP.sub("", stderr)
