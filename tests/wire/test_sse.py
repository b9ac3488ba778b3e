"""Events come out whole, whatever pieces and line endings they come in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcrib import ModelError
from toolcrib.wire.sse import EventSplitter


def split(data: bytes, size: int | None = None) -> list[bytes]:
    splitter = EventSplitter()
    step = size or max(1, len(data))
    found = [one for at in range(0, len(data), step) for one in splitter.feed(data[at : at + step])]
    return [*found, *splitter.finish()]


STREAMS = {
    "plain": (b"data: a\n\ndata: b\n\n", [b"a", b"b"]),
    "no blank after the colon": (b"data:a\n\n", [b"a"]),
    "only the first blank goes": (b"data:  a\n\n", [b" a"]),
    "crlf": (b"data: a\r\n\r\ndata: b\r\n\r\n", [b"a", b"b"]),
    "cr": (b"data: a\r\rdata: b\r\r", [b"a", b"b"]),
    "mixed endings": (b"data: a\r\n\ndata: b\n\r\n", [b"a", b"b"]),
    "comments": (b": hello\n\n: keep-alive\ndata: a\n\n:\n\n", [b"a"]),
    "several data lines": (b"data: a\ndata: b\n\n", [b"a\nb"]),
    "other fields": (b"event: x\nid: 1\nretry: 5\ndata: a\n\n", [b"a"]),
    "a byte order mark": (b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
    "many empty lines": (b"\n\n\n\ndata: a\n\n\n\ndata: b\n\n", [b"a", b"b"]),
    "no last empty line": (b"data: a\n\ndata: b", [b"a", b"b"]),
    "empty data": (b"data:\n\ndata: a\n\n", [b"a"]),
    "blank data": (b"data: \n\ndata: a\n\n", [b"a"]),
    "an event in the middle of a line": (b"xdata: a\n\ndata: b\n\n", [b"b"]),
    "letters of several bytes": ("data: é世🌍\n\n".encode(), ["é世🌍".encode()]),
    "nothing": (b"", []),
}


@pytest.mark.parametrize("size", [None, 1, 2, 3, 5])
@pytest.mark.parametrize("name", STREAMS)
def test_events_are_the_same_in_pieces_of_any_size(name: str, size: int | None) -> None:
    data, expected = STREAMS[name]
    assert split(data, size) == expected


def test_an_event_is_given_as_soon_as_it_is_complete() -> None:
    splitter = EventSplitter()
    assert splitter.feed(b"data: a\n") == []
    assert splitter.feed(b"\n") == [b"a"]
    assert splitter.feed(b"data: b\r\n\r") == [b"b"]
    assert splitter.feed(b"\ndata: c\n\n") == [b"c"]


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), min_size=1), max_size=6
    ),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    st.integers(1, 20),
)
def test_whatever_is_sent_comes_out(texts: list[str], ending: bytes, size: int) -> None:
    sent = [text.encode() for text in texts]
    data = b"".join(b"data: " + one + ending + ending for one in sent)
    assert split(data, size) == sent


def test_an_event_that_does_not_end_is_refused() -> None:
    splitter = EventSplitter()
    piece = b"data: " + b"x" * 1_000_000
    for _ in range(60):
        assert splitter.feed(piece) == []
    with pytest.raises(ModelError, match="does not end"):
        splitter.feed(piece * 10)


@given(st.lists(st.binary(max_size=12) | st.sampled_from([b"data:", b"\r", b"\n", b"\r\n"])))
def test_any_bytes_are_split_alike_in_any_pieces(pieces: list[bytes]) -> None:
    splitter = EventSplitter()
    found = [event for piece in pieces for event in splitter.feed(piece)]
    assert [*found, *splitter.finish()] == split(b"".join(pieces))


def test_an_event_in_a_piece_of_its_own_ends_what_was_open_before_it() -> None:
    splitter = EventSplitter()
    assert splitter.feed(b"data: a\n") == []
    assert splitter.feed(b"data: b\n\n") == [b"a\nb"]
    assert splitter.feed(b"data: \n\n") == []
    assert splitter.feed(b"data: c\r") == []
    assert splitter.feed(b"data: d\n\n") == [b"c\nd"]
    assert splitter.feed(b"data: e\n\n") == [b"e"]
    assert splitter.feed(b"no") == []
    assert splitter.feed(b"data: f\n\n") == []
