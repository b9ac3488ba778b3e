"""Splits a stream of server-sent events into the data of its events, whatever pieces it comes in."""

from __future__ import annotations

from toolcrib.errors import ModelError

__all__ = ["EventSplitter"]

_BOM = b"\xef\xbb\xbf"
_LINE_FEED = 10
_LARGEST = 64 * 1024 * 1024


class EventSplitter:
    """Takes bytes as they come and gives the data of each event that is complete.

    Lines end with LF, CR or CRLF; comments, names and ids are skipped; several data lines of one
    event are joined by LF. Bytes are cut at line ends only, so characters stay whole.
    """

    __slots__ = ("_at_start", "_data", "_ended_with_cr", "_rest", "_size")

    def __init__(self) -> None:
        self._rest: list[bytes] = []  # of a line that has not ended
        self._data: list[bytes] = []  # of an event that has not ended
        self._size = 0
        self._ended_with_cr = False
        self._at_start = True

    def feed(self, piece: bytes) -> list[bytes]:
        """The data of the events that this piece completes. Raises `ModelError` for one without end."""
        if b"\r" in piece or self._ended_with_cr:
            piece = self._with_line_feeds(piece)
        elif (
            piece[:6] == b"data: "
            and piece.find(b"\n") == len(piece) - 2 > 6
            and piece[-1] == _LINE_FEED
            and not (self._rest or self._data)
        ):  # one event for itself, as most servers send them
            self._at_start = False
            return [piece[6:-2]]
        lines = piece.split(b"\n")
        if len(lines) == 1:
            self._rest.append(piece)
            self._count(piece)
            return []
        lines[0] = b"".join([*self._rest, lines[0]])
        rest = lines.pop()
        self._rest = [rest] if rest else []
        if self._at_start:
            self._at_start = False
            lines[0] = lines[0].removeprefix(_BOM)
        events: list[bytes] = []
        data = self._data
        for line in lines:
            if line.startswith(b"data:"):
                data.append(line[6:] if line.startswith(b" ", 5) else line[5:])
            elif not line and data:
                event = data[0] if len(data) == 1 else b"\n".join(data)
                data.clear()
                if event:
                    events.append(event)
        if data:
            self._count(piece)
        else:
            self._size = 0
        return events

    def finish(self) -> list[bytes]:
        """What is left when the stream ends: some servers forget the last empty line."""
        return self.feed(b"\n\n")

    def _with_line_feeds(self, piece: bytes) -> bytes:
        if self._ended_with_cr and piece:
            self._ended_with_cr = False
            piece = piece.removeprefix(b"\n")  # the second half of a CRLF
        if b"\r" in piece:
            self._ended_with_cr = piece.endswith(b"\r")
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return piece

    def _count(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > _LARGEST:
            raise ModelError("The server sends an event that does not end.")
