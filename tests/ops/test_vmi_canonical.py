"""The rows that say what stands for a surface operation."""

from __future__ import annotations

import pytest

from layoutsolver.ops.registry import find_spec
from layoutsolver.ops.vmi import VMI_OPS
from layoutsolver.ops.vmi_canonical import ADDED, BETWEEN, CANONICAL, Canonical, predicate
from layoutsolver_models.rules.expression import names

FACTS = {
    "N", "N_src", "kind", "to", "W", "W_to", "element", "dist", "group", "pmode", "strides", "masked", "on_masks",
    "slots", "full_seed", "order", "reassoc", "rounding", "saturate", "predicate", "lies",
}  # fmt: skip
EVERY = (*CANONICAL, *ADDED)
ROWS = pytest.mark.parametrize("row", EVERY, ids=[row.id for row in EVERY])


def test_every_surface_operation_has_rows_and_no_other_has() -> None:
    surface = {spec.name.removeprefix("pto.vmi.") for spec in VMI_OPS if spec.rule == "-"}
    assert {row.surface for row in CANONICAL} == surface
    assert len(CANONICAL) == 93
    assert len({row.id for row in EVERY}) == len(EVERY) == 94


@ROWS
def test_steps_are_operations_with_as_many_operands_and_results_as_they_have(row: Canonical) -> None:
    surface = find_spec(f"pto.vmi.{row.surface}")
    assert surface is not None
    known = {role.name for role in surface.operands}
    results = {role.name for role in surface.results}
    for step in row.steps:
        spec = find_spec(f"pto.vmi.{step.op}")
        assert step.op == "prefix" or spec is not None
        if spec is not None:
            assert spec.rule != "-"
            assert len(step.operands) == len(spec.operands)
            assert len(step.results) == len(spec.results)
            attributes = {attribute.name for attribute in spec.attributes} | {"predicate"}
            assert {name for name, _ in step.attrs} <= attributes
            required = {attribute.name for attribute in spec.attributes if attribute.required}
            assert required <= {name for name, _ in step.attrs}
        assert {name for name in step.operands if name[0] != "#"} <= known
        known.update(step.results)
        assert set(step.results) <= results | set(BETWEEN)
    needed = {role.name for role in surface.results if not role.optional}
    assert needed <= {name for step in row.steps for name in step.results}


@ROWS
def test_conditions_and_attributes_ask_for_facts_that_there_are(row: Canonical) -> None:
    for text in (row.when, *(value for step in row.steps for _, value in step.attrs)):
        assert not text or names(text) <= FACTS, text


@pytest.mark.parametrize(
    ("cmp", "kind", "expected"),
    [("lt", "float", "olt"), ("olt", "float", "olt"), ("eq", "float", "oeq"), ("ne", "si", "ne"), ("ge", "si", "sge"),
     ("le", "ui", "ule"), ("gt", "i", "ugt")],
)  # fmt: skip
def test_predicates(cmp: str, kind: str, expected: str) -> None:
    assert predicate(cmp, kind) == expected
