"""Every choice of a problem emitted by itself, for the registers that it needs before anything is chosen."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from layoutsolver.ops.spec import Effect
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.vmi.templates import Place, Step, Template, Templates
from layoutsolver_backends.vpto.build import Builder, UnsupportedError
from layoutsolver_backends.vpto.code import Code, Instruction, Ssa, element_bits, element_of
from layoutsolver_backends.vpto.convert import emit_conversion
from layoutsolver_backends.vpto.emission import emit_prefix, types_of
from layoutsolver_backends.vpto.families import EMISSIONS
from layoutsolver_backends.vpto.passes.conversions import FIRST, REPEATING, simplify_conversions
from layoutsolver_backends.vpto.passes.dead import drop_dead
from layoutsolver_backends.vpto.passes.patterns import PATTERNS
from layoutsolver_backends.vpto.passes.reductions import combine_reductions
from layoutsolver_backends.vpto.pressure import PREFIXES, VIEWS
from layoutsolver_backends.vpto.site import Held, Site
from layoutsolver_models.problems.capacity import RegisterKind
from layoutsolver_models.rules.vmi.table import RULES
from layoutsolver_models.solve.selection import Open

Key = tuple[Hashable, ...]


def templates_of(posed: PosedVmi, left: Open) -> Templates:
    """The templates of the variants and conversions that are left of a problem; what cannot be emitted has none."""
    made = _Templates(posed)
    ways: dict[int, list[int]] = {}
    for number in left.conversions:
        ways.setdefault(posed.problem.conversions[number].value, []).append(number)
    for number, variants in enumerate(left.variants):
        made.op(number, variants)
        for value in posed.problem.ops[number].results:
            for way in ways.pop(value, ()):
                made.conversion(way)
    return Templates(made.variants, made.conversions, made.taken, made.kinds, frozenset(made.patterns))


class _Templates:
    def __init__(self, posed: PosedVmi) -> None:
        self.posed = posed
        self.program = posed.program
        self.build = Builder(posed.program)
        self.variants: dict[tuple[int, int], Template] = {}
        self.conversions: dict[int, Template] = {}
        self.taken: dict[Place, int] = {}
        self.like: dict[tuple[int, str], tuple[int, ...]] = {}
        self.kinds: list[RegisterKind] = []
        self.patterns: set[int] = set()
        self.inputs: dict[tuple[int, str], tuple[Ssa, ...]] = {}
        self.identities: dict[Key, int] = {}
        self.identity: dict[Ssa, int] = {}
        self.numbers: dict[int, int] = {}
        self.needs: dict[Ssa, frozenset[int]] = {}
        self.scalars: dict[Ssa, frozenset[int]] = {}
        self.repeating: set[int] = set()
        self.zeroed: set[int] = set()
        self.epochs = self._epochs()
        self.stores = 0
        for op in self.program.ops:
            if op.op == "prefix":
                emit_prefix(self.build, op)
        for _, one in self.build.code.all():
            self._note(one, 0)

    def _epochs(self) -> dict[int, int]:
        """How many operations in front of each may write memory: loads with as many may be one."""
        out: dict[int, int] = {}
        count = 0
        for op in self.program.ops:
            out[op.number] = count
            count += not op.results
        return out

    # -- registers --------------------------------------------------------------------------------------------

    def register(self, value: Ssa) -> int:
        """The number of a register."""
        identity = self._identity(value)
        known = self.numbers.get(identity)
        if known is None:
            known = self.numbers[identity] = len(self.kinds)
            self.kinds.append("predicate" if value.type.startswith(PREFIXES["predicate"]) else "vector")
        return known

    def input(self, value: int, layout: str) -> tuple[Ssa, ...]:
        """The registers of an operand."""
        known = self.inputs.get((value, layout))
        if known is None:
            logical = self.program.values[value]
            types = types_of(logical, layout)
            like = self.like.get((value, layout), tuple(range(len(types))))
            fresh = [self.build.value(type_, logical.name) for type_ in types]
            known = self.inputs[value, layout] = tuple(fresh[place] for place in like)
            for place, one in enumerate(known):
                self.identity[one] = self._interned(("in", value, layout, like[place]))
                self.needs[one] = frozenset({value})
                self.taken[value, layout, place] = self.register(one)
        return known

    def _give(self, key: tuple[int, str], registers: tuple[int, ...]) -> None:
        """Remember which registers of a value may be one: those that some choice makes so."""
        like = list(self.like.get(key, range(len(registers))))
        for place, one in enumerate(registers):
            first = registers.index(one)
            like = [like[first] if other == like[place] else other for other in like]
        self.like[key] = tuple(like)

    def _interned(self, key: Key) -> int:
        return self.identities.setdefault(key, len(self.identities))

    def _identity(self, value: Ssa) -> int:
        """What a value is: how it is made, or where in the text it comes from."""
        known = self.identity.get(value)
        if known is None:
            text = next((number for number, one in self.build.outside.items() if one == value), -1)
            known = self.identity[value] = self._interned(("text", text, value.number if text < 0 else 0))
            self.scalars[value] = frozenset({text} if text >= 0 else ())
        return known

    # -- choices ----------------------------------------------------------------------------------------------

    def op(self, number: int, variants: Iterable[int]) -> None:
        """The templates of some variants of an operation of the problem."""
        known = self.posed.problem.ops[number]
        canonical = self.posed.op_of[number]
        for place in variants:
            variant = known.variants[place]
            ports = list(zip((*known.operands, *known.results), variant.layouts, strict=True))
            inputs = {port: self.input(*port) for port in ports[: len(known.operands)]}
            results = ports[len(known.operands) :]
            if canonical < 0:
                self.variants[number, place] = self._joined(inputs, results)
                continue
            op, rule = self.program.ops[canonical], RULES[variant.rule]
            layouts = dict(zip((*op.vectors(), *op.results), variant.layouts, strict=True))
            self.build.code = Code()
            self.build.place = 0
            lowering = rule.lowerings[int(variant.attrs["lowering"])]
            site = Site(self.build, op, rule, lowering, layouts, inputs)
            try:
                EMISSIONS[rule.family](site)
            except UnsupportedError:
                continue
            self.variants[number, place] = self._template({key: site.held[key] for key in results}, op.number)

    def conversion(self, number: int) -> None:
        """The template of a conversion."""
        way = self.posed.problem.conversions[number]
        self.build.code = Code()
        self.build.place = 0
        rules = [RULES[name] for name in way.rule.split()]
        value = self.program.values[way.value]
        try:
            made = emit_conversion(self.build, value, self.input(way.value, way.before), rules, way.before)
        except UnsupportedError:
            return
        self.conversions[number] = self._template({(way.value, way.after): made}, -1)

    def _joined(self, inputs: Held, results: list[tuple[int, str]]) -> Template:
        """Control flow: all registers of what it takes are used, and all of what it makes are its own."""
        gives: dict[tuple[int, str], tuple[int, ...]] = {}
        for value, layout in results:
            fresh = [self.build.value(one.type) for one in self.input(value, layout)]
            for place, one in enumerate(fresh):
                self.identity[one] = self._interned(("joined", value, layout, place))
            gives[value, layout] = tuple(self.register(one) for one in fresh)
        uses = tuple(self.register(one) for some in inputs.values() for one in some)
        return Template((Step(uses, tuple(one for some in gives.values() for one in some), writes=True),), gives)

    # -- instructions -----------------------------------------------------------------------------------------

    def _template(self, made: Held, op: int) -> Template:
        """The instructions of a choice once what is there twice or for nobody is taken away."""
        code = self.build.code
        places = {(place, 0): key for place, key in enumerate(made)}
        code.taken = {place: made[key] for place, key in places.items()}
        for _ in range(2):
            drop_dead(code)
            merge(code)
            combine_reductions(self.build)
            drop_dead(code)
            simplify_conversions(code)
        merge(code)
        drop_dead(code)
        view: dict[Ssa, Ssa] = {}

        def found(values: Iterable[Ssa]) -> list[int]:
            out = []
            for value in values:
                while value in view:
                    value = view[value]
                if value.type.startswith(tuple(PREFIXES.values())):
                    out.append(self.register(value))
            return list(dict.fromkeys(out))

        steps: list[Step] = []
        for _, one in code.all():
            self._note(one, op)
            if one.name in VIEWS or self._may_be_a_view(one):
                view[one.results[0]] = one.operands[0]
            elif one.name.startswith(PATTERNS):
                self.patterns.update(found(one.results))
            elif one.name.startswith("pto."):
                steps.append(self._step(one, found(one.operands), found(one.results)))
        for key, registers in made.items():
            self._note_lanes(key[0], registers, view, code)
        gives: dict[tuple[int, str], tuple[int, ...]] = {}
        for place, key in places.items():
            gives[key] = tuple(number for value in code.taken[place] for number in found([value]))
            self._give(key, gives[key])
        return Template(tuple(steps), gives)

    def _step(self, one: Instruction, uses: list[int], makes: list[int]) -> Step:
        needs, scalars = self._from(self.needs, one), self._from(self.scalars, one)
        kept = tuple(number for number in uses if number not in self.patterns)
        patterns = tuple(number for number in uses if number in self.patterns)
        writes = one.effect not in (Effect.PURE, Effect.READ)
        return Step(kept, tuple(makes), patterns, needs, scalars, one.effect is Effect.PURE, writes)

    def _note(self, one: Instruction, op: int) -> None:
        """Remember what the results of an instruction are, and what they depend on."""
        operands = tuple(self._identity(value) for value in one.operands)
        epoch = self.epochs.get(op, 0) if one.effect is Effect.READ else -1
        if one.effect not in (Effect.PURE, Effect.READ):
            self.stores += 1
            epoch = -1 - self.stores
        attrs = tuple(pair for pair in one.attrs if pair[0] != "part" or not self._may_be_first(one))
        needs, scalars = self._from(self.needs, one), self._from(self.scalars, one)
        for place, value in enumerate(one.results):
            key = (one.name, operands, one.words, attrs, value.type, place, epoch)
            self.identity.setdefault(value, self._interned(key))
            self.needs[value], self.scalars[value] = needs, scalars

    def _from(self, known: dict[Ssa, frozenset[int]], one: Instruction) -> frozenset[int]:
        return frozenset(number for value in one.operands for number in known.get(value, ()))

    # -- conversions that may turn out to be free ----------------------------------------------------------------

    def _widens(self, one: Instruction, values: set[int]) -> bool:
        """Whether an instruction widens an operand of the choice that is one of some values."""
        if one.name != "pto.vcvt" or element_bits(one.operands[0].type) >= element_bits(one.results[0].type):
            return False
        return not values.isdisjoint(self.needs.get(one.operands[0], ()))

    def _may_be_a_view(self, one: Instruction) -> bool:
        """Whether it may read lanes between zeros, so that their registers are what it makes."""
        if not self._widens(one, self.zeroed):
            return False
        unsigned = all(element_of(value.type)[:2] == "ui" for value in (one.operands[0], one.results[0]))
        return unsigned and one.attr("part") in FIRST.values()

    def _may_be_first(self, one: Instruction) -> bool:
        """Whether it may widen equal lanes, of which it does not matter which ones."""
        return self._widens(one, self.repeating)

    def _note_lanes(self, value: int, registers: tuple[Ssa, ...], view: dict[Ssa, Ssa], code: Code) -> None:
        """Remember of a value whether some choice makes it with equal lanes, or with zeros between them."""
        makers = {made: one for _, one in code.all() for made in one.results}
        for register in registers:
            base = register
            while base in view:
                base = view[base]
            needs = self.needs.get(base, frozenset())
            one = makers.get(base)
            name, dist = ("", "") if one is None else (one.name, one.attr("dist"))
            if (
                name == "pto.vdup"
                or dist.startswith(REPEATING)
                or (one is None and not needs.isdisjoint(self.repeating))
            ):
                self.repeating.add(value)
            filled = name in ("pto.vzunpack", "pto.vcvt") or dist.startswith("UNPK")
            if filled or (one is None and not needs.isdisjoint(self.zeroed)):
                self.zeroed.add(value)


def merge(code: Code) -> None:
    """Let equal instructions be one."""
    known: dict[Key, Instruction] = {}
    stands_for: dict[Ssa, Ssa] = {}
    kept: list[Instruction] = []
    for _, instruction in code.all():
        one = instruction.renamed(stands_for)
        if one.effect in (Effect.PURE, Effect.READ):
            key = (one.name, one.operands, one.words, one.attrs, tuple(value.type for value in one.results))
            earlier = known.setdefault(key, one)
            if earlier is not one:
                stands_for.update(zip(one.results, earlier.results, strict=True))
                continue
        kept.append(one)
    code.places = {0: kept}
    code.replaced(stands_for)
