"""Every rule id that a user can meet has a page, and what stands there is what the row says."""

from __future__ import annotations

import re

from layoutsolver.explain.rules import like, rule_page
from layoutsolver.ops.coverage import RULE_FAMILIES
from layoutsolver_models.rules.ave import AVE_RULES
from layoutsolver_models.rules.ave_lanes import LANE_RULES
from layoutsolver_models.rules.conversions import CONVERSIONS
from layoutsolver_models.rules.vmi.table import VMI_RULES


def page(name: str) -> str:
    found = rule_page(name)
    assert found is not None, name
    assert found.startswith(f"# {name}: ")
    return found


ROWS = [(rule.id, rule.layouts) for rule in AVE_RULES] + [(rule.id, rule.layouts) for rule in VMI_RULES]


def test_each_row_has_a_page_with_its_layouts() -> None:
    for name, layouts in ROWS:
        text = page(name)
        for role, layout in layouts.items():
            assert re.search(rf"\| `{role}` +\| `{re.escape(layout)}` +\|", text), (name, role)
        assert "Source: " in text


def test_each_row_stands_in_the_page_of_its_table() -> None:
    heads = {name for families in RULE_FAMILIES.values() for names in families.values() for name in names.split()}
    for head in sorted(head for head in heads if head.startswith(("AVE.", "VMI."))):
        text = page(head)
        rows = [rule.id for rule in AVE_RULES if rule.table == head]
        rows += [rule.id for rule in VMI_RULES if rule.id.startswith(f"{head}.")]
        assert all(f"| `{row}`" in text for row in rows), head
    assert "| `AVE.GATHER.16.B16_2VL.2` | b16_2vl | b16_2vl     | b32    |" in page("AVE.GATHER")


def test_rules_that_leave_layouts_out_and_conversions_have_pages() -> None:
    for lane in LANE_RULES.values():
        assert lane.why in page(lane.id)
    for row in CONVERSIONS:
        assert f"`{row.before}` to `{row.after}`" in page(row.id)


def test_the_cost_of_a_function_type_is_that_of_each_chip() -> None:
    assert "`intlv2`; extra instructions: 1 on ascend310b4; 1 on ascend950." in page("AVE.VCI.16.B16_2VL")
    assert "no extra instruction" in page("AVE.VCI.16.B16")
    assert "`even`, which takes no extra instruction" in page("AVE.EXT.16.B32")
    assert "`--compat upstream` alone takes it" in page("AVE.GATHER.16.B8_2VL")


def test_a_condition_is_printed_with_what_its_facts_are() -> None:
    text = page("VMI.CAST.8_32.LS4_C")
    assert "where `W == 8 and W_to == 32`." in text
    assert "- `W_to`: bits of an element of the result" in text
    assert "- `stride`" not in text


def test_a_rule_that_is_none_has_no_page() -> None:
    assert rule_page("AVE.GATHER.16.B17") is None
    assert "AVE.GATHER.16.B16" in like("AVE.GATHER.16.B17")
