"""What is said in a conversation: content parts, messages, and the append-only history of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, TypeAlias, overload

from toolcrib.values import value

__all__ = [
    "AssistantMessage",
    "Audio",
    "Document",
    "History",
    "HistoryView",
    "Image",
    "Message",
    "Part",
    "SystemMessage",
    "Text",
    "Thinking",
    "ToolCall",
    "ToolResult",
    "UserMessage",
    "text_of",
]


@value
class Text:
    """A piece of text."""

    text: str
    kind: Literal["text"] = "text"


@value
class Image:
    """A picture: its bytes, or an address that the provider can read."""

    data: bytes | None = None
    url: str | None = None
    media_type: str = "image/png"
    kind: Literal["image"] = "image"


@value
class Audio:
    """A sound, as bytes."""

    data: bytes
    media_type: str = "audio/wav"
    kind: Literal["audio"] = "audio"


@value
class Document:
    """A file such as a PDF: its bytes, or an address that the provider can read."""

    data: bytes | None = None
    url: str | None = None
    media_type: str = "application/pdf"
    name: str | None = None
    kind: Literal["document"] = "document"


Part: TypeAlias = Text | Image | Audio | Document


@value
class Thinking:
    """What a model thought before it spoke; `signature` must go back to the same vendor unchanged."""

    text: str
    signature: str | None = None


@value
class ToolCall:
    """What the model asked for. `arguments` is the text that the model wrote, whatever it is."""

    id: str
    name: str
    arguments: str
    cut_off: bool = False
    """The reply ended in the middle of this call: it is never run."""
    server_side: bool = False
    """The provider runs this call itself; it is kept and shown, never run here."""
    extras: Mapping[str, Any] = field(default_factory=dict)
    """What a vendor wants to see again with this call, by dialect name."""


@value
class SystemMessage:
    """What the program tells the model about its part."""

    text: str
    role: Literal["system"] = "system"


@value
class UserMessage:
    """What the user says: a text, or parts such as a text with a picture."""

    content: str | tuple[Part, ...]
    role: Literal["user"] = "user"

    @property
    def text(self) -> str:
        """The text of all text parts."""
        return self.content if isinstance(self.content, str) else text_of(self.content)


@value
class AssistantMessage:
    """What the model said, and the calls that it asked for."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    thinking: tuple[Thinking, ...] = ()
    refusal: str | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)
    """What a vendor wants to see again with this message, by dialect name."""
    role: Literal["assistant"] = "assistant"


@value
class ToolResult:
    """What is sent back for one call.

    `attributes` are never sent to the model, and always stored with the message.
    """

    call_id: str
    name: str
    content: tuple[Part, ...]
    is_error: bool = False
    attributes: Mapping[str, Any] = field(default_factory=dict)
    role: Literal["tool"] = "tool"

    @property
    def text(self) -> str:
        """The text of all text parts."""
        return text_of(self.content)


Message: TypeAlias = SystemMessage | UserMessage | AssistantMessage | ToolResult


def text_of(parts: Iterable[Part]) -> str:
    """The texts among `parts`, one below the other."""
    return "\n".join(part.text for part in parts if isinstance(part, Text))


class History(Sequence[Message]):
    """The append-only record of a run's messages.

    Requests are views of it, never copies. `replace` (a saga telling the truth afterwards) is the
    only other change, and raises `generation`, so that whoever keeps an encoding of a history
    knows that it no longer holds.
    """

    __slots__ = ("__weakref__", "_messages", "generation")

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._messages: list[Message] = list(messages)
        self.generation = 0

    def append(self, message: Message) -> None:
        """Add one message at the end."""
        self._messages.append(message)

    def extend(self, messages: Iterable[Message]) -> None:
        """Add messages at the end."""
        self._messages.extend(messages)

    def replace(self, index: int, message: Message) -> None:
        """Put `message` in the place of another; raises `generation`."""
        self._messages[index] = message
        self.generation += 1

    def since(self, start: int) -> tuple[Message, ...]:
        """A copy of the messages from `start` on."""
        return tuple(self._messages[start:])

    def view(self, start: int = 0, stop: int | None = None) -> HistoryView:
        """The messages from `start` up to `stop` (now at the end), as a view."""
        return HistoryView(self, ((start, len(self._messages) if stop is None else stop),))

    def __len__(self) -> int:
        return len(self._messages)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | list[Message]:
        return self._messages[index]

    def __repr__(self) -> str:
        return f"<History of {len(self)} messages>"


class HistoryView(Sequence[Message]):
    """Ranges of a history, read as one sequence; it does not grow when the history does."""

    __slots__ = ("history", "ranges")

    def __init__(self, history: History, ranges: tuple[tuple[int, int], ...]) -> None:
        self.history = history
        self.ranges = ranges

    def __iter__(self) -> Iterator[Message]:
        for start, stop in self.ranges:
            for index in range(start, stop):
                yield self.history[index]

    def __len__(self) -> int:
        length = 0
        for start, stop in self.ranges:
            length += stop - start
        return length

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | list[Message]:
        if isinstance(index, slice):
            return list(self)[index]
        place = index + len(self) if index < 0 else index
        for start, stop in self.ranges:
            if 0 <= place < stop - start:
                return self.history[start + place]
            place -= stop - start
        raise IndexError(index)

    def __repr__(self) -> str:
        return f"<HistoryView of {len(self)} messages>"
