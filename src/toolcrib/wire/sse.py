"""Server-sent events: bytes in any pieces → the data of each event."""

from __future__ import annotations

__all__ = ["EventSplitter"]

_BOM = b"\xef\xbb\xbf"


class EventSplitter:
    """Splits a stream of bytes into events, however it was cut on the way.

    Lines end in LF, CR or CRLF; comments, ids and event names are passed over; `data` lines of one
    event are joined by LF. Bytes are only cut at line ends, so characters stay whole.
    """

    __slots__ = ("_data", "_rest", "_skip_lf", "_start")

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._data: list[bytes] = []
        self._skip_lf = False
        self._start = True

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of each event that the chunk completes."""
        if self._start:
            chunk = b"".join([*self._rest, chunk])
            self._rest = []
            if len(chunk) < len(_BOM) and _BOM.startswith(chunk):
                self._rest.append(chunk)
                return []
            self._start = False
            chunk = chunk.removeprefix(_BOM)
        if self._skip_lf and chunk:
            self._skip_lf = False
            chunk = chunk.removeprefix(b"\n")
        if b"\r" in chunk:
            self._skip_lf = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = chunk.split(b"\n")
        if len(lines) == 1:
            self._rest.append(chunk)
            return []
        lines[0] = b"".join([*self._rest, lines[0]])
        self._rest = [lines.pop()]
        events: list[bytes] = []
        for line in lines:
            if not line:
                if self._data:
                    events.append(self._event())
            elif line.startswith(b"data:"):
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif line == b"data":
                self._data.append(b"")
        return events

    def finish(self) -> list[bytes]:
        """What is left when the stream ends; many servers forget the last blank line."""
        events = self.feed(b"\n\n")
        self._rest = []
        return events

    def _event(self) -> bytes:
        data = self._data
        self._data = []
        return data[0] if len(data) == 1 else b"\n".join(data)
