"""From the canonical program to the net that the released compiler assigns layouts on.

Its passes before that are followed in the order in which they change uses: reading, casts of signless integers,
replacement of the surface operations, merging of equal ones, combination of memory forms (section 1.5).
"""

from __future__ import annotations

from collections import defaultdict

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.tree import Op
from layoutsolver.pose.vmi.upstream.inline import inlined
from layoutsolver.pose.vmi.upstream.merge import merged
from layoutsolver.pose.vmi.upstream.net import Body, Net, Node, Val
from layoutsolver.vmi.canonical import PREFIX, kind_of
from layoutsolver.vmi.program import VmiOp, VmiProgram, VmiValue

UNSIGNED: frozenset[str] = frozenset({
    "vmin", "vmax", "vshr", "vcmax", "vcmin", "vmaxs", "vmins", "vshrs", "vcvt", "mini", "maxi", "shrui", "reduce_maxi",
    "reduce_mini", "group_reduce_maxi", "group_reduce_mini", "fptoui", "extui", "vdhist", "vchist",
})  # fmt: skip
"""Operations in front of and behind which signless integers are cast to unsigned ones and back."""


def build_net(program: VmiProgram, general: bool = True) -> Net:
    """The net of a program in which operations stand as their rows say; `general` passes merge and combine them."""
    net = _Builder(program, general).build()
    if not general:
        return net
    inlined(net, program.graph)
    merged(net, program.graph)
    _combine(net, program)
    merged(net, program.graph)
    return net


def read_net(program: VmiProgram) -> Net:
    """The net of a program with surface operations replaced, and nothing merged, cast, combined or inlined."""
    return _Builder(program, general=False).build()


