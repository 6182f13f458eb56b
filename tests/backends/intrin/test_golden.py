"""Every row of the lowering tables once: which intrinsics come out, on both chips and in both dialects."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from layoutsolver.api import LowerOptions, SolveOptions, lower
from layoutsolver.source import SourceFile
from layoutsolver_backends.intrin import tables
from tests.support.intrin_cases import FAMILIES, cases, summary

VARIANTS = (("1.2.0", ""), ("1.2.0", "ascend950"), ("master", ""), ("master", "ascend950"))


def lowered(text: str, dialect: str, chip: str) -> str:
    options = LowerOptions(dialect=dialect, solved=True, solving=SolveOptions(compat="upstream", chip=chip))
    result = lower(SourceFile("case.mlir", text), options)
    if result.text is None:
        return "\n".join(f"  {item.code}: {item.message}" for item in result.diagnostics if item.severity == "error")
    assert "ave.hir." not in result.text
    return summary(result.text)


@pytest.mark.parametrize("family", FAMILIES)
def test_each_row_gives_its_intrinsics(family: str, golden: Callable[[str, str], None]) -> None:
    """The release on the older chip; what another dialect or chip changes stands below it."""
    blocks = []
    for title, text in cases(family):
        first, *others = [lowered(text, dialect, chip) for dialect, chip in VARIANTS]
        block = f"{title}\n{first}\n"
        for (dialect, chip), other in zip(VARIANTS[1:], others, strict=True):
            if other != first:
                block += f" {dialect} {chip or 'ascend310b4'}:\n{other}\n"
        blocks.append(block)
    golden(f"backends/intrin-{family}.txt", "\n".join(blocks))


def test_every_conversion_row_is_reached() -> None:
    text = " ".join(lowered(program, "1.2.0", "") for _, program in cases("conversions"))
    assert [row for row in tables.CONVERSIONS if row.intrinsic not in text] == []


def test_every_elementwise_row_is_reached() -> None:
    text = " ".join(lowered(program, "1.2.0", "") for _, program in cases("elementwise"))
    names = {name for row in tables.ELEMENTWISE.values() for name in (row.signed, row.unsigned) if name}
    unreachable = {"vshl.u.x", "vdiv.u.x", "vadds.u.x", "vmuls.u.x"}  # their operations take no unsigned elements
    assert {name for name in names if f"{name}(" not in text} == unreachable
