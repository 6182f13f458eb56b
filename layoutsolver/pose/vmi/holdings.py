"""Which picks of a choice hold which registers: what the instructions of every variant use, made as bounds from below.

A register that an instruction only reads as another type, or hands on, is that of the operand. Registers that equal
instructions make are one. What leaves a loop is not counted in it.
"""

from __future__ import annotations

from layoutsolver.graph.model import Graph
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.vmi.templates import Step, Template, Templates
from layoutsolver_models.problems.capacity import CONVERSION, Pick, RegisterKind, Together
from layoutsolver_models.solve.selection import Open

Piece = tuple[int, str, int]
"""A register of a value in a layout, by its number among those."""

Ways = tuple[tuple[Together, int], ...]
"""Registers that something may be, each with the picks under which it is."""


Loops = tuple[int, ...]
"""The loops around a point, the innermost first."""


class Holdings:
    """The registers of values and the picks that hold them, for the choices that a problem leaves open."""

    def __init__(self, posed: PosedVmi, templates: Templates, left: Open) -> None:
        self.posed, self.problem, self.templates = posed, posed.problem, templates
        self.graph: Graph = posed.program.graph
        self.open = left.variants
        self.users: list[list[int]] = [[] for _ in self.problem.values]
        self.makers: dict[tuple[int, str], list[Pick]] = {}
        self.into: dict[tuple[int, str], list[int]] = {}
        self.from_: dict[tuple[int, str], list[int]] = {}
        self.ways_of: dict[int, list[int]] = {}
        self.made_in: dict[int, list[str]] = {}
        self.input = templates.taken
        self.source: dict[int, Piece] = {}
        for piece, register in templates.taken.items():
            self.source.setdefault(register, piece)
        self.value_of: dict[int, int] = {}
        self.kinds: list[RegisterKind] = list(templates.kinds)
        self.taking: dict[tuple[int, int, str], list[int]] = {}
        for number, op in enumerate(self.problem.ops):
            for value in dict.fromkeys(op.operands):
                self.users[value].append(number)
            for variant in self.open[number]:
                pairs = zip(op.operands, op.variants[variant].layouts, strict=False)
                for value, layout in dict.fromkeys(pairs):
                    self.taking.setdefault((number, value, layout), []).append(variant)
                layouts = op.variants[variant].layouts[len(op.operands) :]
                for value, layout in dict.fromkeys(zip(op.results, layouts, strict=True)):
                    self.makers.setdefault((value, layout), []).append(Pick(number, variant))
        for number in left.conversions:
            way = self.problem.conversions[number]
            if number in templates.conversions:
                self.into.setdefault((way.value, way.after), []).append(number)
                self.from_.setdefault((way.value, way.before), []).append(number)
                self.ways_of.setdefault(way.value, []).append(number)
        for value, layout in self.makers:
            self.made_in.setdefault(value, []).append(layout)
        self.number: dict[int, int] = {}
        self.plain = self._plain()
        self.loops = [self._loops(op.index) for op in self.graph.ops]
        self.stuck = self._stuck()
        self.sure_steps: dict[Pick, frozenset[int]] = {}
        self.sure: dict[tuple[Piece, bool], bool] = {}
        self._be_sure()
        self.early = self._made_earlier()
        self._ways: dict[Piece, Ways] = {}
        self._made: dict[Piece, Ways] = {}
        self._takers: dict[tuple[Piece, int, Loops], tuple[Together, ...]] = {}
        self._taken: dict[tuple[int, int, Loops, bool], tuple[tuple[int, Together], ...]] = {}

    def template(self, pick: Pick) -> Template | None:
        """The template of a pick, None if it cannot be written."""
        if pick.variant == CONVERSION:
            return self.templates.conversions.get(pick.number)
        return self.templates.variants.get((pick.number, pick.variant))

    # -- loops ------------------------------------------------------------------------------------------------

    def _loops(self, op: int) -> tuple[int, ...]:
        """The loops around an operation of the text, the innermost first."""
        found: list[int] = []
        while (op := self.graph.ops[op].parent) >= 0:
            if op in self.graph.loops:
                found.append(op)
        return tuple(found)

    def place(self, op: int) -> int:
        """The operation of the text in front of which an operation of the problem runs, -1 for control flow."""
        canonical = self.posed.op_of[op]
        return -1 if canonical < 0 else self.posed.program.ops[canonical].before

    def loops_of(self, op: int) -> tuple[int, ...]:
        """The loops around an operation of the problem."""
        place = self.place(op)
        return () if place < 0 else self.loops[place]

    def _stuck(self) -> list[frozenset[int]]:
        """The loops in which each value is made whatever is chosen."""
        stuck: list[frozenset[int]] = []
        for logical in self.posed.program.values:
            known = logical.graph_value
            stuck.append(frozenset(() if known < 0 else self._loops_of_value(known)))
        for number, op in enumerate(self.problem.ops):
            if self.posed.op_of[number] < 0:
                continue
            for value in op.results:
                stuck[value] = frozenset(self.loops_of(number))
            left = self.loops_of(number)
            while left and any(
                all(self.leaves(step, left[0], stuck) for step in template.steps)
                for variant in self.open[number]
                if (template := self.template(Pick(number, variant))) is not None
            ):
                for value in op.results:
                    stuck[value] -= {left[0]}
                left = left[1:]
        return stuck

    def _loops_of_value(self, value: int) -> tuple[int, ...]:
        """The loops in which a value of the text is made."""
        for loop in self.graph.loops.values():
            if value == loop.induction or any(value == iter_arg for _, iter_arg, _, _ in loop.carried):
                return (loop.op, *self.loops[loop.op])
        for parent, blocks in self.graph.arguments.items():
            if any(value in values for _, _, values in blocks):
                around = self.loops[parent]
                return (parent, *around) if parent in self.graph.loops else around
        op = self.graph.values[value].op
        return () if op < 0 else self.loops[op]

    def leaves(self, step: Step, loop: int, stuck: list[frozenset[int]] | None = None) -> bool:
        """Whether an instruction in a loop may be put in front of it."""
        known = self.stuck if stuck is None else stuck
        return (
            step.pure
            and all(loop not in known[value] for value in step.needs)
            and all(loop not in self._loops_of_value(value) for value in step.scalars)
        )

    # -- registers --------------------------------------------------------------------------------------------

    def _plain(self) -> dict[tuple[int, str], tuple[int, ...]]:
        """Registers that only a value in a layout has, whichever choice makes it: one number for all these choices."""
        owners: dict[int, set[tuple[int, str]]] = {}
        for template in (*self.templates.variants.values(), *self.templates.conversions.values()):
            for key, registers in template.gives.items():
                for one in registers:
                    owners.setdefault(one, set()).add(key)
        strange = self.templates.patterns | self.source.keys()
        found: dict[tuple[int, str], tuple[int, ...]] = {}
        for key, picks in self.makers.items():
            templates = [self.template(pick) for pick in self._all_makers(key, picks)]
            given = [template.gives[key] for template in templates if template is not None]
            shapes = {tuple(some.index(one) for one in some) for some in given}
            if len(shapes) == 1 and all(owners[one] == {key} and one not in strange for some in given for one in some):
                found[key] = self._fresh(key, next(iter(shapes)), given[0])
                for some in given:
                    self.number.update(zip(some, found[key], strict=True))
        return found

    def _all_makers(self, key: tuple[int, str], picks: list[Pick]) -> list[Pick]:
        return [*picks, *(Pick(number, CONVERSION) for number in self.into.get(key, ()))]

    def _fresh(self, key: tuple[int, str], shape: tuple[int, ...], like: tuple[int, ...]) -> tuple[int, ...]:
        numbers: dict[int, int] = {}
        for place, one in zip(shape, like, strict=True):
            if place not in numbers:
                numbers[place] = len(self.kinds)
                self.kinds.append(self.templates.kinds[one])
                self.value_of[numbers[place]] = key[0]
        return tuple(numbers[place] for place in shape)

    def ways(self, piece: Piece) -> Ways:
        """What register a piece of a value is, under which picks; none where it is made again at each use."""
        known = self._ways.get(piece)
        if known is None:
            key = piece[:2]
            plain = self.plain.get(key)
            if plain is not None:
                known = (((), plain[piece[2]]),)
            else:
                picks = self._all_makers(key, self.makers.get(key, []))
                known = tuple(way for pick in picks for way in self._through(pick, piece))
            self._ways[piece] = known
        return known

    def made(self, piece: Piece) -> Ways:
        """The same where conversions have not run yet."""
        known = self._made.get(piece)
        if known is None:
            key = piece[:2]
            if key in self.plain and not self.into.get(key):
                known = self.ways(piece)
            else:
                known = tuple(way for pick in self.makers.get(key, []) for way in self._through(pick, piece))
            self._made[piece] = known
        return known

    def _through(self, pick: Pick, piece: Piece) -> list[tuple[Together, int]]:
        """What register a piece is where a pick makes it."""
        template = self.template(pick)
        if template is None or piece[2] >= len(template.gives.get(piece[:2], ())):
            return []
        plain = self.plain.get(piece[:2])
        one = template.gives[piece[:2]][piece[2]] if plain is None else plain[piece[2]]
        if one in self.templates.patterns:
            return []
        source = self.source.get(one)
        if source is None:
            self.value_of.setdefault(one, piece[0])
            return [((pick,), one)]
        ways = self.made(source) if pick.variant == CONVERSION else self.ways(source)
        return [(joined, other) for before, other in ways if (joined := self.joined((pick,), before)) is not None]

    def joined(self, one: Together, other: Together) -> Together | None:
        """Picks of both, None if no choice has them all."""
        found = dict.fromkeys((*one, *other))
        seen: dict[int, int] = {}
        for pick in found:
            if pick.variant == CONVERSION or self.problem.ops[pick.number].copies:
                continue
            if seen.setdefault(pick.number, pick.variant) != pick.variant:
                return None
        return tuple(sorted(found))

    # -- uses -------------------------------------------------------------------------------------------------

    def pieces(self, value: int, layout: str) -> list[Piece]:
        """The registers of a value in a layout."""
        known = self.problem.values[value]
        count = known.registers[known.layouts.index(layout)]
        return [(value, layout, place) for place in range(count) if (value, layout, place) in self.input]

    def takers(self, piece: Piece, op: int, around: Loops) -> tuple[Together, ...]:
        """Under which picks an operation needs a piece; uses that leave a loop around the point do not count."""
        key = (piece, op, around)
        known = self._takers.get(key)
        if known is None:
            found: list[Together] = []
            for variant in self.taking.get((op, *piece[:2]), ()):
                found += self._picked(Pick(op, variant), piece, around)
            known = self._takers[key] = tuple(dict.fromkeys(found))
        return known

    def converters(self, piece: Piece, around: Loops) -> list[Together]:
        """Under which conversions a piece is needed."""
        found: list[Together] = []
        for number in self.from_.get(piece[:2], ()):
            found += self._picked(Pick(number, CONVERSION), piece, around)
        return found

    def _picked(self, pick: Pick, piece: Piece, around: Loops) -> list[Together]:
        """Under which picks beside one, whose instructions use a piece or hand it on, the piece is needed."""
        template = self.template(pick)
        register = self.input.get(piece)
        if template is None or register is None:
            return []
        converts = pick.variant == CONVERSION
        common = next((loop for loop in around if converts or loop in self.loops_of(pick.number)), -1)
        found: list[Together] = []
        for place in self.sure_steps.get(pick, ()):
            step = template.steps[place]
            if register in step.uses and (common < 0 or not self.leaves(step, common)):
                unless = self.early.get((pick, place))
                if unless is None:
                    return [(pick,)]
                found += [tuple(sorted((pick, other))) for other in unless]
        for (value, layout), registers in template.gives.items():
            for place, one in enumerate(registers):
                if one == register:
                    found += self.needed((value, layout, place), around, pick)
        return found

    def needed(self, piece: Piece, around: Loops, maker: Pick) -> list[Together]:
        """Under which picks beside the one that makes it somebody needs a piece; conversions are not converted."""
        after = [one for op in self.users[piece[0]] for one in self.takers(piece, op, around)]
        if maker.variant != CONVERSION:
            after += self.converters(piece, around)
        return [joined for one in after if (joined := self.joined((maker,), one)) is not None]

    def taken(self, value: int, op: int, around: Loops, converted: bool = True) -> tuple[tuple[int, Together], ...]:
        """The registers that a later operation needs of a value, and the picks under which it does."""
        key = (value, op, around, converted)
        known = self._taken.get(key)
        if known is None:
            found: dict[tuple[int, Together], None] = {}
            problem = self.problem.ops[op]
            layouts = dict.fromkeys(
                problem.variants[variant].layouts[place]
                for variant in self.open[op] for place, operand in enumerate(problem.operands) if operand == value
            )  # fmt: skip
            for layout in layouts:
                for piece in self.pieces(value, layout):
                    self._add(
                        found, self.ways(piece) if converted else self.made(piece), self.takers(piece, op, around)
                    )
            known = self._taken[key] = tuple(found)
        return known

    def _add(self, found: dict[tuple[int, Together], None], ways: Ways, takers: tuple[Together, ...]) -> None:
        for before, register in ways:
            for after in takers:
                joined = self.joined(before, after)
                if joined is not None:
                    found[register, joined] = None

    def _made_earlier(self) -> dict[tuple[Pick, int], tuple[Pick, ...]]:
        """The instructions that need not run, since an earlier operation may have made the same.

        With each are picks that keep the earlier operation from that: none where these are not told.
        """
        makers: dict[int, dict[int, set[int]]] = {}
        for (number, variant), template in self.templates.variants.items():
            for step in template.steps:
                for one in () if step.writes else step.makes:
                    makers.setdefault(one, {}).setdefault(number, set()).add(variant)
        found: dict[tuple[Pick, int], tuple[Pick, ...]] = {}
        for (number, variant), template in self.templates.variants.items():
            for place, step in enumerate(template.steps):
                if step.writes or not step.makes:
                    continue
                earlier = [op for op in makers[step.makes[0]] if op < number]
                if not earlier:
                    continue
                first = earlier[0]
                told = len(earlier) == 1 and not self.problem.ops[first].copies
                same = makers[step.makes[0]][first]
                others = [Pick(first, one) for one in self.open[first] if told and one not in same]
                found[Pick(number, variant), place] = tuple(others)
        return found

    # -- what is needed whatever is chosen -----------------------------------------------------------------------

    def _be_sure(self) -> None:
        """Which instructions stay, whatever else is chosen: those that write, and those whose results somebody uses."""
        for number in reversed(range(len(self.problem.ops))):
            op = self.problem.ops[number]
            for value in op.results:
                for way in self.ways_of.get(value, ()):
                    self._sure_of(Pick(way, CONVERSION))
            for variant in self.open[number]:
                self._sure_of(Pick(number, variant))

    def _sure_of(self, pick: Pick) -> None:
        template = self.template(pick)
        if template is None:
            return
        if all(step.writes for step in template.steps):
            self.sure_steps[pick] = frozenset(range(len(template.steps)))
            return
        needed = {
            one
            for (value, layout), registers in template.gives.items()
            for place, one in enumerate(registers) if self._is_sure((value, layout, place), pick)
        }  # fmt: skip
        kept: set[int] = set()
        for place in reversed(range(len(template.steps))):
            step = template.steps[place]
            if step.writes or not needed.isdisjoint(step.makes):
                kept.add(place)
                needed.update(step.uses)
        self.sure_steps[pick] = frozenset(kept)

    def _is_sure(self, piece: Piece, maker: Pick) -> bool:
        """Whether whoever takes a value in a layout needs a piece of it, and somebody may."""
        converts = maker.variant == CONVERSION
        known = self.sure.get((piece, converts))
        if known is None:
            register = self.input.get(piece)
            value, layout, _ = piece
            users = [
                Pick(op, variant)
                for op in self.users[value] for variant in self.taking.get((op, value, layout), ())
            ]  # fmt: skip
            if not converts:
                users += [Pick(number, CONVERSION) for number in self.from_.get((value, layout), ())]
            known = self.sure[piece, converts] = register is not None and bool(users) and all(
                self._surely_needs(pick, register) for pick in users
            )  # fmt: skip
        return known

    def _surely_needs(self, pick: Pick, register: int) -> bool:
        template = self.template(pick)
        if template is None:
            return False
        if pick not in self.sure_steps:
            self._sure_of(pick)
        if any(register in template.steps[place].uses for place in self.sure_steps[pick]):
            return True
        return any(
            one == register and self._is_sure((value, layout, place), pick)
            for (value, layout), registers in template.gives.items() for place, one in enumerate(registers)
        )  # fmt: skip
