"""One-operation functions for the dialect's verifier: every operation with element types, lengths, masks and attributes
that fit it and that do not.

Run as `python -m tests.support.verifier_programs` to compare what is accepted with the released tool.
"""

from __future__ import annotations

import argparse
import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.ops.ave_attributes import nodes_of
from layoutsolver.pose.ave_check import check_op
from layoutsolver.source import SourceFile
from tests.support import peer
from tests.support.ave_builder import UB
from tests.support.ave_families import BINARY, SCALARS, UNARY

ELEMENTS = (
    "i8", "i16", "i32", "i64", "f8E4M3FN", "f8E5M2", "f16", "bf16", "f32", "i1", "ui8", "si16", "ui32", "si64", "i4",
    "f64",
)  # fmt: skip
_PLAIN = ELEMENTS[:9]
_CONVERTS = ("vextf", "vextsi", "vextui", "vtrunci", "vtruncf", "vfptosi", "vfptoui", "vsitofp", "vuitofp", "vtrc")

M = "vector<64xi1>"

RECORD = Path(__file__).parents[1] / "data" / "ave_verifier.txt"
"""What the released tool accepts: bit n of a hexadecimal number is about program n."""


def one(line: str, arguments: str) -> str:
    """A function of one operation."""
    return f"func.func @f({arguments}) attributes {{hivm.vector_function}} {{\n  {line}\n  return\n}}\n"


def of(element: str, lanes: int = 64) -> str:
    """A vector type that is not too long."""
    width = {"i64": 64, "si64": 64, "f64": 64}.get(element, 32)
    return f"vector<{min(lanes, 4096 // width)}x{element}>"


def programs() -> Iterator[tuple[str, str]]:
    """Title and text of every program."""
    yield from _elementwise()
    yield from _made()
    yield from _memory()
    yield from _moves()
    yield from _masks()
    yield from _conversions()


def _elementwise() -> Iterator[tuple[str, str]]:
    for element in ELEMENTS:
        v = of(element)
        for name in UNARY:
            yield f"{name} {element}", one(f"%r = ave.hir.{name} %a, %m : {v}, {M}", f"%a: {v}, %m: {M}")
        for name in BINARY:
            line = f"%r = ave.hir.{name} %a, %a, %m : {v}, {M}"
            yield f"{name} {element}", one(line, f"%a: {v}, %m: {M}")
        for name in ("vshl", "vshr"):
            for sign in ("i1", "i8", "index"):
                line = f"%r = ave.hir.{name} %a, %a, %m, %s : {v}, {M}"
                yield f"{name} {element} sign {sign}", one(line, f"%a: {v}, %m: {M}, %s: {sign}")
        for name in SCALARS:
            for scalar in sorted({element, "i32", "f32"}):
                line = f"%r = ave.hir.{name} %a, %s, %m : {v}, {scalar}, {M}"
                yield f"{name} {element} by {scalar}", one(line, f"%a: {v}, %m: {M}, %s: {scalar}")
        for name in ("vshls", "vshrs"):
            for scalar in sorted({element, "i16", "i32"}):
                line = f"%r = ave.hir.{name} %a, %s, %m, %g : {v}, {scalar}, {M}"
                yield f"{name} {element} by {scalar}", one(line, f"%a: {v}, %m: {M}, %s: {scalar}, %g: i1")
        line = f"%r = ave.hir.vmula %a, %a, %a, %m : {v}, {M}"
        yield f"vmula {element}", one(line, f"%a: {v}, %m: {M}")
        yield f"mull {element}", one(f"%l, %h = ave.hir.mull %a, %a, %m : {v}, {M}", f"%a: {v}, %m: {M}")
        for kind in ("add", "max", "umin", "xori"):
            line = f"%r = ave.hir.reduction <{kind}>, %a, %m : {v}, {M} -> {v}"
            yield f"reduction {kind} {element}", one(line, f"%a: {v}, %m: {M}")
        yield f"vsel {element}", one(f"%r = ave.hir.vsel %m, %a, %a : {M}, {v}", f"%a: {v}, %m: {M}")
        for kind in ("LT", "ULE"):
            line = f"%r = ave.hir.vcmp <{kind}> %a, %a, %m : {v}, {M} -> {M}"
            yield f"vcmp {kind} {element}", one(line, f"%a: {v}, %m: {M}")
            for scalar in sorted({element, "i32", "f32"}):
                line = f"%r = ave.hir.vcmps <{kind}> %a, %s, %m : {v}, {scalar}, {M} -> {M}"
                yield f"vcmps {kind} {element} by {scalar}", one(line, f"%a: {v}, %m: {M}, %s: {scalar}")
    for other in ("vector<32xi1>", "vector<128xi1>", "vector<2048xi1>", "vector<2049xi1>", "vector<1x64xi1>",
                  "vector<i1>", "vector<64xi8>", "i1"):  # fmt: skip
        v = of("i32")
        yield f"vadd under {other}", one(f"%r = ave.hir.vadd %a, %a, %m : {v}, {other}", f"%a: {v}, %m: {other}")
        yield f"vsel under {other}", one(f"%r = ave.hir.vsel %m, %a, %a : {other}, {v}", f"%a: {v}, %m: {other}")
        line = f"%r = ave.hir.vcmp <LT> %a, %a, %k : {v}, {M} -> {other}"
        yield f"vcmp to {other}", one(line, f"%a: {v}, %k: {M}")
    for v in ("vector<i32>", "vector<1xi32>", "vector<65xi32>", "vector<1x64xi32>", "vector<257xi8>", "vector<129xf16>",
              "vector<65xi64>", "vector<[4]xi32>", "i32"):  # fmt: skip
        yield f"vadd {v}", one(f"%r = ave.hir.vadd %a, %a, %m : {v}, {M}", f"%a: {v}, %m: {M}")
        yield f"vabs {v}", one(f"%r = ave.hir.vabs %a, %m : {v}, {M}", f"%a: {v}, %m: {M}")
    for result in ("vector<32xi32>", "vector<1xi32>", "vector<64xi16>", "vector<64xf32>", "i32"):
        line = f"%r = ave.hir.reduction <add>, %a, %m : vector<64xi32>, {M} -> {result}"
        yield f"reduction to {result}", one(line, f"%a: vector<64xi32>, %m: {M}")


