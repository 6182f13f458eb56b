"""Options that are given and then not looked at: nobody should believe that they did something."""

from __future__ import annotations

import argparse
from typing import Any

QUIET = frozenset({"color", "debug", "help", "max_bytes", "output"})
"""Options of which nothing is expected where there is nothing to colour, to debug, to refuse or to write."""


class Options(argparse.Namespace):
    """Parsed options that know which of them were looked at."""

    __slots__ = ("looked_at",)

    def __getattribute__(self, name: str) -> Any:
        """As in a plain namespace, remembering the name."""
        if not name.startswith("_") and name != "looked_at":
            try:
                object.__getattribute__(self, "looked_at").add(name)
            except AttributeError:
                self.looked_at = {name}
        return super().__getattribute__(name)


def idle_options(verb: argparse.ArgumentParser, options: Options) -> list[str]:
    """The options, as users write them, that are not what they are by default and that nothing has looked at."""
    values = vars(options)
    return [
        action.option_strings[-1]
        for action in verb._actions
        if action.option_strings
        and action.dest not in QUIET | options.looked_at
        and values.get(action.dest, action.default) != action.default
    ]
