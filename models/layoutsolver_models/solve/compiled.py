"""A layout problem as index arrays: domains are bit masks, equal values are one class, tables are rows of bits."""

from __future__ import annotations

from layoutsolver_models.problems.layout import LayoutProblem

Masks = tuple[int, ...]


class Compiled:
    """The problem after contraction.

    `class_of[v]` is the class of value v; `start[c]` the mask of class c over `layouts`; relation r holds between
    the classes `scopes[r]` with the rows of `tables[variants[r]]`; `touching[c]` lists the relations of class c.
    """

    __slots__ = ("class_of", "layouts", "memo", "scopes", "start", "tables", "touching", "variants")

    def __init__(
        self,
        layouts: tuple[str, ...],
        class_of: list[int],
        start: list[int],
        scopes: list[Masks],
        variants: list[int],
        tables: list[tuple[tuple[int, Masks], ...]],
        touching: list[list[int]],
        memo: dict[tuple[int, Masks], Masks] | None = None,
    ) -> None:
        self.layouts = layouts
        self.class_of = class_of
        self.start = start
        self.scopes = scopes
        self.variants = variants
        self.tables = tables
        self.touching = touching
        self.memo: dict[tuple[int, Masks], Masks] = {} if memo is None else memo

    def revise(self, variant: int, masks: Masks) -> Masks:
        """What is left of each port's mask when only rows within `masks` are possible (zeros if none is)."""
        key = (variant, masks)
        known = self.memo.get(key)
        if known is None:
            left = [0] * len(masks)
            for _, bits in self.tables[variant]:
                if all(bit & mask for bit, mask in zip(bits, masks, strict=True)):
                    for port, bit in enumerate(bits):
                        left[port] |= bit
            known = self.memo[key] = tuple(left)
        return known

    def rows_within(self, relation: int, state: list[int]) -> list[int]:
        """The numbers of the relation's rows (in its table) that the class masks in `state` admit."""
        scope = self.scopes[relation]
        return [
            number
            for number, bits in self.tables[self.variants[relation]]
            if all(bit & state[index] for bit, index in zip(bits, scope, strict=True))
        ]


def compile_problem(problem: LayoutProblem) -> Compiled:
    """The arrays of a problem: ties contracted by union-find, pins intersected, repeated ports made one."""
    layouts = problem.layouts
    bit = {name: 1 << index for index, name in enumerate(layouts)}
    parent = list(range(len(problem.values)))

    def find(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for tie in problem.ties:
        first = find(tie.values[0])
        for other in tie.values[1:]:
            root = find(other)
            if root < first:
                first, root = root, first
            parent[root] = first

    roots: dict[int, int] = {}
    class_of = [roots.setdefault(find(index), len(roots)) for index in range(len(problem.values))]
    start = [(1 << len(layouts)) - 1] * len(roots)
    masks: dict[tuple[str, ...], int] = {}
    for index, value in enumerate(problem.values):
        mask = masks.get(value.domain)
        if mask is None:
            mask = masks[value.domain] = sum(bit[name] for name in value.domain)
        start[class_of[index]] &= mask
    for pin in problem.pins:
        start[class_of[pin.value]] &= bit.get(pin.layout, 0)

    compiled = Compiled(layouts, class_of, start, [], [], [], [[] for _ in roots])
    variants: dict[tuple[int, tuple[int, ...]], int] = {}
    for number, relation in enumerate(problem.relations):
        classes = [class_of[value] for value in relation.values]
        scope = tuple(dict.fromkeys(classes))
        pattern = tuple(scope.index(index) for index in classes)
        variant = variants.get((relation.table, pattern))
        if variant is None:
            variant = variants[relation.table, pattern] = len(compiled.tables)
            rows = [tuple(bit[name] for name in row.layouts) for row in problem.tables[relation.table].rows]
            compiled.tables.append(_merge_ports(rows, pattern, len(scope)))
        compiled.scopes.append(scope)
        compiled.variants.append(variant)
        for index in scope:
            compiled.touching[index].append(number)
    return compiled


def _merge_ports(rows: list[Masks], pattern: tuple[int, ...], width: int) -> tuple[tuple[int, Masks], ...]:
    """The rows that give ports of one class one layout, one entry per class, with their numbers."""
    out: list[tuple[int, Masks]] = []
    for number, row in enumerate(rows):
        merged = [0] * width
        for place, layout in zip(pattern, row, strict=True):
            if merged[place] not in (0, layout):
                break
            merged[place] = layout
        else:
            out.append((number, tuple(merged)))
    return tuple(out)
