"""Pictures, sounds and files → parts of a Chat Completions user message."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, assert_never

from toolcrib.errors import ConfigurationError
from toolcrib.messages import Audio, Document, Image, Part, Text

__all__ = ["encode_part"]

_SOUNDS = {"mpeg": "mp3", "x-wav": "wav", "wave": "wav", "vnd.wave": "wav", "x-m4a": "m4a"}


def encode_part(part: Part) -> dict[str, Any]:
    """One part. Raises `ConfigurationError` for one that has neither data nor an address."""
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Image():
            url = part.url if part.data is None else _data_url(part.media_type, part.data)
            return {"type": "image_url", "image_url": {"url": _present(url, "picture")}}
        case Audio():
            subtype = part.media_type.partition(";")[0].rpartition("/")[2]
            sound = {"data": _base64(part.data), "format": _SOUNDS.get(subtype, subtype)}
            return {"type": "input_audio", "input_audio": sound}
        case Document():
            return _document(part)
        case _:
            assert_never(part)


def _document(part: Document) -> dict[str, Any]:
    name = part.name or "document"
    if part.data is not None and part.media_type.startswith("text/"):
        # Files are PDFs here; a text is read best as a text.
        text = part.data.decode("utf-8", "replace")
        return {"type": "text", "text": f"{name}:\n{text}"}
    if part.data is None:
        # OpenAI itself takes no addresses of files; OpenRouter and others do.
        file = _present(part.url, "document")
    else:
        file = _data_url(part.media_type, part.data)
    return {"type": "file", "file": {"filename": name, "file_data": file}}


def _present(url: str | None, what: str) -> str:
    if not url:
        raise ConfigurationError(f"A {what} needs data or an address: pass data=... or url=....")
    return url


def _data_url(media_type: str, data: bytes) -> str:
    return f"data:{media_type};base64,{_base64(data)}"


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")
