"""The released compiler's clean-up, on small nets: which conversions its folding takes away and which it leaves."""

from __future__ import annotations

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.upstream.cleanup import clean_up
from layoutsolver.pose.vmi.upstream.net import Net, Node, Val
from layoutsolver.source import SourceFile
from tests.pose.vmi.kernels import kernel

GRAPH = build_graph(read(SourceFile("kernel.pto", kernel(""))))[0]


def put(net: Net, name: str, operands: tuple[Val, ...], layout: str = "", is_mask: bool = False) -> Val:
    """An operation on vectors of 128 words, or on masks of them, at the end of a net; what it makes."""
    node = Node(name, 0)
    node.body = net.body
    net.body.nodes.append(node)
    for number, value in enumerate(operands):
        node.add_use(f"operand{number}", value)
    made = Val(len(net.body.nodes), is_mask, 128, "i1" if is_mask else "f32", 32)
    made.layout = layout
    return node.add_result("result", made) if layout else made


def taken(net: Net) -> Node:
    """The last operation, after the clean-up."""
    last = net.body.nodes[-1]
    clean_up(net, GRAPH)
    return last


@pytest.mark.parametrize(("back", "folds"), [("c", True), ("d4", False)])
def test_a_conversion_of_a_conversion_goes_if_it_leads_back(back: str, folds: bool) -> None:
    net = Net()
    made = put(net, "gather", (), "c")
    there = put(net, "ensure_layout", (made,), "d2")
    again = put(net, "ensure_layout", (there,), back)
    put(net, "scatter", (again,))
    assert taken(net).uses[0].value is (made if folds else again)


def test_a_conversion_of_what_is_no_conversion_stays() -> None:
    net = Net()
    made = put(net, "gather", (), "c")
    other = put(net, "bitcast", (made,), "d2")
    again = put(net, "ensure_layout", (other,), "c")
    put(net, "scatter", (again,))
    assert taken(net).uses[0].value is again


@pytest.mark.parametrize(
    ("layout", "mask", "to", "helper", "folds"),
    [
        ("d2", "d2", "c", "ensure_mask_layout", True), ("d2", "d4", "c", "ensure_mask_layout", False),
        ("bd2", "bd2", "c", "ensure_mask_layout", False), ("d2", "d2", "d4", "ensure_mask_layout", False),
        ("d2", "d2", "c", "mask_not", False),
    ],
)  # fmt: skip
def test_a_masked_store_takes_what_was_converted_for_it_with_its_mask(
    layout: str, mask: str, to: str, helper: str, folds: bool
) -> None:
    net = Net()
    made, lit = put(net, "gather", (), layout), put(net, "cmpf", (), mask, is_mask=True)
    dense, full = put(net, "ensure_layout", (made,), to), put(net, helper, (lit,), to, is_mask=True)
    put(net, "masked_store", (dense, full))
    stored = [use.value for use in taken(net).uses]
    assert all(one is other for one, other in zip(stored, (made, lit) if folds else (dense, full), strict=True))


@pytest.mark.parametrize(("to", "folds"), [("c", True), ("d4", False)])
def test_a_store_takes_what_was_made_contiguous_for_it(to: str, folds: bool) -> None:
    net = Net()
    made = put(net, "gather", (), "d2")
    dense = put(net, "ensure_layout", (made,), to)
    put(net, "store", (dense,))
    assert taken(net).uses[0].value is (made if folds else dense)


def test_a_load_that_cannot_be_in_a_layout_is_converted() -> None:
    net = Net()
    loaded = put(net, "load", (), "c")
    asked = put(net, "ensure_layout", (loaded,), "bd2")
    put(net, "scatter", (asked,))
    assert (taken(net).uses[0].value is asked, loaded.layout) == (True, "c")


@pytest.mark.parametrize(("second", "folds"), [("d2", True), ("d4", False), ("c", False)])
def test_a_load_is_made_in_the_layout_that_all_ask_for(second: str, folds: bool) -> None:
    net = Net()
    loaded = put(net, "load", (), "c")
    first = put(net, "ensure_layout", (loaded,), "d2")
    put(net, "scatter", (first,))
    other = put(net, "ensure_layout", (loaded,), second) if second != "c" else loaded
    put(net, "scatter", (other,))
    last = taken(net)
    assert loaded.layout == ("d2" if folds else "c")
    assert (last.uses[0].value is loaded) == (folds or second == "c")
