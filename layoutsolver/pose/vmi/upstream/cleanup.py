"""The clean-up behind the assignment: values made again, conversions folded away, conversions moved behind operations.

Source: section 4.2.
"""

from __future__ import annotations

from layoutsolver.graph.model import Graph
from layoutsolver.pose.vmi.upstream.merge import merged
from layoutsolver.pose.vmi.upstream.net import Net, Node, Val
from layoutsolver.pose.vmi.upstream.relations import cast_rows, dense_rows, ensured
from layoutsolver_models.rules.vmi.layouts import arity, layout_of

BINARY = frozenset({
    "addf", "addi", "subf", "subi", "mulf", "muli", "divf", "minf", "mini", "maxf", "maxi", "andi", "ori", "xori",
    "shli", "shrui", "shrsi",
})  # fmt: skip
UNARY = frozenset({"negf", "absi", "sqrt", "exp", "ln", "relu", "not"})
"""Unary operations that are made again or moved; `absf` and `negi` never are."""

WIDENING = frozenset({"extf", "extsi", "extui"})
FREE_DATA = frozenset({"constant", "broadcast", "iota"})
FREE_MASKS = frozenset({"create_mask", "create_group_mask", "constant_mask"})
MASK_LOGIC = frozenset({"mask_and", "mask_or", "mask_xor", "mask_not"})


def clean_up(net: Net, graph: Graph) -> None:
    """Run the three passes, with the general ones behind each."""
    _make_again(net)
    merged(net, graph)
    _fold(net)
    merged(net, graph)
    _sink(net)
    merged(net, graph)


# -- made again -----------------------------------------------------------------------------------------------------


def _make_again(net: Net) -> None:
    changed = True
    while changed:
        changed = False
        helpers = ("ensure_layout", "ensure_mask_layout", "ensure_mask_granularity", "trunci")
        for node in [node for node in net.walk() if node.name in helpers]:
            if node.body is None:
                continue
            if node.name == "trunci":
                changed |= _narrow_unconverted(node)
            else:
                changed |= _replace_ensure(node)


def _replace_ensure(ensure: Node) -> bool:
    """Make what is converted again, in the layout that is asked for."""
    made = ensure.uses[0].value.node
    wanted = ensure.results[0]
    if made is None:
        return False
    if ensure.name == "ensure_layout":
        again = _again(made, wanted, ensure)
    else:
        again = _copy(made, wanted, ensure) if made.name in FREE_MASKS else None
    if again is None:
        return False
    wanted.replace_by(again.results[0])
    ensure.erase()
    return True


def _again(made: Node, wanted: Val, place: Node) -> Node | None:
    """An operation once more in another layout, in front of a place; None if that cannot or need not be."""
    if made.name in FREE_DATA or (made.name == "group_iota" and wanted.layout in ("c", "ls2", "ls4")):
        if made.name == "constant" and "dense<[" in str(made.attrs.get("value", "")).replace(" ", ""):
            return None
        return _copy(made, wanted, place)
    if made.name in WIDENING:
        source = made.uses[0].value
        rows = [row for row in cast_rows(source.bits, wanted.bits) if row[1] == wanted.layout]
        if len(rows) != 1:
            return None
        layout = rows[0][0]
        if layout != source.layout and not (
            ensured(source, source.layout, layout) and _arity(source, layout) <= _arity(source, source.layout)
        ):
            return None
        return _copy(made, wanted, place, layout)
    if made.name in BINARY or made.name in UNARY or made.name == "fma":
        return _copy(made, wanted, place, wanted.layout)
    return None


def _copy(made: Node, wanted: Val, place: Node, operands: str = "") -> Node:
    """A copy with a result like another value, its operands converted to a layout."""
    again = Node(made.name, place.origin, dict(made.attrs))
    again.scalars = dict(made.scalars)
    for use in made.uses:
        again.add_use(use.role, _converted(use.value, operands, place) if operands else use.value)
    result = again.add_result("result", wanted.like())
    result.layout = wanted.layout
    again.put_before(place)
    return again


def _converted(value: Val, layout: str, place: Node) -> Val:
    if value.layout == layout:
        return value
    ensure = Node("ensure_layout", place.origin)
    result = ensure.add_result("result", value.like())
    result.layout, result.graph_value = layout, -1
    ensure.add_use("source", value)
    ensure.put_before(place)
    return result


def _arity(value: Val, layout: str) -> int:
    return arity(layout_of(layout, value.lanes), value.bits, value.lanes)


