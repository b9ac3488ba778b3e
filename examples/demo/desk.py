"""The tools of the demo: weather and a calendar in a local database, and a converter of units."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Literal

from toolcrib import ToolError, tool

__all__ = ["Day", "Desk", "Unit"]

Day = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
Unit = Literal["celsius", "fahrenheit", "km", "miles", "kg", "pounds"]

_WEATHER = [
    ("Oslo", 3, "snow"),
    ("Paris", 18, "clouds"),
    ("Shanghai", 27, "sunshine"),
    ("Cairo", 34, "sunshine"),
    ("London", 11, "rain"),
    ("Lima", 20, "fog"),
]

# Kind of measure, then factor and offset to the first unit of that kind.
_UNITS: dict[str, tuple[str, float, float]] = {
    "celsius": ("temperature", 1.0, 0.0),
    "fahrenheit": ("temperature", 5 / 9, -160 / 9),
    "km": ("length", 1.0, 0.0),
    "miles": ("length", 1.609344, 0.0),
    "kg": ("weight", 1.0, 0.0),
    "pounds": ("weight", 0.45359237, 0.0),
}


class Desk:
    """A small office: its weather table and calendar live in one SQLite file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._database() as db:
            db.execute("CREATE TABLE weather (city TEXT PRIMARY KEY, celsius INTEGER, sky TEXT)")
            db.execute("CREATE TABLE event (title TEXT NOT NULL, day TEXT NOT NULL)")
            db.executemany("INSERT INTO weather VALUES (?, ?, ?)", _WEATHER)

    @tool(effect="read")
    def get_weather(self, city: Annotated[str, "city name"]) -> str:
        """Get the weather of a city."""
        with self._database() as db:
            row = db.execute(
                "SELECT city, celsius, sky FROM weather WHERE city = ? COLLATE NOCASE", (city,)
            ).fetchone()
            known = [name for (name,) in db.execute("SELECT city FROM weather ORDER BY city")]
        if row is None:
            raise ToolError(f"No weather for {city!r}. Known cities: {', '.join(known)}.")
        return "{}: {} degrees celsius, {}".format(*row)

    @tool(effect="read")
    def convert(self, value: float, from_unit: Unit, to_unit: Unit) -> str:
        """Convert a value from one unit to another."""
        kind, factor, offset = _UNITS[from_unit]
        other, divisor, shift = _UNITS[to_unit]
        if kind != other:
            raise ToolError(f"{from_unit} is a {kind} and {to_unit} a {other}: no conversion.")
        result = (value * factor + offset - shift) / divisor
        return f"{value:g} {from_unit} = {round(result, 2):g} {to_unit}"

    @tool(effect="write")
    def add_event(self, title: Annotated[str, "what it is"], day: Day) -> str:
        """Add an event to the calendar."""
        with self._database() as db:
            db.execute("INSERT INTO event VALUES (?, ?)", (title, day))
        return f"Added {title!r} on {day}"

    def events(self) -> list[tuple[str, str]]:
        """What stands in the calendar, as titles and days; for the check of the demo, not a tool."""
        with self._database() as db:
            return db.execute("SELECT title, day FROM event").fetchall()

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        # One connection a call: tools run in threads, and a connection belongs to one.
        with closing(sqlite3.connect(self._path)) as db, db:
            yield db