def _made() -> Iterator[tuple[str, str]]:
    for element in ELEMENTS:
        v = of(element)
        for scalar in sorted({element, "i8", "i16", "i32", "f32", "index"}):
            line = f"%r = ave.hir.broadcast %s, %m : {scalar}, {M} -> {v}"
            yield f"broadcast {scalar} to {element}", one(line, f"%s: {scalar}, %m: {M}")
            line = f"%r = ave.hir.scalar_broadcast %s : {scalar} -> {v}"
            yield f"scalar_broadcast {scalar} to {element}", one(line, f"%s: {scalar}")
            line = f"%r = ave.hir.vci %s, <INCREASE> : {scalar}, {v}"
            yield f"vci {scalar} to {element}", one(line, f"%s: {scalar}")
        line = f"%r = ave.hir.vector_broadcast %a, %m, true : {v}, {M} -> {v}"
        yield f"vector_broadcast {element}", one(line, f"%a: {v}, %m: {M}")
        for other in ("vector<32xi32>", "vector<64xf32>", "vector<1xi32>"):
            line = f"%r = ave.hir.vector_broadcast %a, %m, true : {v}, {M} -> {other}"
            yield f"vector_broadcast {element} to {other}", one(line, f"%a: {v}, %m: {M}")


def _memory() -> Iterator[tuple[str, str]]:
    given = "%m: vector<64xi1>, %i: index"
    for element in ELEMENTS:
        v = of(element)
        for kept in sorted({element, "i8", "f32", "i32"}):
            b = f"memref<64x{kept}, {UB}>"
            arguments = f"%b: {b}, %a: {v}, {given}, %o: vector<64xi32>, %x: vector<64xindex>"
            yield f"vload {element} of {kept}", one(f"%r = ave.hir.vload <NORM> %b[%i] : {b} into {v}", arguments)
            line = f"ave.hir.masked_store <NORM_B32> %b[%i], %m, %a : {b}, {M}, {v}"
            yield f"masked_store {element} to {kept}", one(line, arguments)
            line = f"ave.hir.unaligned.masked.store %b[%i], %m, %a : {b}, {M}, {v}"
            yield f"unaligned.masked.store {element} to {kept}", one(line, arguments)
            line = f"ave.hir.store_with_stride %b[%i], %i, %m, %a : {b}, {M}, {v}"
            yield f"store_with_stride {element} to {kept}", one(line, arguments)
            line = f"%r = ave.hir.vgather %b[%i] [%o], %m : {b}, vector<64xi32>, {M} into {v}"
            yield f"vgather {element} of {kept}", one(line, arguments)
            line = f"ave.hir.vscatter %b[%i] [%x], %m, %a : {b}, vector<64xindex>, {M}, {v}"
            yield f"vscatter {element} to {kept}", one(line, arguments)
        for index in ("i8", "i16", "i32", "i64", "index", "f32", "ui32"):
            b, w = f"memref<64x{element}, {UB}>", f"vector<64x{index}>"
            arguments = f"%b: {b}, %a: {v}, {given}, %o: {w}"
            line = f"%r = ave.hir.vgather %b[%i] [%o], %m : {b}, {w}, {M} into {v}"
            yield f"vgather {element} by {index}", one(line, arguments)
            line = f"ave.hir.vscatter %b[%i] [%o], %m, %a : {b}, {w}, {M}, {v}"
            yield f"vscatter {element} by {index}", one(line, arguments)
    v = of("f32")
    for b in ("memref<64xf32>", "memref<64xf32, 1>", "memref<64xf32, #hivm.address_space<gm>>",
              f"memref<4x64xf32, {UB}>", f"memref<f32, {UB}>", f"memref<?xf32, strided<[?], offset: ?>, {UB}>",
              "vector<64xf32>", "tensor<64xf32>", "!llvm.ptr<6>", f"memref<*xf32, {UB}>"):  # fmt: skip
        for places in ("", "%i", "%i, %i"):
            arguments = f"%b: {b}, %a: {v}, {given}, %o: vector<64xi32>, %x: vector<64xindex>"
            for name, line in {
                "vload": f"%r = ave.hir.vload <NORM> %b[{places}] : {b} into {v}",
                "masked_store": f"ave.hir.masked_store <NORM_B32> %b[{places}], %m, %a : {b}, {M}, {v}",
                "unaligned.masked.store": f"ave.hir.unaligned.masked.store %b[{places}], %m, %a : {b}, {M}, {v}",
                "store_with_stride": f"ave.hir.store_with_stride %b[{places}], %i, %m, %a : {b}, {M}, {v}",
                "vgather": f"%r = ave.hir.vgather %b[{places}] [%o], %m : {b}, vector<64xi32>, {M} into {v}",
                "vscatter": f"ave.hir.vscatter %b[{places}] [%x], %m, %a : {b}, vector<64xindex>, {M}, {v}",
            }.items():
                yield f"{name} at [{places}] of {b}", one(line, arguments)
    b = f"memref<1024xf32, {UB}>"
    for name, types in (("two", f"{v}, {v}"), ("other length", f"{v}, {of('f32', 32)}"), ("two", f"{v}, {of('i32')}")):
        line = f"%r, %q = ave.hir.vload <DINTLV_B32> %b[%i] : {b} into {types}"
        yield f"vload of {name}", one(line, f"%b: {b}, {given}")
    line = f"%r = ave.hir.vload <DINTLV_B32> %b[%i] : {b} into {v}"
    yield "vload of two into one", one(line, f"%b: {b}, {given}")
    line = f"%r, %q = ave.hir.vload <NORM> %b[%i] : {b} into {v}, {v}"
    yield "vload of one into two", one(line, f"%b: {b}, {given}")
    for index in ("i32", "i64"):
        line = f"%r = ave.hir.vload <NORM> %b[%k] : {b} into {v}"
        yield f"vload at {index}", one(line, f"%b: {b}, %k: {index}")


