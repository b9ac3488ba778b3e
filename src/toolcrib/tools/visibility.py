"""The two result attributes by which tools become visible; they are read from the history.

The keys are a compatibility contract with stored conversations: never rename them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["ACTIVATED_SKILL", "FOUND_TOOLS", "without_relay_keys"]

FOUND_TOOLS: Final = "found_tools"
"""A list of exposed tool names that a search found."""
ACTIVATED_SKILL: Final = "activated_skill"
"""The name of a skill that was activated."""


def without_relay_keys(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """The attributes of a result of any tool but our own search and skill tools."""
    if FOUND_TOOLS not in attributes and ACTIVATED_SKILL not in attributes:
        return attributes
    return {k: v for k, v in attributes.items() if k not in (FOUND_TOOLS, ACTIVATED_SKILL)}
