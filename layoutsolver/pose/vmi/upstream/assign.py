"""The whole of it: the layouts that the released compiler gives a program, the conversions that it leaves, its verdict.

The passes in their order: granularity of masks, copies of weak producers, layouts phase by phase, then the clean-up,
with the general passes between them.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from layoutsolver.pose.vmi.upstream.build import build_net
from layoutsolver.pose.vmi.upstream.cleanup import clean_up
from layoutsolver.pose.vmi.upstream.granularity import assign_granularity, copy_weak_producers
from layoutsolver.pose.vmi.upstream.merge import merged
from layoutsolver.pose.vmi.upstream.net import Net, Node, Val
from layoutsolver.pose.vmi.upstream.propagate import Propagator
from layoutsolver.pose.vmi.upstream.relations import Relations
from layoutsolver.pose.vmi.upstream.seeds import ConflictError, Seeds, text_of
from layoutsolver.pose.vmi.upstream.verdict import ENSURES, Verdict, check_assigned, check_lowering
from layoutsolver.vmi.program import VmiProgram
from layoutsolver_models.rules.vmi.preference import PHASES


class Snapshot(NamedTuple):
    """Layouts of named values, in all copies, and how many conversions there are of each kind."""

    layouts: dict[int, tuple[str, ...]]
    ensures: dict[str, int]


class UpstreamVmi(NamedTuple):
    """What the released compiler makes of a program.

    `assigned` is what it decides first and `final` what its clean-up leaves, None where it stops before that; `net` is
    the program as it ends. Layouts are by values of the graph; `operations` are the first ones once more, of every
    operation that makes something, in their order.
    """

    verdict: Verdict
    assigned: Snapshot | None
    final: Snapshot | None
    net: Net
    operations: tuple[str, ...] = ()


def assign_upstream(
    program: VmiProgram, narrowing: bool = True, general: bool = True, lowers: bool = True
) -> UpstreamVmi:
    """Decide as the released compiler does; `narrowing` is its preference for lane strides behind narrowing casts.

    Without `general` the passes for layouts, and with `lowers` lowering, are all that is run, as a pipeline of them
    alone does it: nothing is merged, left out or cleaned up.
    """
    net = build_net(program, general)
    relations = Relations(program)
    assigned: Snapshot | None = None
    try:
        assign_granularity(net)
        copy_weak_producers(net)
        assign_layouts(net, relations, narrowing)
    except ConflictError as error:
        return UpstreamVmi(Verdict.of("VMI-LAYOUT-CONTRACT", str(error), error.node), None, None, net)
    assigned = snapshot(net, program)
    operations = tuple(
        f"{node.name}: {layout_text(node.results[0])}"
        for node in net.walk()
        if node.results and "." not in node.name and node.name not in ENSURES
    )
    verdict = check_assigned(net, relations, helpers=False)
    if not verdict.ok:
        return UpstreamVmi(verdict, assigned, None, net, operations)
    if general:
        merged(net, program.graph)
        clean_up(net, program.graph)
        verdict = check_assigned(net, relations, helpers=True)
    if verdict.ok and lowers:
        verdict = check_lowering(net, program)
    return UpstreamVmi(verdict, assigned, snapshot(net, program), net, operations)


def assign_layouts(net: Net, relations: Relations, narrowing: bool) -> None:
    """Write the layouts of all values, and conversions where uses need others. Raises `ConflictError`."""
    seeds = Seeds(relations, narrowing)
    seeds.find(net)
    state = Propagator(relations)
    values = _values(net)
    for value in values:
        state.join(seeds.root(value), value)
    for phase in PHASES:
        _write_phase(state, seeds, phase)
        if phase == PHASES[0]:
            for value in values:
                if value.is_mask and seeds.root(value).given:
                    state.request(value, seeds.root(value).given)
        state.run()
    for masks in (False, True):
        for value in values:
            if value.is_mask == masks and value not in state.layouts:
                state.request(value, "c")
    state.run()
    _apply(state)


def _write_phase(state: Propagator, seeds: Seeds, phase: str) -> None:
    before = set(state.layouts)
    for value, layout, of in seeds.values:
        if of == phase and value not in before:
            state.request(value, layout)
    for masks in (False, True):
        for use, layout, of in seeds.uses:
            if of != phase or use.value.is_mask != masks:
                continue
            if use.value in state.asked and state.can_use(use, state.layouts.get(use.value, use.value.given)):
                continue
            state.request_use(use, layout)


def _values(net: Net) -> list[Val]:
    """All values in the order in which they are met."""
    out: dict[Val, None] = {}
    for node in net.walk():
        for value in (*node.results, *(one for body in node.bodies for one in body.arguments)):
            out.setdefault(value)
    return list(out)


def _apply(state: Propagator) -> None:
    for value in state.asked:
        value.layout = state.layouts.get(value, "")
    for value in state.asked:
        for use, layout in state.conflicts.get(value, {}).items():
            if value.layout == layout:
                continue
            if not value.layout:
                shown = f"#pto.vmi.layout<{text_of(layout, value.lanes)}>"
                raise ConflictError(use.node, f"cannot materialize requested VMI operand layout {shown}")
            ensure = Node("ensure_mask_layout" if value.is_mask else "ensure_layout", use.node.origin)
            made = ensure.add_result("result", value.like())
            made.layout, made.graph_value = layout, -1
            ensure.put_before(use.node)
            ensure.add_use("source", value)
            use.set(made)


def snapshot(net: Net, program: VmiProgram) -> Snapshot:
    """The layouts and conversions of a program as it stands.

    An operation that passes put goes by the one that it is put for, if that has a result of the same shape.
    """
    graph = program.graph
    layouts: dict[int, dict[str, None]] = {}
    ensures: Counter[str] = Counter()

    def show(graph_value: int, value: Val) -> None:
        number = program.by_graph_value.get(graph_value)
        if number is not None:
            named = program.values[number]
            if (named.is_mask, named.lanes, named.element) == (value.is_mask, value.lanes, value.element):
                layouts.setdefault(graph_value, {})[layout_text(value)] = None

    for node in net.walk():
        if node.name in ENSURES:
            source, result = node.uses[0].value, node.results[0]
            shown = layout_text(result) if node.name == ENSURES[2] else _text(result)
            ensures[f"{_shape(source)}: {_text(source)} -> {shown}"] += 1
            show(node.results[0].graph_value, node.results[0])
            continue
        named = graph.ops[node.origin].results
        for place, value in enumerate(node.results):
            show(named[place] if place < len(named) else -1, value)
        for value in (one for body in node.bodies for one in body.arguments):
            show(value.graph_value, value)
    return Snapshot({value: tuple(texts) for value, texts in layouts.items()}, dict(ensures))


def layout_text(value: Val) -> str:
    """The layout of a value as it is shown: of a mask, behind its granularity."""
    return f"b{value.bits} {_text(value)}" if value.is_mask else _text(value)


def _text(value: Val) -> str:
    return text_of(value.layout, value.lanes) if value.layout else ""


def _shape(value: Val) -> str:
    return f"{value.lanes}xb{value.bits}" if value.is_mask else f"{value.lanes}x{value.element}"