def _moves() -> Iterator[tuple[str, str]]:
    for element in ELEMENTS:
        v, u = of(element), of(element, 32)
        for name in ("vintlv", "vdintlv"):
            for change in ("", " {layout_change = #ave<layout_change DENSE>}"):
                line = f"%l, %h = ave.hir.{name} %a, %a{change} : {v}, {v}"
                yield f"{name}{change[18:40]} {element}", one(line, f"%a: {v}")
        for other in (u, of("i32"), of("f16")):
            line = f"%l, %h = ave.hir.vintlv %a, %a : {v}, {other}"
            yield f"vintlv {element} to {other}", one(line, f"%a: {v}")
        for name in ("vpack", "vunpack"):
            for part in (0, 1, 2):
                yield f"{name} {part} {element}", one(f"%r = ave.hir.{name} %a, {part} : {v} -> {v}", f"%a: {v}")
            yield f"{name} {element} shorter", one(f"%r = ave.hir.{name} %a, 0 : {v} -> {u}", f"%a: {v}")
        for by in ("i16", "i32", "index"):
            line = f"%r = ave.hir.vslide %a, %a, %k : {v}, {by} -> {v}"
            yield f"vslide {element} by {by}", one(line, f"%a: {v}, %k: {by}")
        line = f"%r = ave.hir.vector.layout_cast %a : {v} -> {v}"
        yield f"layout_cast {element}", one(line, f"%a: {v}")
        for other in (u, of("f32")):
            line = f"%r = ave.hir.vector.layout_cast %a : {v} -> {other}"
            yield f"layout_cast {element} to {other}", one(line, f"%a: {v}")
    for kind in ("i32", "i64", "index"):
        yield f"membar {kind}", one("ave.hir.membar %k", f"%k: {kind}")


