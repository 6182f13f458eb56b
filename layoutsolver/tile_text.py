"""Tile operations in a text: groups of them are planned and their places written as attributes.

What is written is what the compiler's scheduling pass takes: `pto.fusion.group_id` and `pto.fusion.order`.
Source: fusion spec 9.1 (P1), 9.2, 9.3.
"""

from __future__ import annotations

import re
from typing import NamedTuple, cast

from layoutsolver.api import read_source
from layoutsolver.diagnostics.diagnostic import Diagnostic, Edit, Label
from layoutsolver.graph.build import build_graph
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.ops.assembly import attribute_entries, skip_bracket
from layoutsolver.planner import answer
from layoutsolver.source import SourceFile, Span
from layoutsolver_models.problems.planner import (
    DType,
    FusionGroupInfo,
    PlannerOptions,
    PlannerRequest,
    PlannerResponse,
    ShapeInfo,
    TileOpInfo,
    ValueInfo,
)
from layoutsolver_models.rules.tiles import TILE_OPS

_SHORT = re.compile(r"!pto\.tile_buf<\s*vec\s*,\s*(\d+)x(\d+)x(\w+)\s*(?:,\s*valid\s*=\s*(\d+)x(\d+)\s*)?(?:,.*)?>")
_LONG = re.compile(r"(\w+)\s*=\s*([\w?]+)")
_DTYPES = frozenset({"f16", "bf16", "f32", "i8", "i16", "i32", "u8", "u16", "u32"})
_SILENT = ("arith.", "math.", "index.", "pto.alloc_tile")
_OURS = ("pto.fusion.group_id", "pto.fusion.order")


class TileText(NamedTuple):
    """The text with places written, what is to be said, and the answers of the planner; no text if it is broken."""

    text: str | None
    diagnostics: list[Diagnostic]
    answers: tuple[PlannerResponse, ...]


def plan_tiles(source: SourceFile, options: PlannerOptions | None = None) -> TileText:
    """Plan every run of tile operations of a text between which nothing else happens."""
    module = read_source(source)
    graph, found = build_graph(module)
    said = [*module.diagnostics, *found]
    if any(item.severity == "error" for item in said):
        return TileText(None, said, ())
    edits: list[Edit] = []
    answers: list[PlannerResponse] = []
    groups = 0
    for run in _runs(graph):
        group = FusionGroupInfo(str(len(answers)), tuple(_operation(graph, node, run) for node in run))
        response = answer(PlannerRequest("layoutsolver.fusion/1", group, options or PlannerOptions()))
        answers.append(response)
        for item in response.diagnostics:
            spans = [node.span for node in run if str(node.index) in item.opIds] or [run[0].span]
            labels = tuple(Label(source, span) for span in spans[1:])
            severity = "warning" if item.severity == "error" else item.severity
            said.append(Diagnostic("LS0906", severity, item.message, Label(source, spans[0]), labels))
        places: dict[str, list[OpNode]] = {}
        by_id = {str(node.index): node for node in run}
        for one in response.plan.ops if response.plan is not None else ():
            places.setdefault(one.loopFusionId, []).append(by_id[one.opId])
        for members in places.values():
            number = groups if len(members) > 1 else -1
            groups += len(members) > 1
            edits += [edit for order, node in enumerate(members) for edit in _placed(node, number, order)]
    if not answers:
        message = "there are no operations on tiles here, such as `pto.tadd`: nothing is planned"
        said.append(Diagnostic("LS0902", "warning", message, Label(source, Span(0, 0))))
    return TileText(apply_edits(source.text, edits), said, tuple(answers))


def _runs(graph: Graph) -> list[list[OpNode]]:
    """The runs of tile operations of each block between which nothing but numbers and tiles is made."""
    open_runs: dict[int, list[OpNode]] = {}
    out: list[list[OpNode]] = []
    for node in graph.ops:
        plannable = node.name.removeprefix("pto.") in TILE_OPS and node.name.startswith("pto.") and not node.op.regions
        if plannable and all(_tile(graph, value) or not _is_tile(graph, value) for value in node.operands):
            if node.parent not in open_runs:
                open_runs[node.parent] = []
                out.append(open_runs[node.parent])
            open_runs[node.parent].append(node)
        elif not (node.name.startswith(_SILENT) and not node.op.regions):
            open_runs.pop(node.parent, None)
    return out