class _Builder:
    def __init__(self, program: VmiProgram, general: bool) -> None:
        self.program = program
        self.general = general
        self.graph: Graph = program.graph
        self.by_origin: dict[int, list[VmiOp]] = defaultdict(list)
        for op in program.ops:
            self.by_origin[op.origin].append(op)
        self.index_of: dict[int, int] = {id(node.op): node.index for node in self.graph.ops}
        self.vals = [
            Val(value.number, value.is_mask, value.lanes, value.element, value.bits, _layout(value), value.graph_value)
            for value in program.values
        ]
        self.read: dict[int, Node] = {}
        self.net = Net()

    def build(self) -> Net:
        for op in self.graph.module.ops:
            self.place(op, self.net.body)
        order = self.graph.post_order()
        for index in order:
            self.connect(self.graph.ops[index])
        for index in order:
            self.tie(self.graph.ops[index])
        for index in order:
            self.unsigned(self.graph.ops[index])
        for index in order:
            self.lower(self.graph.ops[index])
        return self.net

    # -- what is read -----------------------------------------------------------------------------------------

    def place(self, op: Op, body: Body) -> None:
        """Put an operation of the text, and those nested in it, into a block."""
        index = self.index_of.get(id(op))
        if index is None:
            return
        node = Node(self.graph.ops[index].name, index)
        node.body = body
        body.nodes.append(node)
        self.read[index] = node
        blocks = self.graph.arguments.get(index, [])
        for number, region in enumerate(op.regions):
            labels = [entry for entry in blocks if entry[0] == number]
            for place, block in enumerate(region.blocks):
                inner = Body(node, number)
                node.bodies.append(inner)
                label = next((entry for entry in labels if entry[1] == block.label), None)
                if label is None and place < len(labels) and not block.label:
                    label = labels[place]
                if label is not None:
                    inner.arguments.extend(self.known(label[2]))
                for nested in block.ops:
                    self.place(nested, inner)
        loop = self.graph.loops.get(index)
        if loop is not None and node.bodies:
            node.bodies[0].arguments.extend(self.known([entry[1] for entry in loop.carried]))
        function = next((one for one in self.graph.functions if one.op == index), None)
        if function is not None and node.bodies:
            present = {val.number for inner in node.bodies for val in inner.arguments}
            node.bodies[0].arguments[:0] = [val for val in self.known(function.arguments) if val.number not in present]

    def known(self, values: list[int]) -> list[Val]:
        """Those of the graph's values that are vectors or masks."""
        numbers = self.program.by_graph_value
        return [self.vals[numbers[value]] for value in values if value in numbers]

    def connect(self, read: OpNode) -> None:
        """The operands and results of an operation as the text has them."""
        node = self.read[read.index]
        numbers = self.program.by_graph_value
        for place, value in enumerate(read.operands):
            if value in numbers:
                role = read.roles[place] if place < len(read.roles) else "operand"
                node.add_use(role if node.use(role) is None else f"{role}.{place}", self.vals[numbers[value]])
        if not read.name.startswith(PREFIX):
            for place, value in enumerate(read.results):
                if value in numbers:
                    node.add_result(f"result.{place}", self.vals[numbers[value]])

    def unsigned(self, read: OpNode) -> None:
        """Casts around an operation that tells signed from unsigned."""
        node = self.read[read.index]
        name = read.name.removeprefix(PREFIX)
        if name not in UNSIGNED or not read.name.startswith(PREFIX) or not self.general:
            return
        for use in node.uses:
            if kind_of(use.value.element) == "i" and not use.value.is_mask:
                cast = _bitcast(use.value, f"ui{use.value.bits}", read.index)
                cast.put_before(node)
                use.set(cast.results[0])

    # -- what it is replaced by -------------------------------------------------------------------------------

    def lower(self, read: OpNode) -> None:
        """Put the canonical operations in place of one of the surface."""
        steps = self.by_origin.get(read.index)
        if not read.name.startswith(PREFIX):
            return
        node = self.read[read.index]
        if steps is None:
            numbers = self.program.by_graph_value
            node.name = read.name.removeprefix(PREFIX) if read.spec is not None else read.name
            for place, value in enumerate(read.results):
                if value in numbers:
                    node.add_result(f"result.{place}", self.vals[numbers[value]])
            return
        if len(steps) == 1 and not steps[0].row:
            self.adopt(node, steps[0])
        else:
            inside = {id(use): use.value for use in node.uses}
            shown = dict(zip([value for value in read.operands if value in self.program.by_graph_value],
                             inside.values(), strict=False))  # fmt: skip
            for step in steps:
                made = self.step(node, step, shown)
                if made is not None:
                    made.put_before(node)
            node.erase()
        self.signless(read, steps)

    def adopt(self, node: Node, step: VmiOp) -> None:
        """An operation that is canonical as it stands."""
        node.name = step.op
        node.attrs = dict(step.attrs)
        node.scalars = {role: value for role, value in step.operands.items() if not isinstance(value, VmiValue)}
        for use, role in zip(node.uses, step.vectors(), strict=True):
            use.role = role
        for role, value in step.results.items():
            node.add_result(role, self.vals[value.number])

    def step(self, place: Node, step: VmiOp, shown: dict[int, Val]) -> Node | None:
        """One of the operations that stand for one of the surface; the uses of its results turn round."""
        vectors = step.vectors()
        if not vectors and not step.results:
            return None
        made = Node(step.op, place.origin, dict(step.attrs))
        made.scalars = {role: value for role, value in step.operands.items() if not isinstance(value, VmiValue)}
        for role, value in vectors.items():
            made.add_use(role, shown.get(value.graph_value, self.vals[value.number]))
        for role, value in step.results.items():
            val = made.add_result(role, self.vals[value.number])
            val.uses.reverse()
        return made

    def signless(self, read: OpNode, steps: list[VmiOp]) -> None:
        """Casts of unsigned results back to what the text says."""
        if read.name.removeprefix(PREFIX) not in UNSIGNED or not self.general:
            return
        for value in (value for step in steps for value in step.results.values()):
            val = self.vals[value.number]
            if val.is_mask or kind_of(val.element) != "i" or val.node is None or value.graph_value < 0:
                continue
            cast = Node("bitcast", read.index)
            back = cast.add_result("result", val.like())
            uses = list(val.uses)
            cast.add_use("source", val)
            cast.put_behind(val.node)
            for use in uses:
                use.set(back)
            val.element = f"ui{val.bits}"

    # -- control flow -----------------------------------------------------------------------------------------

    def tie(self, read: OpNode) -> None:
        """What control flow makes one, in the order in which the released compiler looks at it."""
        from layoutsolver.pose.vmi.upstream.ties import ties_of

        ties_of(self.graph, read, self.read, self.vals, self.program.by_graph_value)


def _layout(value: VmiValue) -> str:
    """The layout of a value's type; `gs` where it has slots of which no row says how many a register holds."""
    return "gs" if value.layout.startswith("num_groups") else value.layout


def _bitcast(value: Val, element: str, origin: int) -> Node:
    made = Node("bitcast", origin)
    made.add_use("source", value)
    result = value.like()
    result.element = element
    made.add_result("result", result)
    return made


def _combine(net: Net, program: VmiProgram) -> None:
    """Rows without gaps are one vector; scalars that are loaded only to be spread are spread by the load."""
    from layoutsolver.vmi.masks import constant_of

    for node in net.walk():
        if node.name == "group_load":
            stride = constant_of(program, node.scalars.get("row_stride"))
            groups, lanes = int(node.attrs["num_groups"]), node.result().lanes
            if stride is not None and lanes % groups == 0 and stride == lanes // groups:
                node.name = "load"
                node.attrs, node.scalars = {}, {k: v for k, v in node.scalars.items() if k != "row_stride"}
                node.result().uses.reverse()
    for node in net.walk():
        if node.name != "group_broadcast" or not node.uses:
            continue
        load = node.uses[0].value.node
        if load is None or load.name != "group_slot_load" or len(node.uses[0].value.uses) != 1:
            continue
        if load.attrs.get("num_groups") != node.attrs.get("num_groups"):
            continue
        node.name, node.scalars, node.attrs = "group_broadcast_load", dict(load.scalars), dict(load.attrs)
        node.uses[0].value.uses.clear()
        node.uses = []
        node.result().uses.reverse()
        load.erase()