def _masks() -> Iterator[tuple[str, str]]:
    kinds = ("vector<64xi1>", "vector<256xi1>", "vector<1xi1>", "vector<i1>", "vector<2048xi1>", "vector<2049xi1>",
             "vector<1x64xi1>", "vector<64xi8>", "i1")  # fmt: skip
    for p in kinds:
        yield f"pge {p}", one(f"%r = ave.hir.pge <ALL> : {p}", "")
        yield f"plt {p}", one(f"%r, %n = ave.hir.plt %c : {p}, index", "%c: index")
        yield f"pltm {p}", one(f"%r = ave.hir.pltm %c, %c : {p}", "%c: index")
        for name in ("and", "or", "xor"):
            yield f"preg.{name} {p}", one(f"%r = ave.hir.preg.{name} <b8> %a, %a, %a : {p}", f"%a: {p}")
        yield f"preg.not {p}", one(f"%r = ave.hir.preg.not <b8> %a, %a : {p}", f"%a: {p}")
        for q in kinds[:3]:
            yield f"preg.cast {p} to {q}", one(f"%r = ave.hir.preg.cast %a <PK_B16> : {p} -> {q}", f"%a: {p}")
    for kind in ("i32", "i64"):
        yield f"plt of {kind}", one(f"%r, %n = ave.hir.plt %c : {M}, {kind}", f"%c: {kind}")
        yield f"pltm of {kind}", one(f"%r = ave.hir.pltm %c, %c : {M}", f"%c: {kind}")


def _conversions() -> Iterator[tuple[str, str]]:
    part, pp = "part = #ave.vcvt_part_type<part_even>", "pp = #ave.vcvt_pp_type<pp0>"
    rnd, sat = "rnd = #hivm.round_mode<rint>", "sat = true"
    entries = {
        "vextsi": (part, pp), "vextui": (part, pp), "vtrunci": (part, pp), "vfptosi": (sat, part),
        "vsitofp": (rnd, part), "vuitofp": (rnd,),
    }  # fmt: skip
    inline = {"vextf": "<part_even>, ", "vtrunci": "false, ", "vtruncf": "<rint>, false, <part_even>, ",
              "vfptosi": "<rint>, ", "vfptoui": "<rint>, false, <part_even>, ", "vuitofp": "<part_even>, ",
              "vtrc": "<rint>, "}  # fmt: skip
    for name in _CONVERTS:
        choices = [""]
        for entry in entries.get(name, ()):
            choices += [f"{choice}, {entry}" if choice else entry for choice in choices]
        for source in ELEMENTS:
            for target in ELEMENTS:
                for choice in choices:
                    yield _converted(name, of(source), of(target), inline.get(name, ""), choice, M)
        for source, target, mask in (("vector<64xi8>", "vector<32xi16>", M), ("vector<1x64xi8>", "vector<1x64xi16>", M),
                                     ("vector<64xi8>", "vector<64xi16>", "vector<32xi1>"),
                                     ("vector<64xf32>", "vector<32xf16>", M), ("vector<64xf16>", "vector<32xf32>", M),
                                     ("vector<64xi8>", "vector<64xi16>", "vector<64xi8>")):  # fmt: skip
            for choice in choices:
                yield _converted(name, source, target, inline.get(name, ""), choice, mask)


