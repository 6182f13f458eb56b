"""How the released compiler spreads layouts: whoever writes first decides, and only what is certain goes on.

A value has at most one layout; a use that needs another is written down as a conflict and converted afterwards. What
was written last is followed first.
"""

from __future__ import annotations

from layoutsolver.pose.vmi.upstream.net import Use, Val
from layoutsolver.pose.vmi.upstream.relations import Relation, Relations


class Propagator:
    """Layouts of values as far as they are decided, conflicts of uses, and what is still to be followed."""

    def __init__(self, relations: Relations) -> None:
        self.relations = relations
        self.layouts: dict[Val, str] = {}
        self.asked: dict[Val, None] = {}
        self.conflicts: dict[Val, dict[Use, str]] = {}
        self.equal: dict[Val, list[Val]] = {}
        self._work: list[tuple[Val, str]] = []
        self._seen: set[tuple[Val, str]] = set()
        self._used: set[tuple[Use, str]] = set()

    def join(self, left: Val, right: Val) -> None:
        """Let two values have one layout."""
        if left is right or left.is_mask != right.is_mask:
            return
        for one, other in ((left, right), (right, left)):
            known = self.equal.setdefault(one, [])
            if other not in known:
                known.append(other)

    def layout_of(self, use: Use) -> str:
        """The layout that a use has: its own if in conflict, else that of the value; empty if neither is known."""
        own = self.conflicts.get(use.value, {}).get(use)
        return own if own is not None else self.layouts.get(use.value, use.value.given)

    def can_use(self, use: Use, layout: str) -> bool:
        """Whether the operation of a use takes it in a layout."""
        if not layout:
            return False
        found = self.relations.of(use.node, use.value, layout, use)
        return found is not None and any((use, layout) in relation for relation in found)

    def request(self, value: Val, layout: str) -> None:
        """Give a value a layout, unless it has one or cannot be made in this one."""
        self.asked.setdefault(value)
        if value not in self.layouts and self._can_make(value, layout):
            self.layouts[value] = layout
            if (value, layout) not in self._seen:
                self._seen.add((value, layout))
                self._work.append((value, layout))

    def request_use(self, use: Use, layout: str) -> None:
        """Ask for an operand in a layout: of the value if it is still open, else for this use alone."""
        value = use.value
        self.asked.setdefault(value)
        if self.layouts.get(value) == layout:
            self._follow_use(use, layout)
            return
        if value not in self.layouts and value.node is not None:
            self.request(value, layout)
            if self.layouts.get(value) == layout:
                self._follow_use(use, layout)
                return
        self.conflicts.setdefault(value, {}).setdefault(use, layout)
        if self.layout_of(use) == layout:
            self._follow_use(use, layout)

    def run(self) -> None:
        """Follow what was written until nothing is left."""
        while self._work:
            value, layout = self._work.pop()
            for other in self.equal.get(value, ()):
                self.request(other, layout)
            if value.node is not None:
                self._spread(self.relations.of(value.node, value, layout))
            for use in list(value.uses):
                if self.layout_of(use) == layout:
                    self._spread(self.relations.of(use.node, value, layout))

    def _follow_use(self, use: Use, layout: str) -> None:
        if (use, layout) not in self._used:
            self._used.add((use, layout))
            self._spread(self.relations.of(use.node, use.value, layout, use))

    def _spread(self, found: list[Relation] | None) -> None:
        """Ask for what a relation says, if there is one and no other."""
        if found is None or len(found) != 1:
            return
        for target, layout in found[0]:
            if isinstance(target, Use):
                self.request_use(target, layout)
            else:
                self.request(target, layout)

    def _can_make(self, value: Val, layout: str) -> bool:
        if value.given == layout:
            return True
        if value.node is None:
            return True
        found = self.relations.of(value.node, value, layout)
        return found is None or any((value, layout) in relation for relation in found)
