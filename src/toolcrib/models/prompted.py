"""Tools for models that have none: the catalogue is told in words, and calls are read from text."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from toolcrib.chat import (
    ChatModel,
    ChatReply,
    ChatRequest,
    Delta,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallReady,
)
from toolcrib.messages import AssistantMessage, Message, Thinking, ToolResult
from toolcrib.models.prompted_request import Example, prompted_request
from toolcrib.models.prompted_text import TAG, begun_answer, read_said

__all__ = ["Example", "PromptedTools"]


_JSON = re.compile(r'(?:```[A-Za-z_]*\s*)?\{\s*(?:"|\Z)|`{1,3}[A-Za-z_]*\s*\Z')
"""Where an object begins, perhaps in a fence, or may begin at the end of a text."""


class PromptedTools:
    """A `ChatModel` that gives tools to another, which only reads and writes text.

    The model is told the tools in its instructions, and to reply with JSON: one call, or an answer.
    With `constrain` the server is asked to hold it to that by a JSON Schema; switch it off for a
    server that refuses `response_format`. Calls are also recovered from lists, fences and
    `<tool_call>` tags. `examples` come before the conversation: small models imitate more than they
    obey. `longest_answer` bounds the characters of an answer, where the server can.

    When it streams, an answer is shown as it grows; calls are shown when the reply has ended.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        examples: Sequence[Example] = (),
        constrain: bool = True,
        longest_answer: int | None = None,
    ) -> None:
        self._model = model
        self._examples = tuple(examples)
        self._constrain = constrain
        self._longest_answer = longest_answer

    @property
    def name(self) -> str:
        """The name of the model behind."""
        return self._model.name

    async def reply(self, request: ChatRequest) -> AsyncGenerator[Delta | ChatReply, None]:
        """Answer one request. Raises `ModelError`."""
        if not (request.tools or any(map(_is_about_tools, request.messages))):
            async with aclosing(self._model.reply(request)) as plain:
                async for item in plain:
                    yield item
            return
        asked = prompted_request(
            request,
            self._examples,
            constrain=self._constrain,
            longest_answer=self._longest_answer,
        )
        names = {tool.name for tool in request.tools}
        shown = _Shown()
        async with aclosing(self._model.reply(asked)) as replying:
            async for item in replying:
                match item:
                    case ChatReply():
                        finished = _read(item, names)
                        if request.stream:
                            for delta in shown.rest(finished.message):
                                yield delta
                        yield finished
                    case TextDelta():
                        if new := shown.more(item.text):
                            yield TextDelta(new)
                    case ThinkingDelta() | ToolCallDelta() | ToolCallReady():
                        yield item

    async def close(self) -> None:
        """Close the model behind."""
        await self._model.close()


def _is_about_tools(message: Message) -> bool:
    return isinstance(message, ToolResult) or (
        isinstance(message, AssistantMessage) and bool(message.tool_calls)
    )


def _read(reply: ChatReply, names: set[str]) -> ChatReply:
    message = reply.message
    if message.tool_calls or message.refusal is not None:
        return reply  # it can call by itself
    said = read_said(message.text, names, cut=reply.finish_reason in ("length", "error"))
    thinking = (*message.thinking, Thinking(said.thoughts)) if said.thoughts else message.thinking
    reason = reply.finish_reason
    if said.calls and reason in ("stop", "unknown"):
        reason = "tool_calls"
    read = AssistantMessage(said.text, said.calls, thinking, extras=message.extras)
    return replace(reply, message=read, finish_reason=reason)


class _Shown:
    """What of a growing reply may be shown: text that is certain to be the answer, or part of it."""

    def __init__(self) -> None:
        self._text = ""
        self._shown = ""

    def more(self, piece: str) -> str:
        self._text += piece
        begins = self._text.lstrip()[:1]
        if begins in ("", "[", "`", "<"):
            return ""
        sure = begun_answer(self._text) if begins == "{" else _before_a_call(self._text)
        return self._up_to(sure or "")

    def rest(self, message: AssistantMessage) -> list[Delta]:
        deltas: list[Delta] = []
        if new := self._up_to(message.text):
            deltas.append(TextDelta(new))
        for index, call in enumerate(message.tool_calls):
            deltas.append(ToolCallDelta(index, call.id or None, call.name, call.arguments))
            if not call.cut_off:
                deltas.append(ToolCallReady(index, call))
        return deltas

    def _up_to(self, sure: str) -> str:
        if not sure.startswith(self._shown):
            return ""  # it turned out differently; what was shown cannot be taken back
        new, self._shown = sure[len(self._shown) :], sure
        return new


def _before_a_call(text: str) -> str:
    """Up to where a tag or JSON begins, or may begin at the very end."""
    end = text.find(TAG)
    if end < 0:
        end = next(
            (len(text) - n for n in range(len(TAG) - 1, 0, -1) if text.endswith(TAG[:n])), len(text)
        )
    if (json := _JSON.search(text)) is not None:
        end = min(end, json.start())
    return text[:end].rstrip()