def _is_tile(graph: Graph, value: int) -> bool:
    return graph.values[value].type.text.startswith("!pto.tile_buf")


class _Tile(NamedTuple):
    rows: int
    cols: int
    dtype: str
    valid: tuple[int, int]


def _tile(graph: Graph, value: int) -> _Tile | None:
    """What a tile is; None for one whose size or place is not known, which may be anywhere."""
    if not _is_tile(graph, value):
        return None
    definition = graph.values[value].op
    if definition >= 0 and (graph.ops[definition].name != "pto.alloc_tile" or graph.ops[definition].operands):
        return None
    return parse_tile(graph.values[value].type.text)


def parse_tile(text: str) -> _Tile | None:
    """The size of a tile in the vector unit's memory that lies row by row, None for any other.

    >>> parse_tile("!pto.tile_buf<vec, 32x64xf32, valid=16x64>")
    _Tile(rows=32, cols=64, dtype='f32', valid=(16, 64))
    >>> parse_tile("!pto.tile_buf<loc=vec, dtype=f16, rows=8, cols=128, v_row=?, v_col=128>") is None
    True
    """
    if "col_major" in text:
        return None
    short = _SHORT.fullmatch(text)
    if short:
        rows, cols, dtype = int(short[1]), int(short[2]), short[3]
        valid = (int(short[4]), int(short[5])) if short[4] else (rows, cols)
        return _Tile(rows, cols, dtype, valid) if dtype in _DTYPES else None
    named = dict(_LONG.findall(text))
    sizes = [named.get(name, "") for name in ("rows", "cols", "v_row", "v_col")]
    if named.get("loc") != "vec" or named.get("dtype") not in _DTYPES or not all(size.isdigit() for size in sizes):
        return None
    numbers = [int(size) for size in sizes]
    return _Tile(numbers[0], numbers[1], named["dtype"], (numbers[2], numbers[3]))


def _operation(graph: Graph, node: OpNode, run: list[OpNode]) -> TileOpInfo:
    """An operation of a run as the planner takes it."""
    members = {one.index for one in run}
    outs = _outs(node)
    inputs: list[ValueInfo] = []
    outputs: list[ValueInfo] = []
    for position, value in enumerate(node.operands):
        tile = _tile(graph, value)
        known = graph.values[value]
        if tile is None:
            dtype = known.type.text if known.type.text in _DTYPES else "f32"
            inputs.append(ValueInfo(str(value), "scalar", cast(DType, dtype)))
            continue
        shape = ShapeInfo((tile.rows, tile.cols), tile.valid)
        outer = known.op < 0 or any(user not in members for user, _ in graph.users[value])
        one = ValueInfo(str(value), "vector", cast(DType, tile.dtype), shape, outer)
        (outputs if position >= outs else inputs).append(one)
    inputs = [one._replace(externalOutput=False) for one in inputs]
    return TileOpInfo(str(node.index), node.name.removeprefix("pto."), node.index, tuple(inputs), tuple(outputs))


def _outs(node: OpNode) -> int:
    """The number of the first operand that stands behind `outs`."""
    texts = node.op.stream.texts
    at = next((token for token in node.op.body_tokens() if texts[token] == "outs"), node.op.last)
    return sum(token < at for token in node.operand_tokens)


def _placed(node: OpNode, group: int, order: int) -> list[Edit]:
    """The edits that give an operation its place in a group, and take away one that it had; none for group -1."""
    op, stream = node.op, node.op.stream
    texts = stream.texts
    new = [] if group < 0 else [f"{name} = {number} : i64" for name, number in zip(_OURS, (group, order), strict=True)]
    at = op.name_token + 1
    while at < op.last and texts[at] != "{":
        at = skip_bracket(texts, at, op.last) if texts[at] in "([<" else at + 1
    if at >= op.last:
        end = stream.end(op.last - 1)
        return [Edit(Span(end, end), f" {{{', '.join(new)}}}")] if new else []
    end = skip_bracket(texts, at, op.last)
    kept = [
        op.stream.range_text(first, last)
        for name, (first, last) in attribute_entries(op, (at, end)).items()
        if name not in _OURS
    ]
    inside = ", ".join([*kept, *new])
    return [Edit(Span(stream.starts[at], stream.end(end - 1)), f"{{{inside}}}" if inside else "{}")]
