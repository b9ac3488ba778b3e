"""How many examples a property tries: `make torture` asks for many times as many."""

import os

FACTOR = int(os.environ.get("TOOLCRIB_TORTURE", "1"))


def examples(usual: int) -> int:
    """As many as usual, times the effort that was asked for."""
    return usual * FACTOR
