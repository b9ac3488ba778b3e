"""The tools of one run: they only grow, keep their place, and say where they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from toolcrib.errors import ConfigurationError
from toolcrib.tools.definition import ToolDefinition
from toolcrib.tools.tool import Tool
from toolcrib.values import value

__all__ = ["Catalog", "Listed", "name_clash"]


@value
class Listed:
    """A tool as a run lists it."""

    tool: Tool
    source: object
    """The toolset that named it; a name may come from one source only."""
    visible: bool = True
    reason: str = "always listed"
    """Why it is visible, or why not."""
    gone: bool = False
    """Its toolset no longer names it; a call is answered "no longer available"."""

    @property
    def name(self) -> str:
        """The exposed name."""
        return self.tool.definition.name

    @property
    def origin(self) -> str:
        """Where the tool was defined, in words."""
        return self.tool.origin


class Catalog:
    """Immutable: `grown` gives a new catalog, or this very object when nothing is new.

    A tool's place is fixed when it is first seen, the newest definition wins, and a tool that
    vanishes stays listed, so that what providers cache keeps its bytes and order.
    """

    __slots__ = ("_listed", "definitions")
    EMPTY: ClassVar[Catalog]

    def __init__(
        self, listed: Mapping[str, Listed], definitions: tuple[ToolDefinition, ...] | None = None
    ) -> None:
        self._listed = listed
        self.definitions = (
            tuple(one.tool.definition for one in listed.values() if one.visible)
            if definitions is None
            else definitions
        )
        """What the model is shown. The same object as long as nothing in it changes."""

    @property
    def visible(self) -> tuple[Listed, ...]:
        """The tools that the model is shown."""
        return tuple(one for one in self._listed.values() if one.visible)

    @property
    def available(self) -> tuple[Listed, ...]:
        """All tools that a call can reach, shown or not."""
        return tuple(one for one in self._listed.values() if not one.gone)

    def get(self, name: str) -> Listed | None:
        """The tool of that name, also a hidden one or one that is gone."""
        return self._listed.get(name)

    def nearest(self, name: str, most: int = 3) -> tuple[str, ...]:
        """The names most like `name`, best first; all names when there are few."""
        names = [one.name for one in self.available]
        folded = {_fold(known): known for known in reversed(names)}
        import difflib  # only needed for a mistake

        close = difflib.get_close_matches(_fold(name), list(folded), n=most, cutoff=0.5)
        return tuple(folded[match] for match in close)

    def grown(self, source: object, tools: Sequence[Tool]) -> Catalog:
        """With what a toolset names now. Raises `ConfigurationError` for a name from two origins."""
        listed = dict(self._listed)
        seen: dict[str, Tool] = {}
        for tool in tools:
            name = tool.definition.name
            known = listed.get(name)
            if name in seen:
                raise name_clash(name, seen[name].origin, tool.origin)
            if known is not None and known.source is not source:
                raise name_clash(name, known.origin, tool.origin)
            seen[name] = tool
            if known is None:
                listed[name] = Listed(tool, source)
            elif known.tool is not tool or known.gone:
                listed[name] = replace(known, tool=tool, gone=False)
        for name, one in self._listed.items():
            if one.source is source and name not in seen and not one.gone:
                listed[name] = replace(one, gone=True)
        return self._settled(listed)

    def without(self, name: str) -> Catalog:
        """Without one tool: only an edit between steps may take a tool away."""
        return self._settled({key: one for key, one in self._listed.items() if key != name})

    def _settled(self, listed: dict[str, Listed]) -> Catalog:
        if listed == self._listed and list(listed) == list(self._listed):
            return self
        grown = Catalog(listed)
        same = grown.definitions == self.definitions
        return Catalog(listed, self.definitions) if same else grown


Catalog.EMPTY = Catalog({})


def _fold(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def name_clash(name: str, first: str, second: str) -> ConfigurationError:
    """What to raise for two tools of one name, with both origins and what to write instead."""
    return ConfigurationError(
        f"Two tools are named '{name}': one from {first}, one from {second}. "
        "Rename one with name='...', renamed(...) or prefixed(...)."
    )
