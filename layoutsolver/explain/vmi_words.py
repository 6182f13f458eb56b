"""Rules, refusals and conversions of VMI programs in plain English."""

from __future__ import annotations

from layoutsolver.explain.selection_words import MANY, op_words
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.pose.vmi.reasons import reasons_of


def operation_words(posed: PosedVmi, number: int) -> str:
    """Which layouts an operation of the problem takes and makes."""
    op = posed.problem.ops[number]
    names = [posed.problem.values[value].id for value in (*op.operands, *op.results)]
    if posed.join_of[number] >= 0:
        return f"control flow makes {', '.join(dict.fromkeys(names))} one"
    if posed.op_of[number] < 0:
        if len(names) > 1:
            return f"{' and '.join(names)} are what the returns of one function give"
        return f"{names[0]} crosses the boundary of a function"
    return op_words(posed.problem, number)


def refused_words(posed: PosedVmi, number: int) -> list[str]:
    """The rules that an operation of the problem cannot use, those with the same reason together."""
    if posed.op_of[number] < 0:
        return []
    reasons = reasons_of(posed.program.ops[posed.op_of[number]], posed.refused[number])
    name = posed.problem.ops[number].id
    return [f"{name}: not {', '.join(rules)}: {reason}" for reason, rules in list(reasons.items())[:MANY]]


def ways_words(posed: PosedVmi, value: int) -> list[str]:
    """Which conversions a value has, and from where to where none leads."""
    problem = posed.problem
    known = problem.values[value]
    made = {
        variant.layouts[len(op.operands) + place]
        for op in problem.ops
        for variant in op.variants
        for place, result in enumerate(op.results)
        if result == value
    }
    asked = {
        layout
        for op in problem.ops
        for variant in op.variants
        for operand, layout in zip(op.operands, variant.layouts, strict=False)
        if operand == value
    }
    ways = [way for way in problem.conversions if way.value == value and way.before in made and way.after in asked]
    listed = [f"{way.before} to {way.after} ({sum(way.cost)})" for way in ways]
    missing = sorted(asked - made - {way.after for way in ways})
    out = []
    if listed:
        more = f", {len(listed) - MANY} more" if len(listed) > MANY else ""
        out.append(f"{known.id} is converted from {', '.join(listed[:MANY])}{more}, by so many instructions")
    if missing:
        out.append(f"nothing makes {known.id} in {', '.join(missing)}, and no conversion leads there")
    return out
