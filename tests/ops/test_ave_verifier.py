"""What the dialect's verifier demands: the same programs are refused here as by the released tool, with a code."""

from __future__ import annotations

from layoutsolver.ops.ave import AVE_OPS
from layoutsolver.ops.ave_verifier import CONVERSIONS, ELEMENTS, refusals
from tests.support.verifier_programs import meant_to_differ, programs, recorded, refused_here

ROLES = {
    spec.name.removeprefix("ave.hir."): {role.name for role in (*spec.operands, *spec.results)} for spec in AVE_OPS
}


def test_rows_are_about_operations_and_roles_that_there_are() -> None:
    assert all(role in ROLES[mnemonic] for mnemonic, role in ELEMENTS)
    assert set(CONVERSIONS) <= set(ROLES)


def test_programs_are_refused_as_the_released_tool_refuses_them() -> None:
    """Every third of nearly ten thousand functions of one operation."""
    accepted = recorded()
    texts = dict(programs())
    assert len(accepted) == len(texts)
    for title in list(texts)[::3]:
        said = refused_here(texts[title])
        if not meant_to_differ(title):
            assert bool(said) != accepted[title], (title, said)


def test_every_row_refuses_something_and_accepts_something() -> None:
    """By single rows: what it lists is taken, anything else is named with what there is instead."""
    for (mnemonic, role), elements in ELEMENTS.items():
        for element in ("i1", "ints", *elements):
            said = [one.message for one in refusals(mnemonic, {role: element}, {})]
            refused = f"`ave.hir.{mnemonic}` does not take"
            assert any(message.startswith(refused) for message in said) == (element not in elements), (
                mnemonic,
                element,
            )


def test_every_conversion_takes_exactly_its_attributes() -> None:
    names = ("part", "pp", "rnd", "sat")
    for mnemonic, pairs in CONVERSIONS.items():
        for (before, after), wanted in pairs.items():
            elements = {"src": before, "res": after}
            assert not list(refusals(mnemonic, elements, dict.fromkeys(wanted, "")))
            for name in wanted:
                given = dict.fromkeys(wanted - {name}, "")
                assert [f"`{name}`" in one.message for one in refusals(mnemonic, elements, given)] == [True]
            more = [name for name in names if any(name in other for other in pairs.values()) and name not in wanted]
            for name in more:
                assert list(refusals(mnemonic, elements, dict.fromkeys({*wanted, name}, "")))
