"""Every mask of every operation has a granularity by some row."""

from __future__ import annotations

from layoutsolver.ops.spec import Kind
from layoutsolver.ops.vmi import VMI_OPS
from layoutsolver_models.rules.vmi.masks import ASKED, CAST, JOINED, MADE, REMADE, asked_width

NORMAL = {spec.name.removeprefix("pto.vmi."): spec for spec in VMI_OPS if spec.rule != "-"}


def test_every_mask_operand_is_asked_for_joined_or_cast() -> None:
    for name, spec in NORMAL.items():
        for role in spec.operands:
            if role.kind is Kind.MASK and name != CAST:
                assert (asked_width(name, role.name) is not None) != (role.name in JOINED.get(name, ())), (
                    name,
                    role.name,
                )


def test_every_mask_result_is_fixed_joined_cast_or_made_anew() -> None:
    fixed = {(op, row.role) for row in MADE for op in row.ops}
    for name, spec in NORMAL.items():
        for role in spec.results:
            if role.kind is Kind.MASK and name != CAST:
                ways = [(name, role.name) in fixed, role.name in JOINED.get(name, ()), name in REMADE]
                assert sum(ways) == 1, (name, role.name)


def test_rows_speak_of_roles_that_there_are_and_of_each_mask_once() -> None:
    seen = []
    for row in (*MADE, *ASKED):
        for op in row.ops:
            roles = {role.name for role in (*NORMAL[op].operands, *NORMAL[op].results)}
            assert row.role in roles
            assert bool(row.like) != bool(row.bits)
            assert not row.like or row.like in roles
            seen.append((op, row.role))
    assert len(seen) == len(set(seen))
