"""What is done to a program before layouts are asked of it, whatever they are.

Memory forms are made simple (section 1.5), operations that compute the same are made one, and pure operations whose
operands do not change in a loop move in front of it. Each only takes instructions away.
"""

from __future__ import annotations

from layoutsolver.graph.model import Graph
from layoutsolver.ops.registry import pto_specs
from layoutsolver.ops.spec import Effect
from layoutsolver.vmi.masks import constant_of, is_full
from layoutsolver.vmi.program import Constant, Operand, Outside, StepScalar, VmiOp, VmiProgram, VmiValue
from layoutsolver.vmi.runs import runs_of

_PREFIX = "pto.vmi."
_HARMLESS = ("arith.", "scf.", "pto.castptr", "pto.addptr", "pto.vecscope", "func.func", "builtin.", "func.return")
"""Operations of the text, by the beginning of their names, that do not write memory."""


def simplified(program: VmiProgram) -> VmiProgram:
    """The program with fewer operations; values keep their numbers, those that are gone stand for others."""
    ops = _combined(program)
    ops = _hoisted(program, _merged(program, ops))
    return renumbered(program, _merged(program, ops))


def effect_of(op: VmiOp) -> Effect:
    """What a canonical operation does to memory."""
    spec = pto_specs().get(_PREFIX + op.op)
    return Effect.ORDER if spec is None else spec.effect


# -- memory forms ---------------------------------------------------------------------------------------------------


def _combined(program: VmiProgram) -> list[VmiOp]:
    """Rows without gaps are one vector; a mask of one group is one of the first lanes; a store under a full mask needs
    none; scalars that are loaded only to be spread are spread by the load.
    """
    ops = list(program.ops)
    users = program.users()
    for number, op in enumerate(ops):
        if op.op == "group_load":
            groups, stride = int(op.attrs["num_groups"]), constant_of(program, op.operands.get("row_stride"))
            if stride is not None and stride * groups == op.results["result"].lanes:
                held = {role: operand for role, operand in op.operands.items() if role != "row_stride"}
                ops[number] = op._replace(op="load", operands=held, attrs={})
        elif op.op == "create_group_mask" and op.attrs["num_groups"] == 1:
            held = {"active_lanes": op.operands["active_elems_per_group"]}
            ops[number] = op._replace(op="create_mask", operands=held, attrs={})
        elif op.op == "masked_store":
            mask = op.operands.get("mask")
            if isinstance(mask, VmiValue) and is_full(program, mask):
                held = {role: operand for role, operand in op.operands.items() if role != "mask"}
                ops[number] = op._replace(op="store", operands=held)
        elif op.op == "group_broadcast":
            source = op.operands.get("source")
            if not isinstance(source, VmiValue) or source.op < 0 or len(users[source.number]) != 1:
                continue
            loaded = ops[source.op]
            same = loaded.attrs.get("num_groups") == op.attrs.get("num_groups")
            if (
                loaded.op == "group_slot_load"
                and same
                and loaded.weight == op.weight
                and not _is_taken(program, source)
            ):
                ops[number] = loaded._replace(
                    number=number, op="group_broadcast_load", results=op.results, row=op.row, origin=loaded.origin
                )
                ops[source.op] = loaded._replace(op="", operands={}, results={})
    return [op for op in ops if op.op]


def _is_taken(program: VmiProgram, value: VmiValue) -> bool:
    """Whether control flow or a caller takes a value."""
    joined = {number for join in program.joins for number in join.sources}
    return value.number in joined or any(value.number in together for together in program.returned)


def needed(program: VmiProgram) -> VmiProgram:
    """The program without operations that only make what nobody takes."""
    taken = {number for join in program.joins for number in join.sources}.union(*program.returned)
    out: list[VmiOp] = []
    for op in reversed(program.ops):
        dead = bool(op.results) and not any(value.number in taken for value in op.results.values())
        if dead and effect_of(op) in (Effect.PURE, Effect.READ):
            continue
        taken |= {value.number for value in op.vectors().values()}
        out.append(op)
    return renumbered(program, out[::-1])


# -- what computes the same -----------------------------------------------------------------------------------------


def _merged(program: VmiProgram, ops: list[VmiOp]) -> list[VmiOp]:
    """Operations without those that compute what an earlier one did, where that one has always run."""
    known: dict[object, VmiOp] = {}
    stands_for: dict[int, VmiValue] = {}
    writes = _writes(program.graph, ops)
    out: list[VmiOp] = []
    for op in ops:
        held = {role: _resolved(operand, stands_for) for role, operand in op.operands.items()}
        op = op._replace(operands=held)
        effect = effect_of(op)
        if effect in (Effect.PURE, Effect.READ) and op.results and not _has_scalars(op):
            taken = tuple(sorted((role, _name(value)) for role, value in held.items()))
            made = tuple((role, *value[2:7]) for role, value in op.results.items())
            key = (op.op, taken, tuple(sorted(op.attrs.items())), made)
            earlier = known.get(key)
            if earlier is not None and _serves(program.graph, earlier, op, effect, writes):
                for role, value in op.results.items():
                    stands_for[value.number] = earlier.results[role]
                continue
            known[key] = op
        out.append(op)
    _redirect(program, stands_for)
    return out


def _has_scalars(op: VmiOp) -> bool:
    return any(isinstance(operand, StepScalar) for operand in op.operands.values())


def _name(operand: Operand) -> tuple[str, int]:
    if isinstance(operand, VmiValue):
        return "vector", operand.number
    if isinstance(operand, Outside):
        return "outside", operand.value
    assert isinstance(operand, Constant)
    return "constant", operand.value


