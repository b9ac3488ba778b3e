"""Keeps results that were too large to tell whole, and the tool that reads them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from toolcrib.errors import ToolError
from toolcrib.messages import Part, Text, text_of
from toolcrib.schema.arguments import ArgumentReader, ReadArguments
from toolcrib.tools.catalog import Catalog
from toolcrib.tools.definition import ToolDefinition, Visibility
from toolcrib.tools.execution import ToolExecution
from toolcrib.tools.results import cut
from toolcrib.tools.tool import Tool, ToolOptions

__all__ = ["ResultStore"]

_MOST_KEPT = 64
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "handle": {"type": "string", "description": "The handle named in the shortened result."},
        "start": {"type": "integer", "minimum": 0, "description": "First character to read."},
        "length": {"type": "integer", "minimum": 1, "description": "How many characters to read."},
    },
    "required": ["handle", "start", "length"],
    "additionalProperties": False,
}


class ResultStore:
    """The large results of one run, by handle; the oldest go when there are too many."""

    def __init__(self, most_bytes: int | None) -> None:
        self._most_bytes = most_bytes
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._count = 0
        self._rounds: dict[int, tuple[int, Sequence[ToolExecution]]] = {}
        self._name: str | None = None
        self._reader: ReadResult | None = None

    def begin(self, executions: Sequence[ToolExecution]) -> None:
        """A round begins. Handles count the calls of the run, in whatever order calls end."""
        self._rounds[id(executions)] = self._count, executions
        self._count += len(executions)

    def end(self, executions: Sequence[ToolExecution]) -> None:
        """The round has ended."""
        del self._rounds[id(executions)]

    def fitted(self, content: tuple[Part, ...], execution: ToolExecution) -> tuple[Part, ...]:
        """`content`, with its texts replaced by head and tail when together they are too large.

        Halves of characters (as in names of files) are replaced: no request could carry them.
        """
        most = self._most_bytes
        if _is_short_ascii(content, most):
            return tuple(content)
        content = tuple(map(_sendable, content))
        if most is None or _fits(content, most):
            return content
        text = text_of(content)
        others = tuple(part for part in content if not isinstance(part, Text))
        return (Text(self._shortened(text, most, execution)), *others)

    def listed_in(self, catalog: Catalog) -> Catalog:
        """The catalog, with the reading tool as soon as there is something to read."""
        if self._name is None:
            # Chosen before any result is told, so that what is told names the tool rightly.
            name, number = "read_result", 1
            while catalog.get(name) is not None:
                number += 1
                name = f"read_result_{number}"
            self._name = name
        if not self._texts:
            return catalog
        if self._reader is None:
            self._reader = ReadResult(self._name, self)
        return catalog.grown(self, [self._reader])

    def read(self, handle: str, start: int, length: int) -> str:
        """A piece of a kept text. Raises `ToolError` for an unknown handle or a start beyond the end."""
        text = self._texts.get(handle)
        if text is None:
            known = ", ".join(self._texts) or "none"
            raise ToolError(
                f"There is no result with the handle '{handle}'. Known handles: {known}."
            )
        if start >= len(text):
            raise ToolError(f"The result has {len(text)} characters; {start} is beyond its end.")
        piece = text[start : start + length]
        if self._most_bytes is not None:
            piece = piece.encode()[: self._most_bytes].decode(errors="ignore")
        return piece

    def _shortened(self, text: str, most: int, execution: ToolExecution) -> str:
        handle = f"result_{self._number(execution)}"
        self._texts[handle] = text
        while len(self._texts) > _MOST_KEPT:
            self._texts.popitem(last=False)
        tool = self._name or "read_result"
        marker = (
            f"\n[... the middle of this result is left out; all of its {len(text)} characters can be "
            f'read with the tool {tool}, handle "{handle}" ...]\n'
        )
        return cut(text, most, marker)

    def _number(self, execution: ToolExecution) -> int:
        return next(
            before + place
            for before, executions in self._rounds.values()
            for place, one in enumerate(executions, 1)
            if one is execution
        )


class ReadResult(Tool):
    """`read_result(handle, start, length)`."""

    options = ToolOptions(idempotent=True, thread="caller")
    origin = "toolcrib itself"

    def __init__(self, name: str, store: ResultStore) -> None:
        self.definition = ToolDefinition(
            name,
            "Read a part of an earlier result that was too large to be shown whole.",
            _SCHEMA,
            visibility=Visibility.ALWAYS,
            effect="read",
        )
        self._store = store
        self._arguments = ArgumentReader(name, _SCHEMA)

    def read(self, text: str) -> ReadArguments:
        return self._arguments.read(text)

    def call(self, values: Mapping[str, Any], context: Any) -> str:
        return self._store.read(values["handle"], values["start"], values["length"])


def _sendable(part: Part) -> Part:
    if not isinstance(part, Text) or part.text.isascii():
        return part
    try:
        part.text.encode()
    except UnicodeEncodeError:
        return Text(part.text.encode(errors="replace").decode())
    return part


def _is_short_ascii(content: tuple[Part, ...], most: int | None) -> bool:
    """Whether nothing is to be done: most results need not be encoded to know that."""
    size = 0
    for part in content:
        if isinstance(part, Text):
            if not part.text.isascii():
                return False
            size += len(part.text)
    return most is None or size <= most


def _fits(content: tuple[Part, ...], most: int) -> bool:
    return sum(len(part.text.encode()) for part in content if isinstance(part, Text)) <= most
