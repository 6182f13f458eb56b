"""Plans of shuffles: run lane by lane they move every element to its place, and take no more than they must."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver.vmi.permute import COMPARISONS, Plan, plan_of

Lanes = list[int | None]


OPERATIONS: dict[str, Callable[[int, int, int, int], int]] = {
    "vci": lambda a, b, number, lane: number + lane, "vcid": lambda a, b, number, lane: number - lane,
    "vdup": lambda a, b, number, lane: number, "vadds": lambda a, b, number, lane: a + number,
    "vmuls": lambda a, b, number, lane: a * number, "vshls": lambda a, b, number, lane: a << number,
    "vshrs": lambda a, b, number, lane: a >> number, "vand": lambda a, b, number, lane: a & b,
    "plt": lambda a, b, number, lane: lane < number, "pxor": lambda a, b, number, lane: a ^ b,
    "vcmps lt": lambda a, b, number, lane: a < number, "vcmps ge": lambda a, b, number, lane: a >= number,
    "vadd": lambda a, b, number, lane: a + b, "vsub": lambda a, b, number, lane: a - b,
}  # fmt: skip


def run(plan: Plan, elements: int, bits: int) -> Lanes:
    """The result of a plan on a source whose elements are their own numbers."""
    count, modulus = 2048 // bits, 1 << bits
    made: list[Lanes] = []
    for name, taken, number in plan.moves:
        held = [made[one] for one in taken]
        lanes: Lanes = []
        for lane in range(count):
            values = [one[lane] for one in held]
            first = values[0] if values else 0
            second = values[1] if len(values) > 1 else 0
            if name == "vselr":
                at = number * count + (first or 0)
                lanes.append(at if first is not None and first < count and at < elements else None)
            elif name == "vsel":
                lanes.append(first if (values[2] if values[2:] else lane < number) else second)
            else:
                assert first is not None
                assert second is not None
                lanes.append(OPERATIONS[name](first, second, number, lane) % modulus)
        made.append(lanes)
    return [one for result in plan.results for one in made[result]]


@settings(max_examples=200)
@given(st.data())
def test_every_element_comes_to_its_place(data: st.DataObject) -> None:
    bits = data.draw(st.sampled_from((8, 16, 32)))
    elements = data.draw(st.integers(1, 300))
    number = st.integers(0, elements - 1)
    kind = data.draw(st.sampled_from(("any", "step", "fields", "rounds")))
    count = data.draw(st.integers(1, 40))
    if kind == "any":
        indices = data.draw(st.lists(number, min_size=count, max_size=count))
    else:
        start, step, period = data.draw(number), data.draw(st.integers(-4, 4)), data.draw(st.sampled_from((1, 2, 8)))
        size = data.draw(st.integers(2, 9)) if kind == "rounds" else 1
        indices = [(start + at // period * step + at % period + at % size * 29) % elements for at in range(count)]
    plan = plan_of(tuple(indices), bits)
    assert run(plan, elements, bits)[:count] == indices
    if bits == 8:
        assert plan.count("vmuls") == 0
    assert plan.indexing + len(plan.data) + plan.count("plt", "pxor", *COMPARISONS) == len(plan.moves)


def test_fields_are_taken_where_they_are_shorter() -> None:
    plan = plan_of(tuple(at % 2 * 32 + at // 2 for at in range(64)), 32)
    assert plan.indexing == 6
    assert plan.count("vsel") == 0


def test_registers_that_come_up_by_turns_are_each_selected_from_once() -> None:
    plan = plan_of(tuple(at % 4 * 64 + at // 4 for at in range(128)), 32)
    assert (plan.count("vselr"), len(plan.data) - plan.count("vselr")) == (8, 6)
    assert sorted(move.number for move in plan.moves if move.name == "vcmps lt") == [1, 2, 3]
    assert run(plan, 256, 32) == [at % 4 * 64 + at // 4 for at in range(128)]


def test_rounds_of_any_size_are_numbered_by_a_product() -> None:
    indices = [at % 3 * 100 + at // 3 for at in range(300)]
    for bits, most in ((32, 70), (16, 30)):
        plan = plan_of(tuple(indices), bits)
        assert run(plan, 300, bits)[:300] == indices
        assert plan.indexing < most
    assert plan_of(tuple(indices), 8).count("vmuls") == 0


def test_there_is_a_plan_for_any_order() -> None:
    indices = [at * at * 7 % 511 for at in range(512)]
    plan = plan_of(tuple(indices), 32)
    assert run(plan, 511, 32) == indices
    assert plan.count("vselr") <= 8 * 8
    assert plan.count("vcmps ge") == plan.merges
    assert plan.count("plt", "pxor") == 0


def test_bytes_are_told_apart_by_their_places() -> None:
    indices = [at * 131 % 400 for at in range(90)]
    plan = plan_of(tuple(indices), 8)
    assert run(plan, 400, 8)[:90] == indices
    assert plan.count("vselr") == 2
    assert plan.count("vcmps ge") == 0
    assert plan.count("pxor") == plan.count("plt") - 1
