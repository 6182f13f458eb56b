"""One small program for every row of the AVE rule tables, such that the row decides where elements go."""

from __future__ import annotations

from dataclasses import dataclass

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.ave import PoseOptions, pose_ave
from layoutsolver.pose.posed import Posed
from layoutsolver.source import SourceFile
from layoutsolver.verify.compare import check_solution
from layoutsolver.verify.result import Verification
from layoutsolver_models.problems.layout import LayoutSolution
from layoutsolver_models.rules.ave import AVE_RULES
from layoutsolver_models.rules.row import LayoutRule
from layoutsolver_models.solve.layout import solve_layout
from layoutsolver_models.vecmem import DOMAINS, VECMEM_TYPES

UB = "#hivm.address_space<ub>"
_DATA = {8: "i8", 16: "i16", 32: "i32"}


def element_bits(layout: str) -> int:
    """Bits of the elements that a layout is for."""
    return VECMEM_TYPES[layout].bits


@dataclass
class Text:
    """The lines of a function that is being put together."""

    lines: list[str]
    arguments: list[str]

    def buffer(self, element: str) -> tuple[str, str]:
        """A new buffer and its type."""
        name, type_ = f"%b{len(self.arguments)}", f"memref<16x256x{element}, {UB}>"
        self.arguments.append(f"{name}: {type_}")
        return name, type_

    def load(self, name: str, element: str, lanes: int, layout: str = "") -> None:
        """A load of a new buffer."""
        buffer, type_ = self.buffer(element)
        into = f"vector<{lanes}x{element}{typed(layout)}>"
        self.lines.append(f"{name} = ave.hir.vload <NORM> {buffer}[%c0, %c0] : {type_} into {into}")

    def mask(self, name: str, lanes: int, count: int | None = None) -> None:
        """A mask of the first elements, five eighths of them where no number is given."""
        made = max(1, lanes * 5 // 8) if count is None else count
        self.lines.append(f"{name}n = arith.constant {made} : index")
        self.lines.append(f"{name}, {name}r = ave.hir.plt {name}n : vector<{lanes}xi1>, index")

    def store(self, value: str, element: str, lanes: int, mask: str = "", layout: str = "") -> None:
        """A store into a new buffer, under a mask of its own where none is given."""
        buffer, type_ = self.buffer(element)
        if not mask:
            mask = f"%s{len(self.arguments)}"
            self.mask(mask, lanes)
        bits = max(8, int(element.lstrip("ibf").split("E")[0]))
        self.lines.append(
            f"ave.hir.masked_store <NORM_B{bits}> {buffer}[%c0, %c0], {mask}, {value} : "
            f"{type_}, vector<{lanes}xi1>, vector<{lanes}x{element}{typed(layout)}>"
        )

    def under(self, predicate: str, lanes: int) -> None:
        """Use a predicate: store it, and bytes where it is set."""
        self.mask("%lim", lanes)
        pred = f"vector<{lanes}xi1>"
        self.lines.append(f"%used = ave.hir.preg.and <b8> {predicate}, {predicate}, %lim : {pred}")
        self.load("%under", "i8", lanes)
        self.store("%under", "i8", lanes, "%used")

    def __str__(self) -> str:
        body = "\n".join(f"  {line}" for line in self.lines)
        head = "  %c0 = arith.constant 0 : index\n  %three = arith.constant 3 : i8"
        return f"func.func @f({', '.join(self.arguments)}) {{\n{head}\n{body}\n  return\n}}\n"


def typed(layout: str) -> str:
    """The layout of a vector type, as text behind its element type."""
    return f", #ave.vector_layout<{{mem = #ave.vec_mem_type<{layout}>}}>" if layout else ""


def program(rule: LayoutRule) -> str | None:
    """The program for a row; None for a row that no operation can meet."""
    text = Text([], [])
    maker = globals().get(f"_{rule.family}")
    assert maker is not None, rule.family
    return str(text) if maker(text, rule) is not False else None


def _predicate(t: Text, rule: LayoutRule) -> None:
    t.mask("%p", 64)
    t.under("%p", 64)


def _load(t: Text, rule: LayoutRule) -> None:
    if rule.width == 1:
        t.load("%x", "i1", 64)
        t.under("%x", 64)
    else:
        t.load("%x", _DATA[rule.width], 64)
        t.store("%x", _DATA[rule.width], 64)


def _store(t: Text, rule: LayoutRule) -> None:
    if rule.width == 1:
        t.mask("%x", 64, 23)
        t.store("%x", "i1", 64)
    else:
        t.load("%x", _DATA[rule.width], 64)
        t.store("%x", _DATA[rule.width], 64)


def _strided_store(t: Text, rule: LayoutRule) -> None:
    element = _DATA[rule.width]
    t.load("%x", element, 64)
    t.mask("%m", 64)
    buffer, type_ = t.buffer(element)
    t.lines.append("%by = arith.constant 64 : index")
    t.lines.append(
        f"ave.hir.store_with_stride {buffer}[%c0, %c0], %by, %m, %x : {type_}, vector<64xi1>, vector<64x{element}>"
    )


def _broadcast(t: Text, rule: LayoutRule) -> None:
    element = _DATA[rule.width]
    t.lines.append(f"%v = arith.constant 7 : {element}")
    t.mask("%m", 64, 23)
    t.lines.append(f"%x = ave.hir.broadcast %v, %m : {element}, vector<64xi1> -> vector<64x{element}>")
    t.store("%x", element, 64)


def _splat(t: Text, rule: LayoutRule) -> None:
    element = "i1" if rule.width == 1 else _DATA[rule.width]
    t.lines.append("%v = arith.constant true" if rule.width == 1 else f"%v = arith.constant 7 : {element}")
    t.lines.append(f"%x = ave.hir.scalar_broadcast %v : {element} -> vector<64x{element}>")
    if rule.width == 1:
        t.under("%x", 64)
    else:
        t.store("%x", element, 64)


def _ramp(t: Text, rule: LayoutRule) -> None:
    element = _DATA[rule.width]
    t.lines.append(f"%v = arith.constant 7 : {element}")
    t.lines.append(f"%x = ave.hir.vci %v, <INCREASE> : {element}, vector<64x{element}>")
    t.store("%x", element, 64)


def _elementwise(t: Text, rule: LayoutRule) -> None:
    if rule.width == 1:
        t.mask("%a", 64, 23)
        t.mask("%b", 64, 11)
        t.mask("%m", 64, 17)
        t.lines.append("%x = ave.hir.preg.xor <b8> %a, %b, %m : vector<64xi1>")
        t.under("%x", 64)
        return
    element = _DATA[rule.width]
    t.load("%a", element, 64)
    t.load("%b", element, 64)
    t.mask("%m", 64)
    t.lines.append(f"%x = ave.hir.vadd %a, %b, %m : vector<64x{element}>, vector<64xi1>")
    t.store("%x", element, 64)


def _compare(t: Text, rule: LayoutRule) -> None:
    element = _DATA[rule.width]
    t.load("%a", element, 64)
    t.load("%b", element, 64)
    t.mask("%m", 64)
    t.lines.append(f"%p = ave.hir.vcmp <LT> %a, %b, %m : vector<64x{element}>, vector<64xi1> -> vector<64xi1>")
    t.under("%p", 64)


def _compare_scalar(t: Text, rule: LayoutRule) -> None:
    element = _DATA[rule.width]
    t.load("%a", element, 64)
    t.lines.append(f"%v = arith.constant 7 : {element}")
    t.mask("%m", 64)
    types = f"vector<64x{element}>, {element}, vector<64xi1> -> vector<64xi1>"
    t.lines.append(f"%p = ave.hir.vcmps <LT> %a, %v, %m : {types}")
    t.under("%p", 64)


def _truncate(t: Text, rule: LayoutRule) -> None:
    target = element_bits(rule.layouts["res"])
    source = "i64" if target == 32 else f"i{rule.width}"
    kind = "pp = #ave.vcvt_pp_type<pp0>" if (source, target) == ("i32", 8) else "part = #ave.vcvt_part_type<part_even>"
    t.load("%a", source, 64)
    t.mask("%m", 64)
    t.lines.append(
        f"%x = ave.hir.vtrunci %a, false, %m {{{kind}}} : vector<64x{source}>, vector<64xi{target}>, vector<64xi1>"
    )
    t.store("%x", f"i{target}", 64)


def _truncate_c2c(t: Text, rule: LayoutRule) -> None:
    target = element_bits(rule.layouts["res"])
    lanes = 2048 // target
    t.load("%a", f"i{2 * target}", lanes // 2)
    t.mask("%m", lanes // 2)
    change = "layout_change = #ave<layout_change DENSE>, part = #ave.vcvt_part_type<part_odd>"
    types = f"vector<{lanes // 2}xi{2 * target}>, vector<{lanes}xi{target}>, vector<{lanes // 2}xi1>"
    t.lines.append(f"%x = ave.hir.vtrunci %a, false, %m {{{change}}} : {types}")
    t.store("%x", f"i{target}", lanes)


def _extend(t: Text, rule: LayoutRule) -> None:
    target = 64 if rule.width == 32 else element_bits(rule.layouts["res"])
    kind = "pp = #ave.vcvt_pp_type<pp0>" if (rule.width, target) == (8, 32) else "part = #ave.vcvt_part_type<part_even>"
    t.load("%a", f"i{rule.width}", 64)
    t.mask("%m", 64)
    t.lines.append(
        f"%x = ave.hir.vextsi %a, %m {{{kind}}} : vector<64xi{rule.width}>, vector<64xi{target}>, vector<64xi1>"
    )
    t.store("%x", f"i{target}", 64)


def _gather(t: Text, rule: LayoutRule) -> None:
    element, wide = _DATA[element_bits(rule.layouts["res"])], f"i{rule.width}"
    t.lines.append(f"%z = arith.constant 5 : {wide}")
    t.lines.append(f"%i = ave.hir.vci %z, <INCREASE> : {wide}, vector<64x{wide}>")
    t.mask("%m", 64, 23)
    buffer, type_ = t.buffer(element)
    types = f"{type_}, vector<64x{wide}>, vector<64xi1> into vector<64x{element}>"
    t.lines.append(f"%x = ave.hir.vgather {buffer}[%c0, %c0] [%i], %m : {types}")
    t.store("%x", element, 64)


def _scatter(t: Text, rule: LayoutRule) -> None:
    element = _DATA[element_bits(rule.layouts["val"])]
    t.lines.append("%z = arith.constant 5 : i32")
    t.lines.append("%i = ave.hir.vci %z, <INCREASE> : i32, vector<64xi32>")
    t.load("%x", element, 64)
    t.mask("%m", 64, 23)
    buffer, type_ = t.buffer(element)
    types = f"{type_}, vector<64xi32>, vector<64xi1>, vector<64x{element}>"
    t.lines.append(f"ave.hir.vscatter {buffer}[%c0, %c0] [%i], %m, %x : {types}")


def _interleave(t: Text, rule: LayoutRule, change: str = "", name: str = "vintlv") -> None:
    element = _DATA[element_bits(rule.layouts["res"])]
    lanes = VECMEM_TYPES[rule.layouts["res"]].lanes
    both = rule.dist == "none"
    t.load("%a", element, lanes)
    t.load("%b", element, lanes)
    extra = f" {{layout_change = #ave<layout_change {change}>}}" if change else ""
    vector = f"vector<{lanes}x{element}>"
    t.lines.append(f"%x, %y = ave.hir.{name} %a, %b{extra} : {vector}, {vector}")
    t.store("%x", element, lanes)
    if both and change != "DENSE":
        t.store("%y", element, lanes)


def _interleave_dense(t: Text, rule: LayoutRule) -> None:
    _interleave(t, rule, "DENSE", "vdintlv")


def _interleave_sparse(t: Text, rule: LayoutRule) -> None:
    element = _DATA[element_bits(rule.layouts["res"])]
    lanes = VECMEM_TYPES[rule.layouts["src"]].lanes
    t.load("%a", element, lanes)
    vector = f"vector<{lanes}x{element}>"
    t.lines.append(
        f"%x, %y = ave.hir.vintlv %a, %a {{layout_change = #ave<layout_change SPARSE>}} : {vector}, {vector}"
    )
    for value in ("%x", "%y"):
        half = f"{value}h"
        t.lines.append(
            f"{half} = builtin.unrealized_conversion_cast {value} : {vector} to vector<{lanes // 2}x{element}>"
        )
        t.store(half, element, lanes // 2)


def _same(t: Text, rule: LayoutRule) -> None:
    element = _DATA[element_bits(rule.layouts["value"])]
    t.load("%a", element, 64)
    t.load("%b", element, 64)
    t.lines.append(f"%x = arith.addi %a, %b : vector<64x{element}>")
    t.store("%x", element, 64)


def _bitcast(t: Text, rule: LayoutRule) -> None:
    before, after = element_bits(rule.layouts["src"]), element_bits(rule.layouts["res"])
    source, target = f"vector<{2048 // before}xi{before}>", f"vector<{2048 // after}xi{after}>"
    t.load("%a", f"i{before}", 2048 // before)
    t.lines.append(f"%x = vector.bitcast %a : {source} to {target}")
    t.store("%x", f"i{after}", 2048 // after)


def _layout_cast(t: Text, rule: LayoutRule) -> bool:
    source, target = rule.layouts["src"], rule.layouts["res"]
    if element_bits(source) == element_bits(target):
        element = _DATA[element_bits(source)]
        t.load("%a", element, 64, source)
    elif {source, target} <= {"b8", "b16", "b32"}:
        element = "i1"
        t.lines.append("%an = arith.constant 23 : index")
        t.lines.append(f"%a, %ar = ave.hir.plt %an : vector<64xi1{typed(source)}>, index")
    else:
        return False
    held = f"vector<64x{element}{typed(source)}>"
    t.lines.append(f"%x = ave.hir.vector.layout_cast %a : {held} -> vector<64x{element}>")
    if element == "i1":
        t.under("%x", 64)
    else:
        t.store("%x", element, 64)
    return True


# -- rows and what happens to them ------------------------------------------------------------------------------------


def role_bits(rule: LayoutRule, role: str) -> int:
    """The element width of what stands in a role of a row: 1 for masks."""
    if role in ("mask", "pres") or (rule.width == 1 and role in ("res", "val", "data")):
        return 1
    return element_bits(rule.layouts[role])


def mutants(rule: LayoutRule) -> list[LayoutRule]:
    """The row with one layout, or its functionType, replaced by each other one that is possible there."""
    out = []
    for role, layout in rule.layouts.items():
        for other in DOMAINS[role_bits(rule, role)]:
            if other != layout:
                out.append(rule._replace(layouts={**rule.layouts, role: other}))
    dists = {known.dist for known in AVE_RULES if known.family == rule.family}
    out += [rule._replace(dist=dist) for dist in sorted(dists - {rule.dist})]
    return out


def with_row(rule: LayoutRule, row: LayoutRule) -> tuple[LayoutRule, ...]:
    """All rules, but of the table of `rule` (its family and width) only `row`."""
    same = {"layout_cast": "src", "bitcast": "src"}.get(rule.family)
    kept = [
        known
        for known in AVE_RULES
        if (known.family, known.width) != (rule.family, rule.width)
        or (same is not None and known.layouts[same] != rule.layouts[same])
    ]
    return (*kept, row)


def run_row(rule: LayoutRule, row: LayoutRule, chip: str) -> Verification | None:
    """Run the program of a rule with `row` in its place; None where there is no solution."""
    found = solve_row(rule, row, chip)
    return None if found is None else check_solution(*found, rounds=4)


def solve_row(rule: LayoutRule, row: LayoutRule, chip: str) -> tuple[Posed, LayoutSolution] | None:
    """The program of a rule solved with `row` in its place; None where there is no solution."""
    text = program(rule)
    assert text is not None
    graph, found = build_graph(read(SourceFile("row.mlir", text)))
    assert not found, (text, found)
    posed: Posed = pose_ave(graph, PoseOptions(chip=chip, rules=with_row(rule, row), sound=False))
    errors = [item.message for item in posed.diagnostics if item.severity == "error"]
    solution = solve_layout(posed.problem)
    if errors or not solution.layouts:
        return None
    return posed, solution
