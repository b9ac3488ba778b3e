from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, asdict, field, replace
from typing import Any, get_type_hints

import pytest

from toolcrib.values import record, setting, value


@value
class Point:
    """A value."""

    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)


@setting
class Bounds:
    """A setting."""

    low: int = 0
    high: int = 9

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low above high")


@record
class Progress:
    """A record."""

    done: int = 0


@value
class Named:
    """A value that says itself how it is hashed."""

    name: str
    more: dict[str, int] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(self.name)


both = pytest.mark.parametrize(
    "one", [Point(1, 2, ["a"]), Bounds(1, 2), Progress(3)], ids=["value", "setting", "record"]
)


def test_fields_are_given_by_place_or_name_or_left_to_their_defaults() -> None:
    assert (Point(1).x, Point(1).y, Point(1).tags) == (1, 0, [])
    assert Point(y=2, x=1, tags=["a"]) == Point(1, 2, ["a"])
    assert Point(1).tags is not Point(1).tags


def test_a_missing_field_is_blamed_on_the_class() -> None:
    with pytest.raises(TypeError, match=r"Point\.__init__\(\) missing 1 required .* 'x'"):
        Point()  # type: ignore[call-arg]


def test_equality_and_hash_go_by_class_and_fields() -> None:
    assert Bounds(1) == Bounds(1)
    assert Bounds(1) != Bounds(2)
    assert Bounds(0) != Point(0, 9)
    assert hash(Bounds(1)) == hash(Bounds(1))
    assert repr(Point(1)) == "Point(x=1, y=0, tags=[])"


def test_a_method_that_a_class_has_itself_is_kept() -> None:
    assert hash(Named("a", {"b": 1})) == hash("a")


@both
def test_they_are_dataclasses_and_can_be_copied_and_pickled(one: Any) -> None:
    assert copy.deepcopy(one) == copy.copy(one) == pickle.loads(pickle.dumps(one)) == one
    assert replace(one) == one
    assert type(one)(**asdict(one)) == one
    assert not hasattr(one, "__dict__")
    assert list(inspect.signature(type(one)).parameters) == list(asdict(one))
    assert list(get_type_hints(type(one).__init__)) == [*asdict(one), "return"]


def test_a_setting_is_checked_when_it_is_made_and_refuses_changes() -> None:
    with pytest.raises(ValueError, match="low above high"):
        Bounds(5, 1)
    with pytest.raises(FrozenInstanceError):
        Bounds().low = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del Bounds().low


def test_a_record_is_filled_in_and_so_not_hashed() -> None:
    progress = Progress()
    progress.done = 2
    assert progress == Progress(2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(progress)
