"""A round as a person sees and changes it, between the model's replies."""

from __future__ import annotations

from collections.abc import Sequence

from toolcrib.chat import ChatReply, ToolChoice
from toolcrib.errors import ConfigurationError
from toolcrib.messages import Message, SystemMessage, UserMessage
from toolcrib.tools.catalog import Catalog, Listed
from toolcrib.tools.execution import ToolExecution
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

    def add_tool(self, tool: Tool) -> None:
        """List one more tool. Raises `ConfigurationError` if its name is taken."""
        self.tools = self.tools.grown(tool, [tool])

    def remove_tool(self, name: str) -> None:
        """Take a tool away for the rest of the run; only this can."""
        self.tools = self.tools.without(name)
        self.removed.add(name)

    def stop(self, reason: str = "cancelled") -> None:
        """End the run here, with this stop reason."""
        self.stop_reason = reason