def _resolved(operand: Operand, stands_for: dict[int, VmiValue]) -> Operand:
    return stands_for.get(operand.number, operand) if isinstance(operand, VmiValue) else operand


def _redirect(program: VmiProgram, stands_for: dict[int, VmiValue]) -> None:
    """Let control flow, callers and the text's names see what values stand for."""
    if not stands_for:
        return

    def now(number: int) -> int:
        return stands_for[number].number if number in stands_for else number

    program.joins[:] = [join._replace(sources=tuple(map(now, join.sources))) for join in program.joins]
    program.returned[:] = [tuple(map(now, together)) for together in program.returned]
    for graph_value, number in program.by_graph_value.items():
        program.by_graph_value[graph_value] = now(number)


def _serves(graph: Graph, earlier: VmiOp, later: VmiOp, effect: Effect, writes: list[int]) -> bool:
    """Whether an earlier operation has run whenever a later one does, and, of loads, memory has not changed since."""
    place = _region(graph, earlier.before)
    around = [_region(graph, op) for op in (later.before, *_around(graph, later.before))]
    if place not in around or _has_blocks(graph, earlier.before):
        return False
    if effect is Effect.PURE:
        return True
    return place == around[0] and not any(earlier.before < write < later.before for write in writes)


def _region(graph: Graph, op: int) -> tuple[int, int]:
    """The operation in whose region an operation stands, and the number of the region."""
    parent = graph.ops[op].parent
    if parent < 0:
        return -1, 0
    first, regions = graph.ops[op].op.first, graph.ops[parent].op.regions
    return parent, next(number for number, region in enumerate(regions) if region.first <= first < region.last)


def _around(graph: Graph, op: int) -> list[int]:
    """The operations in whose regions an operation stands, the innermost first."""
    out: list[int] = []
    while (op := graph.ops[op].parent) >= 0:
        out.append(op)
    return out


def _has_blocks(graph: Graph, op: int) -> bool:
    """Whether an operation stands in a region of several blocks, of which not all need run."""
    parent = graph.ops[op].parent
    return parent >= 0 and any(len(region.blocks) > 1 for region in graph.ops[parent].op.regions)


def _writes(graph: Graph, ops: list[VmiOp]) -> list[int]:
    """The operations of the graph that may write memory, or order what does."""
    out = {op.origin for op in ops if effect_of(op) not in (Effect.PURE, Effect.READ)}
    for node in graph.ops:
        if not node.name.startswith((_PREFIX, *_HARMLESS)):
            out.add(node.index)
    return sorted(out)


# -- loops ----------------------------------------------------------------------------------------------------------


def _hoisted(program: VmiProgram, ops: list[VmiOp]) -> list[VmiOp]:
    """Pure operations put in front of the loops that do not change their operands."""
    graph = program.graph
    runs = runs_of(graph)
    place: dict[int, int] = {}
    owner = {argument: index for index, blocks in graph.arguments.items() for _, _, some in blocks for argument in some}
    for loop in graph.loops.values():
        owner[loop.induction] = loop.op
        owner.update((iter_arg, loop.op) for _, iter_arg, _, _ in loop.carried)
    out: list[VmiOp] = []
    for op in ops:
        if effect_of(op) is Effect.PURE and op.results and not _has_scalars(op):
            regions = [_region_of(program, operand, place, owner) for operand in op.operands.values()]
            before = op.before
            while (parent := graph.ops[before].parent) >= 0 and graph.ops[parent].name == "scf.for":
                if any(parent == region or parent in _regions_and_self(graph, region) for region in regions):
                    break
                before = parent
            if before != op.before:
                op = op._replace(before=before, weight=runs[before])
        for value in op.results.values():
            place[value.number] = graph.ops[op.before].parent
        out.append(op)
    order = {op.number: position for position, op in enumerate(out)}
    return sorted(out, key=lambda op: (op.before, op.origin, order[op.number]))


def _regions_and_self(graph: Graph, region: int) -> list[int]:
    return [] if region < 0 else [region, *_around(graph, region)]


def _region_of(program: VmiProgram, operand: Operand, place: dict[int, int], owner: dict[int, int]) -> int:
    """The operation in whose region an operand is made, -1 at the top level."""
    graph = program.graph
    if isinstance(operand, VmiValue):
        if operand.number in place:
            return place[operand.number]
        value = operand.graph_value
    elif isinstance(operand, Outside):
        value = operand.value
    else:
        return -1
    if value < 0:
        return -1
    if value in owner:
        return owner[value]
    made = graph.values[value].op
    return graph.ops[made].parent if made >= 0 else -1


def renumbered(program: VmiProgram, ops: list[VmiOp]) -> VmiProgram:
    """The program with these operations, numbered through."""
    number_of = {op.number: number for number, op in enumerate(ops)}
    values = list(program.values)
    for number, op in enumerate(ops):
        for value in op.results.values():
            values[value.number] = values[value.number]._replace(op=number, weight=op.weight)

    def renewed(operand: Operand) -> Operand:
        if isinstance(operand, VmiValue):
            return values[operand.number]
        return operand._replace(op=number_of[operand.op]) if isinstance(operand, StepScalar) else operand

    made = [
        op._replace(
            number=number,
            operands={role: renewed(operand) for role, operand in op.operands.items()},
            results={role: values[value.number] for role, value in op.results.items()},
        )
        for number, op in enumerate(ops)
    ]
    return program._replace(ops=made, values=values)