def _narrow_unconverted(trunc: Node) -> bool:
    """Narrow what was converted for a truncation, and convert that instead."""
    ensure = trunc.uses[0].value.node
    if ensure is None or ensure.name != "ensure_layout":
        return False
    source, result = ensure.uses[0].value, trunc.results[0]
    if source.layout not in ("d2", "d4"):
        return False
    rows = [row for row in cast_rows(source.bits, result.bits) if row[0] == source.layout]
    if len(rows) != 1 or (result.bits == 8 and not result.element.startswith("ui")) or rows[0][1] == result.layout:
        return False
    again = Node("trunci", trunc.origin, dict(trunc.attrs))
    again.add_use("source", source)
    made = again.add_result("result", result.like())
    made.layout = rows[0][1]
    again.put_before(trunc)
    converted = _converted(made, result.layout, trunc)
    converted.graph_value = result.graph_value
    result.replace_by(converted)
    trunc.erase()
    return True


# -- folded ---------------------------------------------------------------------------------------------------------


def _fold(net: Net) -> None:
    for load in [node for node in net.walk() if node.name == "load"]:
        _fold_load(load)
    for ensure in [node for node in net.walk() if node.name == "ensure_layout"]:
        inner = ensure.uses[0].value.node
        if inner is None or inner.name != "ensure_layout":
            continue
        if inner.uses[0].value.layout == ensure.results[0].layout:
            ensure.results[0].replace_by(inner.uses[0].value)
    for node in net.walk():
        if node.name == "store":
            made = node.uses[0].value.node
            if made is not None and _stored_unconverted(made, "store"):
                node.uses[0].set(made.uses[0].value)
        elif node.name == "masked_store":
            made, mask = node.uses[0].value.node, node.uses[1].value.node
            if made is None or mask is None or mask.name != "ensure_mask_layout" or mask.results[0].layout != "c":
                continue
            same = made.uses and mask.uses[0].value.layout == made.uses[0].value.layout
            if same and _stored_unconverted(made, "masked_store"):
                node.uses[0].set(made.uses[0].value)
                node.uses[1].set(mask.uses[0].value)


def _fold_load(load: Node) -> None:
    """Load in the layout that all users ask for."""
    value = load.results[0]
    ensures = [use.node for use in value.uses]
    targets = {node.results[0].layout for node in ensures if node.name == "ensure_layout"}
    if not ensures or any(node.name != "ensure_layout" for node in ensures) or len(targets) != 1:
        return
    target = targets.pop()
    if target == value.layout or target not in dense_rows("load", value.bits):
        return
    value.layout = target
    for ensure in ensures:
        ensure.results[0].replace_by(value)


def _stored_unconverted(ensure: Node, kind: str) -> bool:
    if ensure.name != "ensure_layout" or ensure.results[0].layout != "c":
        return False
    source = ensure.uses[0].value
    return source.layout != "c" and source.layout in dense_rows(kind, source.bits)


# -- sunk -----------------------------------------------------------------------------------------------------------


def _sink(net: Net) -> None:
    sinkable = BINARY | UNARY | MASK_LOGIC | {"fma", "cmpf", "cmpi", "select"}
    for node in [node for node in net.walk() if node.name in sinkable]:
        if node.body is not None:
            _sink_one(node)


def _sink_one(node: Node) -> None:
    """Do an operation on what its operands are converted from, and convert its result."""
    ensures = [use.value.node for use in node.uses]
    result = node.results[0]
    helper = "ensure_mask_layout" if result.is_mask else "ensure_layout"
    found = [ensure for ensure in ensures if ensure is not None]
    if len(found) < len(ensures):
        return
    for use, ensure in zip(node.uses, found, strict=True):
        if ensure.name != ("ensure_mask_layout" if use.value.is_mask else "ensure_layout"):
            return
    before = {ensure.uses[0].value.layout for ensure in found}
    after = {ensure.results[0].layout for ensure in found}
    if len(before) != 1 or after != {result.layout} or before == after:
        return
    layout = before.pop()
    checked = [result]
    if node.name == "select":
        checked.append(node.uses[0].value)
    if not all(ensured(value, layout, result.layout) for value in checked):
        return
    again = Node(node.name, node.origin, dict(node.attrs))
    for use, ensure in zip(node.uses, found, strict=True):
        again.add_use(use.role, ensure.uses[0].value)
    made = again.add_result("result", result.like())
    made.layout = layout
    again.put_before(node)
    back = Node(helper, node.origin)
    converted = back.add_result("result", result.like())
    converted.layout = result.layout
    back.add_use("source", made)
    back.put_before(node)
    result.replace_by(converted)
    node.erase()
    for ensure in dict.fromkeys(found):
        if not ensure.results[0].uses and ensure.body is not None:
            ensure.erase()
