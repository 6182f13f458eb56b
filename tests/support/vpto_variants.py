"""Every variant of every operation of a program emitted by itself, whatever a solver would choose."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from layoutsolver.ops.spec import Effect
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.pose.vmi.variants import PIPES
from layoutsolver.vmi.runs import calls_of
from layoutsolver_backends.vpto.build import Builder, UnsupportedError
from layoutsolver_backends.vpto.code import Code, Instruction, Ssa
from layoutsolver_backends.vpto.emission import emit_prefix, types_of
from layoutsolver_backends.vpto.families import EMISSIONS
from layoutsolver_backends.vpto.site import Site
from layoutsolver_models.problems.selection import paid_once
from layoutsolver_models.rules.vmi.table import RULES


class Emitted(NamedTuple):
    """A lowering of a rule, for which operation of which layouts; `said` is why nothing is emitted, empty if it is.

    `counts` are the instructions that are emitted on each pipe, `cost` those that the rule counts.
    """

    rule: str
    lowering: int
    what: str
    said: str
    counts: tuple[int, ...]
    cost: tuple[int, ...]


def emitted(posed: PosedVmi) -> list[Emitted]:
    """What comes of each variant of a program's operations."""
    build, calls = Builder(posed.program), [*calls_of(posed.program.graph), 1]
    for op in posed.program.ops:
        if op.op == "prefix":
            emit_prefix(build, op)
    out: list[Emitted] = []
    for number, canonical in enumerate(posed.op_of):
        if canonical < 0:
            continue
        op, known = posed.program.ops[canonical], posed.problem.ops[number]
        for variant in known.variants:
            rule, place = RULES[variant.rule], int(variant.attrs["lowering"])
            layouts = dict(zip((*op.vectors(), *op.results), variant.layouts, strict=True))
            build.place, build.code, said = op.before, Code(), ""
            try:
                held = {
                    (value, layout): tuple(build.value(text) for text in types_of(posed.program.values[value], layout))
                    for value, layout in zip(known.operands, variant.layouts, strict=False)
                }
                site = Site(build, op, rule, rule.lowerings[place], layouts, held)
                EMISSIONS[rule.family](site)
                for role, value in op.results.items():
                    assert site.held[value.number, layouts[role]], f"no registers of {role}"
            except UnsupportedError as error:
                said = str(error)
            times = max(1, calls[posed.program.graph.ops[op.origin].function])
            once = tuple(one // times for one in paid_once(variant) or (0,) * len(PIPES))
            cost = tuple(map(sum, zip(variant.cost, once, strict=True)))
            what = f"{op.op} in {', '.join(variant.layouts)}"
            out.append(Emitted(rule.id, place, what, said, counts_of(build.code), cost))
    return out


def counts_of(code: Code) -> tuple[int, ...]:
    """The instructions that count, on each pipe, equal ones that change nothing once."""
    found = Counter(dict.fromkeys(PIPES, 0))
    stands_for: dict[Ssa, Ssa] = {}
    seen: dict[tuple[object, ...], Instruction] = {}
    for _, instruction in code.all():
        one = instruction.renamed(stands_for)
        key = (one.name, one.operands, one.words, one.attrs, tuple(value.type for value in one.results))
        if key in seen and one.effect is Effect.PURE:
            stands_for.update(zip(one.results, seen[key].results, strict=True))
        elif one.counted:
            found[one.pipe] += one.occupies
        seen.setdefault(key, one)
    return tuple(found[pipe] for pipe in PIPES)
