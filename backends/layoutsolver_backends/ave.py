"""Writes layouts into AVE text: `functionType` attributes and, on request, vector types that carry their layout.

Only what changes is touched; comments, names and spacing of the file stay. Source: what the released analyzer
prints (attributes in alphabetical order), and its treatment of loops and calls when it retypes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from layoutsolver.diagnostics.diagnostic import Edit
from layoutsolver.graph.model import OpNode
from layoutsolver.ops.assembly import attribute_entries
from layoutsolver.pose.posed import Posed
from layoutsolver.source import Span
from layoutsolver_models.problems.layout import LayoutSolution

if TYPE_CHECKING:
    from layoutsolver_backends.ave_repair import RepairText
    from layoutsolver_models.problems.repair import Repair

COMMENT = re.compile(r"[ \t]*//[^\n]*\n")
"""A comment up to the end of its line; no token of an AVE attribute dictionary but a string can look like one."""


class AveBackend:
    """The emitter for AscendNPU-IR's HIVMAVE dialect."""

    name = "ave"

    def annotate(self, posed: Posed, solution: LayoutSolution, layouts: bool = False) -> list[Edit]:
        """The edits that write a solution into the program's text.

        With `layouts`, vector types carry their VecMemType and calls to the outside get layout casts; without, only
        `functionType` is written, which is what the released tools can read.
        """
        return _Annotation(posed, solution).edits(layouts)

    def repair(self, posed: Posed, repair: Repair) -> RepairText:
        """The edits that make a repair, and one sentence for each change."""
        from layoutsolver_backends.ave_repair import write_repair

        return write_repair(posed, repair)


class _Annotation:
    def __init__(self, posed: Posed, solution: LayoutSolution) -> None:
        self.posed = posed
        self.graph = posed.graph
        self.stream = posed.graph.module.stream
        self.layout_of = {value: solution.layouts[number] for value, number in posed.number.items() if solution.layouts}
        self.dists: dict[int, str] = {}
        for relation, row in enumerate(solution.rows):
            table = posed.problem.tables[posed.problem.relations[relation].table]
            dist = table.rows[row].attrs.get("functionType")
            if dist is not None:
                self.dists[posed.op_of_relation[relation]] = dist

    def edits(self, layouts: bool) -> list[Edit]:
        out: list[Edit] = []
        for node in self.graph.ops:
            if node.name.startswith("ave.hir."):
                out.extend(self.function_type(node))
        if layouts:
            from layoutsolver_backends.ave_layouts import layout_edits

            out.extend(layout_edits(self.posed, self.layout_of))
        return out

    def function_type(self, node: OpNode) -> list[Edit]:
        """Set, replace or remove the operation's functionType."""
        dist = self.dists.get(node.index)
        entries = attribute_entries(node.op, node.attrs) if node.attrs is not None else {}
        present = entries.get("functionType")
        if dist is None:
            return [] if present is None or node.attrs is None else [self.remove(node.attrs, entries)]
        text = f"functionType = #ave.func_dist_type<{dist}>"
        if present is not None:
            span = self.span(*present)
            return [] if self.posed.graph.module.source.slice(span) == text else [Edit(span, text)]
        if node.attrs is None:
            return [self.new_dictionary(node, text)]
        if not entries:
            return [Edit(self.span(*node.attrs), f"{{{text}}}")]
        for name, (first, _) in entries.items():
            if name > "functionType":
                start = self.stream.starts[first]
                return [Edit(Span(start, start), f"{text}, ")]
        end = self.stream.end(node.attrs[1] - 2)
        return [Edit(Span(end, end), f", {text}")]

    def new_dictionary(self, node: OpNode, text: str) -> Edit:
        before = node.attrs_at - 1
        start, end = self.stream.end(before), self.stream.starts[node.attrs_at]
        at = start if end > start else end
        return Edit(Span(at, at), f" {{{text}}}" if end > start else f" {{{text}}} ")

    def remove(self, attrs: tuple[int, int], entries: dict[str, tuple[int, int]]) -> Edit:
        """Take functionType out of a dictionary, and the dictionary with it if nothing else is in it."""
        first, last = entries["functionType"]
        if len(entries) == 1:
            return self.erase(Span(self.stream.end(attrs[0] - 1), self.stream.end(attrs[1] - 1)))
        if self.stream.texts[last] == ",":
            return self.erase(Span(self.stream.starts[first], self.stream.starts[last + 1]))
        return self.erase(Span(self.stream.starts[first - 1], self.stream.end(last - 1)))

    def erase(self, span: Span) -> Edit:
        """Take text away, but for the comments in it."""
        comments = COMMENT.findall(self.graph.module.source.slice(span))
        return Edit(span, "".join(comments))

    def span(self, first: int, last: int) -> Span:
        return Span(self.stream.starts[first], self.stream.end(last - 1))