def _converted(name: str, source: str, target: str, inline: str, choice: str, mask: str) -> tuple[str, str]:
    order = f"{mask}, {target}" if name in ("vfptosi", "vfptoui", "vsitofp", "vuitofp", "vtrc") else f"{target}, {mask}"
    extra = f" {{{choice}}}" if choice else ""
    line = f"%r = ave.hir.{name} %a, {inline}%m{extra} : {source}, {order}"
    return f"{name} {source} to {target}{extra} under {mask}", one(line, f"%a: {source}, %m: {mask}")


def meant_to_differ(title: str) -> bool:
    """Whether this tool and the released one are meant to differ about a program.

    More is lowered here: 64-bit sums of products, and scatters by indices of a width, as layouts have them. Elements
    that the hardware does not have are refused wherever they stand, and vectors whose length is not known.
    """
    words = title.split()
    if title in ("vmula i64", "vmula si64") or (
        words[0] == "vscatter" and words[-1] in ("i8", "i16", "i32", "i64", "ui32")
    ):
        return True
    return any(word in ("i4", "f64") for word in words) or "[4]" in title


def refused_here(text: str) -> list[str]:
    """What is said of a program before any layout is looked for: its errors, by code and message.

    Memory that vector operations do not reach is no error as long as the released tool is compared with.
    """
    module = read(SourceFile("one.mlir", text))
    graph, found = build_graph(module)
    said = [*module.diagnostics, *found]
    if not any(item.severity == "error" for item in said):
        said += [item for node in nodes_of(graph) for item in check_op(graph, node, compat=True)]
    return [f"{item.code} {item.message}" for item in said if item.severity == "error"]


def recorded() -> dict[str, bool]:
    """Whether the released tool accepts each program, by title, as it was recorded."""
    titles = list(dict(programs()))
    bits = int(RECORD.read_text(encoding="utf-8"), 16)
    return {title: bool(bits >> number & 1) for number, title in enumerate(titles)}


_ERROR = re.compile(r"^within split at <stdin>:(\d+) offset :\d+:\d+: error: (.*)$", re.MULTILINE)


def refused_there(texts: Sequence[str]) -> list[str]:
    """What the released tool says of each program, empty where it accepts it."""
    lines, starts = 0, []
    for text in texts:
        starts.append(lines)
        lines += text.count("\n") + 1
    _, _, errors = peer.run("// -----\n".join(texts), "-split-input-file")
    out = [""] * len(texts)
    for line, message in _ERROR.findall(errors):
        at = bisect_right(starts, int(line)) - 1
        out[at] = out[at] or message
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Print where this tool and the released one differ, by operation; 1 if they do."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write down what the released tool accepts")
    options = parser.parse_args(argv)
    named = dict(programs())
    theirs = refused_there(list(named.values()))
    if options.record:
        bits = sum(1 << number for number, message in enumerate(theirs) if not message)
        RECORD.write_text(f"{bits:x}\n", encoding="utf-8")
    counts: Counter[str] = Counter()
    differing = 0
    for (title, text), message in zip(named.items(), theirs, strict=True):
        mine = refused_here(text)
        verdict = f"{'refused' if mine else 'accepted'} here, {'refused' if message else 'accepted'} there"
        counts[verdict] += 1
        if bool(mine) != bool(message) and not meant_to_differ(title):
            differing += 1
            print(f"{title}: {verdict}: {message or mine[0]}")
    for verdict, number in counts.most_common():
        print(f"{number:6} {verdict}")
    print(f"{differing:6} differ that are not meant to")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
