"""Splits a stream of server-sent events into the data of its events, whatever pieces it comes in."""

from __future__ import annotations

from toolcrib.errors import ModelError

__all__ = ["EventSplitter"]

_BOM = b"\xef\xbb\xbf"
_LARGEST = 64 * 1024 * 1024


class EventSplitter:
    """Takes bytes as they come and gives the data of each event that is complete.

    Lines end with LF, CR or CRLF; comments, names and ids are skipped; several data lines of one
    event are joined by LF. Bytes are cut at line ends only, so characters stay whole.
    """

    __slots__ = ("_at_start", "_buffer", "_ended_with_cr", "_scanned")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._scanned = 0
        self._ended_with_cr = False
        self._at_start = True

    def feed(self, piece: bytes) -> list[bytes]:
        """The data of the events that this piece completes. Raises `ModelError` for one without end."""
        if self._ended_with_cr and piece:
            self._ended_with_cr = False
            piece = piece.removeprefix(b"\n")  # the second half of a CRLF
        if b"\r" in piece:
            self._ended_with_cr = piece.endswith(b"\r")
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        buffer = self._buffer
        buffer += piece
        events: list[bytes] = []
        start = 0
        while (end := buffer.find(b"\n\n", max(start, self._scanned))) >= 0:
            self._take(bytes(buffer[start:end]), events)
            start = self._scanned = end + 2
        del buffer[:start]
        # the last byte may be the first of the two that end an event
        self._scanned = max(0, len(buffer) - 1)
        if len(buffer) > _LARGEST:
            raise ModelError("The server sends an event that does not end.")
        return events

    def finish(self) -> list[bytes]:
        """What is left when the stream ends: some servers forget the last empty line."""
        events: list[bytes] = []
        self._take(bytes(self._buffer), events)
        self._buffer.clear()
        self._scanned = 0
        return events

    def _take(self, block: bytes, events: list[bytes]) -> None:
        if self._at_start:
            self._at_start = False
            block = block.removeprefix(_BOM)
        if block.startswith(b"data: ") and b"\n" not in block:  # nearly every event
            data = block[6:]
        else:
            lines = [line[5:] for line in block.split(b"\n") if line.startswith(b"data:")]
            data = b"\n".join([line.removeprefix(b" ") for line in lines])
        if data:
            events.append(data)
