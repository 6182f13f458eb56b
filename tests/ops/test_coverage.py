from __future__ import annotations

import pytest

from layoutsolver.ops.assembly import compile_assembly
from layoutsolver.ops.ave import AVE_OPS
from layoutsolver.ops.coverage import RULE_FAMILIES, coverage
from layoutsolver.ops.registry import TABLES, all_specs, buckyball_specs, pto_specs
from layoutsolver.ops.spec import Effect, Kind, OpSpec
from layoutsolver.pose.ave import _Poser

EFFECTS = {
    "vload": Effect.READ, "vgather": Effect.READ, "masked_store": Effect.WRITE, "store_with_stride": Effect.WRITE,
    "unaligned.masked.store": Effect.WRITE, "vscatter": Effect.WRITE, "membar": Effect.ORDER,
}  # fmt: skip
IDS = [spec.name.removeprefix("ave.hir.") for spec in AVE_OPS]


@pytest.mark.parametrize("spec", AVE_OPS, ids=IDS)
def test_an_operation_has_syntax_rule_and_effect(spec: OpSpec) -> None:
    assert spec.assembly
    assert spec.rule in RULE_FAMILIES["ave"]
    assert callable(getattr(_Poser, f"pose_{spec.rule}", None))
    assert spec.effect is EFFECTS.get(spec.name.removeprefix("ave.hir."), Effect.PURE)
    assert spec.source == f"HIVMAVEOps.td#{spec.name.removeprefix('ave.hir.')}"


@pytest.mark.parametrize("spec", AVE_OPS, ids=IDS)
def test_the_syntax_shows_every_operand_once_and_the_type_of_every_result(spec: OpSpec) -> None:
    items = compile_assembly(spec.assembly)
    used = [name for action, name in items if action in ("use", "uses")]
    assert sorted(used) == sorted(role.name for role in spec.operands)
    assert [name for action, name in items if action == "uses"] == [
        role.name for role in spec.operands if role.variadic
    ]
    printed = {name for action, name in items if action == "type"}
    roles = {role.name for role in (*spec.operands, *spec.results)}
    assert printed <= roles
    for result in spec.results:
        assert result.name in printed or spec.result_types[result.name] in printed
    assert [action for action, _ in items].count("attrs") == 1
    assert set(spec.same_type) <= roles


@pytest.mark.parametrize("spec", AVE_OPS, ids=IDS)
def test_vectors_and_masks_are_told_apart_by_role(spec: OpSpec) -> None:
    for role in (*spec.operands, *spec.results):
        if role.name in ("mask", "pred", "plhs", "prhs", "pres"):
            assert role.kind is Kind.MASK
        elif role.name in ("src", "lhs", "rhs", "res", "out", "val", "vec"):
            assert role.kind is Kind.VECTOR


def test_nothing_is_missing_in_any_row_and_rows_come_in_the_order_of_the_table() -> None:
    for target, table in TABLES.items():
        rows = coverage(target)
        assert [row.name for row in rows] == [spec.name for spec in table()]
        assert [row.name for row in rows if row.missing] == []
        assert all(row.rule and row.effect for row in rows)
    assert all(row.syntax != "by shape" for row in coverage("ave"))


def test_a_row_that_lacks_something_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = (OpSpec("ave.hir.new", (), (), "", "no such rule", Effect.PURE),)
    monkeypatch.setitem(TABLES, "ave", lambda: broken)
    (row,) = coverage("ave")
    assert (row.missing, row.rule, row.syntax) == (("syntax", "rule"), "", "by shape")


def test_every_operation_is_in_one_table_only() -> None:
    names = [spec.name for table in TABLES.values() for spec in table()]
    assert len(names) == len(set(names)) == len(all_specs()) + len(pto_specs()) + len(buckyball_specs())
