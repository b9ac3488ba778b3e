"""A round as a person sees and changes it, between the model's replies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolcrib.chat import ChatReply, NamedTool, ToolChoice
from toolcrib.errors import ConfigurationError
from toolcrib.messages import Message, SystemMessage, UserMessage
from toolcrib.tools.catalog import Catalog, Listed
from toolcrib.tools.execution import ToolExecution
from toolcrib.tools.methods import as_tools
from toolcrib.tools.tool import Tool

__all__ = ["Step"]


class Step:
    """Where a run stands: everything so far is written down, and nothing new has been asked.

    The first step comes before the first request, the last one (`last`) after the run's end. What
    is changed here holds for the next request; the tools and messages hold for the rest of the run.
    """

    def __init__(
        self,
        number: int,
        messages: Sequence[Message],
        tools: Catalog,
        reply: ChatReply | None,
        executions: Sequence[ToolExecution],
        *,
        last: bool = False,
    ) -> None:
        self.number = number
        """Counts from 0."""
        self.messages = messages
        """The whole history so far."""
        self.tools = tools
        self.reply = reply
        """What the model said in the round that has just ended; None in the first step."""
        self.executions = tuple(executions)
        """The calls of the round that has just ended."""
        self.last = last
        self.inserted: list[SystemMessage | UserMessage] = []
        self.removed: set[str] = set()
        self.tool_choice: ToolChoice = "auto"
        """For the next request only."""
        self.stop_reason: str | None = None

    def __repr__(self) -> str:
        last = ", the last" if self.last else ""
        return f"<Step {self.number}{last}: {len(self.messages)} messages, {len(self.executions)} calls>"

    @property
    def visible(self) -> tuple[Listed, ...]:
        """The tools that the model is shown, with origin and reason."""
        return self.tools.visible

    @property
    def available(self) -> tuple[Listed, ...]:
        """The tools that a call can reach, with origin and reason."""
        return self.tools.available

    def insert(self, *messages: SystemMessage | UserMessage) -> None:
        """Say something more before the model is asked again."""
        for message in messages:
            if not isinstance(message, SystemMessage | UserMessage):
                raise ConfigurationError(
                    f"Only system and user messages can be inserted, not {type(message).__name__}: "
                    "calls and results must stay paired."
                )
        self.inserted.extend(messages)

    def add_tool(self, tool: Any) -> None:
        """List one more tool, or function. Raises `ConfigurationError` if its name is taken."""
        for one in as_tools([tool]):
            if not isinstance(one, Tool):
                raise ConfigurationError(f"add_tool takes one tool or function, not {tool!r:.80}.")
            self.tools = self.tools.grown(one, [one])

    def remove_tool(self, name: str) -> None:
        """Take a tool away for the rest of the run; only this can."""
        if self.tools.get(name) is None:
            there = ", ".join(one.name for one in self.tools.available) or "none"
            raise ConfigurationError(f"There is no tool {name!r} to remove; there are: {there}.")
        self.tools = self.tools.without(name)
        self.removed.add(name)

    def stop(self, reason: str = "cancelled") -> None:
        """End the run here, with this stop reason."""
        self.stop_reason = reason

    def check(self) -> None:
        """Raise `ConfigurationError` for a tool choice that the next request cannot have."""
        choice = self.tool_choice
        if isinstance(choice, NamedTool):
            if self.tools.get(choice.name) is None:
                raise ConfigurationError(
                    f"tool_choice names {choice.name!r}, which is no tool of this run."
                )
        elif choice not in ("auto", "none", "required"):
            raise ConfigurationError(
                f"tool_choice must be 'auto', 'none', 'required' or NamedTool('...'), not {choice!r:.80}."
            )
