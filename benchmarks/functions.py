"""Realistic functions in any number, to be registered as tools."""

# Without `from __future__ import annotations`, so that annotations are types and not texts.
import enum
from collections.abc import Callable
from typing import Any, Literal

from pydantic import BaseModel

__all__ = ["Order", "create_order", "make_functions"]


class Point(BaseModel):
    x: float
    y: float


class Address(BaseModel):
    street: str
    city: str
    zip: str


class Item(BaseModel):
    sku: str
    quantity: int
    price: float


class Order(BaseModel):
    """An order."""

    id: int
    priority: Literal["low", "normal", "high"]
    items: list[Item]
    address: Address | None = None
    note: str | None = None


class SortBy(enum.Enum):
    RELEVANCE = "relevance"
    DATE = "date"
    SIZE = "size"


def make_functions(count: int) -> list[Callable[..., Any]]:
    """Distinct functions, five kinds in turn, each with a signature and a docstring of its own."""
    space: dict[str, Any] = {}
    for number in range(-(-count // len(_NAMES))):
        exec(_SOURCE.replace("{i}", str(number)), globals(), space)
    return [space[f"{_NAMES[at % 5]}_{at // 5}"] for at in range(count)]


_NAMES = ("get_weather", "create_order", "search_documents", "resize_image", "list_events")
_SOURCE = '''
def get_weather_{i}(
    city: str, unit: Literal["celsius", "fahrenheit"] = "celsius", days: int = 3
) -> str:
    """Get the weather forecast of a city ({i}).

    Args:
        city: name of the city, such as Shanghai
        unit: temperature unit
        days: how many days ahead
    """
    return city

def create_order_{i}(order: Order, notify: bool = False) -> str:
    """Create an order in the shop system ({i}).

    Args:
        order: the order to create
        notify: whether to send an e-mail to the customer
    """
    return "ok"

def search_documents_{i}(
    query: str, sort: SortBy = SortBy.RELEVANCE, limit: int = 10,
    filters: dict[str, str] | None = None,
) -> list[str]:
    """Search the document store ({i}).

    Args:
        query: free text
        sort: how to sort the results
        limit: how many results at most
        filters: field name to wanted value
    """
    return []

def resize_image_{i}(
    path: str, points: list[Point], mode: Literal["fit", "fill", "crop"] = "fit",
    tolerance: float = 0.1,
) -> str:
    """Resize an image along a polygon ({i}).

    Args:
        path: where the image lies
        points: the polygon
        mode: how to treat the border
        tolerance: largest deviation
    """
    return path

def list_events_{i}(
    ids: list[int], since: str | None = None, amount: int | float = 1,
    tags: list[str] | None = None,
) -> list[str]:
    """List calendar events ({i}).

    Args:
        ids: calendar numbers
        since: ISO time of the first event
        amount: weight
        tags: only events with one of these tags
    """
    return []
'''

create_order = make_functions(2)[1]
