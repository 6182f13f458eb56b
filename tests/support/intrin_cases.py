"""One small program for each row of the lowering tables: an operation, and a store of what it makes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from layoutsolver_backends.intrin import tables
from tests.support.compare_intrin import INTRINSIC

UB = "#hivm.address_space<ub>"
UNALIGNED = "ave.unaligned_ub_access = #ave.unaligned_ub_access"
BITS = {
    "i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32, "f8E4M3FN": 8, "f8E5M2": 8,
    "ui8": 8, "ui16": 16, "ui32": 32,
}  # fmt: skip
ELEMENTS = ("i8", "i16", "i32", "f16", "bf16", "f32", "f8E4M3FN", "f8E5M2")
MASK = "vector<64xi1>"
_UNARY = ("vabs", "vneg", "vnot", "vsqrt", "vexp", "vln", "vrelu")
_SCALARS = ("vadds", "vmuls", "vmaxs", "vmins", "vsmaxs", "vsmins", "vumaxs", "vumins", "vlrelus")


def dist(name: str) -> str:
    return f"functionType = #ave.func_dist_type<{name}>"


def vector(element: str, lanes: int = 64) -> str:
    return f"vector<{lanes}x{element}>"


def memref(element: str) -> str:
    return f"memref<256x{element}, {UB}>"


def program(op: str, result: str = "", arguments: str = "", attrs: str = "") -> str:
    """A function around an operation; `result` is the type of `%r`, which is then stored."""
    lines = ["  %c0 = arith.constant 0 : index", *(f"  {line}" for line in op.splitlines())]
    outs = ""
    if result:
        element = re.sub(r"vector<(?:\d+x)*(\w+)>", r"\1", result)
        stored, value = element.removeprefix("u"), "%r"
        if stored != element:
            plain = result.replace(element, stored)
            lines.append(f"  %plain = builtin.unrealized_conversion_cast %r : {result} to {plain}")
            result, value = plain, "%plain"
        size = max(BITS[stored], 8)
        extra = f" {{{dist('pb32')}}}" if stored == "i1" else ""
        lines.append(
            f"  ave.hir.masked_store <NORM_B{size}> %out[%c0], %k, {value}{extra} : {memref(stored)}, {MASK}, {result}"
        )
        outs = f", %out: {memref(stored)}"
    given = f"%k: {MASK}, %i: index{', ' if arguments else ''}{arguments}{outs}"
    body = "\n".join(lines)
    return f"func.func @f({given}) attributes {{hivm.vector_function{attrs}}} {{\n{body}\n  return\n}}\n"


def _elementwise() -> Iterator[tuple[str, str]]:
    for name, row in tables.ELEMENTWISE.items():
        for element in (*ELEMENTS, "ui8", "ui16", "ui32"):
            if row.pick(element) is None or (name in _SCALARS and element.startswith("u")):
                continue
            if name in ("vshl", "vdiv") and element.startswith("u"):
                continue
            type_ = vector(element)
            count = 1 if name in _UNARY else 3 if name == "vmula" else 2
            names = [f"%{letter}" for letter in "abc"[:count]]
            arguments = ", ".join(f"{given}: {type_}" for given in names)
            types = f"{type_}, {MASK}"
            if name in _SCALARS:
                names = ["%a", "%s"]
                arguments, types = f"%a: {type_}, %s: {element}", f"{type_}, {element}, {MASK}"
            sign = ", %sign" if name == "vshl" else ""
            head = "%sign = arith.constant true\n" if name == "vshl" else ""
            text = f"{head}%r = ave.hir.{name} {', '.join(names)}, %k{sign} : {types}"
            yield f"{name} {element}", program(text, type_, arguments)


def _shifts() -> Iterator[tuple[str, str]]:
    for name in (*tables.SHIFTS, "vshl"):
        for element in ("i8", "i16", "i32"):
            for sign in ("true", "false"):
                type_ = vector(element)
                by, types = ("%b", f"{type_}, {MASK}")
                arguments = f"%a: {type_}, %b: {type_}"
                if name.endswith("s"):
                    by, types, arguments = "%s", f"{type_}, {element}, {MASK}", f"%a: {type_}, %s: {element}"
                text = f"%sign = arith.constant {sign}\n%r = ave.hir.{name} %a, {by}, %k, %sign : {types}"
                yield f"{name} {element} {sign}", program(text, type_, arguments)
    text = "%sign = arith.constant true\n%five = arith.constant 5 : i32\n"
    text += f"%r = ave.hir.vshrs %a, %five, %k, %sign : {vector('i32')}, i32, {MASK}"
    yield "vshrs by a constant", program(text, vector("i32"), f"%a: {vector('i32')}")


def _conversions() -> Iterator[tuple[str, str]]:
    mode = {"part": "part = #ave.vcvt_part_type<part_odd>", "pp": "pp = #ave.vcvt_pp_type<pp3>", "sat": "sat = true",
            "rnd": "rnd = #hivm.round_mode<ceil>"}  # fmt: skip
    for row in tables.CONVERSIONS:
        source, target = vector(row.source, 32 if "64" in row.source + row.target else 64), vector(row.target)
        target = vector(row.target, 32) if "64" in row.source + row.target else target
        uni = f", uni = #hivm.unsigned_mode<{row.uni}>" if row.uni else ""
        inline, entries = "", [mode[name] for name in row.modes]
        types = f"{source}, {target}, {MASK}"
        if row.mnemonic == "vextf":
            inline, entries = "<part_odd>, ", []
        elif row.mnemonic == "vtrunci":
            inline, entries = "true, ", [mode[name] for name in row.modes if name != "sat"]
        elif row.mnemonic == "vtruncf":
            inline, entries = "<ceil>, true, <part_odd>, ", []
        elif row.mnemonic == "vfptoui":
            inline, entries, types = "<ceil>, true, <part_odd>, ", [], f"{source}, {MASK}, {target}"
        elif row.mnemonic == "vfptosi":
            inline, entries = "<truncwithoverflow>, ", [mode[name] for name in row.modes if name != "rnd"]
            types = f"{source}, {MASK}, {target}"
        elif row.mnemonic == "vuitofp":
            inline, entries, types = "<part_odd>, ", [], f"{source}, {MASK}, {target}"
        elif row.mnemonic == "vsitofp":
            types = f"{source}, {MASK}, {target}"
        attrs = f" {{{', '.join(entries)}{uni}}}" if entries else ""
        text = f"%r = ave.hir.{row.mnemonic} %a, {inline}%k{attrs} : {types}"
        title = f"{row.mnemonic} {row.source} to {row.target}{' ' + row.uni if row.uni else ''}"
        yield title, program(text, target, f"%a: {source}")
    for lanes in (64, 128):
        source, target = vector("f16", lanes), vector("i16", lanes)
        text = f"%r = ave.hir.vfptoui %a, <rint>, false, <part_even>, %k : {source}, {MASK}, {target}"
        yield f"vfptoui f16 to i16, {lanes} lanes", program(text, target, f"%a: {source}")


def _registers() -> Iterator[tuple[str, str]]:
    """Operations on data registers that have a lowering of their own."""
    for element in ELEMENTS:
        type_ = vector(element)
        two = f"%a: {type_}, %b: {type_}"
        yield f"vsel {element}", program(f"%r = ave.hir.vsel %k, %a, %b : {MASK}, {type_}", type_, two)
        for name in ("vintlv", "vdintlv"):
            text = f"%r, %q = ave.hir.{name} %a, %b : {type_}, {type_}"
            yield f"{name} {element}", program(text, type_, two)
        text = f"%r = ave.hir.scalar_broadcast %s : {element} -> {type_}"
        yield f"scalar_broadcast {element}", program(text, type_, f"%s: {element}")
        text = f"%r = ave.hir.broadcast %s, %k : {element}, {MASK} -> {type_}"
        yield f"broadcast {element}", program(text, type_, f"%s: {element}")
        for low in ("true", "false"):
            text = f"%r = ave.hir.vector_broadcast %a, %k, {low} : {type_}, {MASK} -> {type_}"
            yield f"vector_broadcast {element} {low}", program(text, type_, f"%a: {type_}")
        if element in tables.SLID:
            text = f"%r = ave.hir.vslide %a, %b, %s : {type_}, i16 -> {type_}"
            yield f"vslide {element}", program(text, type_, f"{two}, %s: i16")
        for name, widths in (("vpack", (16, 32)), ("vunpack", (8, 16))):
            if BITS[element] in widths:
                yield f"{name} {element}", program(f"%r = ave.hir.{name} %a, 1 : {type_} -> {type_}", type_,
                                                   f"%a: {type_}")  # fmt: skip
    for kind, row in tables.REDUCED.items():
        for element in ELEMENTS:
            if row.pick(element) is not None or (kind == "add" and element in tables.REDUCED_WIDER):
                type_ = vector(element)
                text = f"%r = ave.hir.reduction <{kind}>, %a, %k : {type_}, {MASK} -> {type_}"
                yield f"reduction {kind} {element}", program(text, type_, f"%a: {type_}")
    for element in ("f16", "bf16", "f32"):
        type_ = vector(element)
        text = f"%r = ave.hir.vtrc %a, <floor>, %k : {type_}, {MASK}, {type_}"
        yield f"vtrc {element}", program(text, type_, f"%a: {type_}")
        if element != "bf16":
            text = f"%r = ave.hir.vexpdif %a, %b, %k : {type_}, {MASK}"
            yield f"vexpdif {element}", program(text, type_, f"%a: {type_}, %b: {type_}")
    for element in ("i8", "i16", "i32", "f16", "f32"):
        for order in ("INCREASE", "DECREASE"):
            text = f"%r = ave.hir.vci %s, <{order}> : {element}, {vector(element)}"
            yield f"vci {element} {order}", program(text, vector(element), f"%s: {element}")
        text = f"%s = arith.constant {'1.0' if element[0] == 'f' else '1'} : {element}\n"
        text += f"%r = ave.hir.vci %s, <INCREASE> {{{dist('intlv2')}}} : {element}, {vector(element)}"
        yield f"vci {element} from a constant, spread", program(text, vector(element))
    for cast in ("", " {cast = #hivm.cast<cast_unsigned>}"):
        text = f"%q, %r = ave.hir.mull %a, %b, %k{cast} : {vector('i32')}, {MASK}"
        arguments = f"%a: {vector('i32')}, %b: {vector('i32')}"
        yield f"mull{' unsigned' if cast else ''}", program(text, vector("i32"), arguments)
    text = f"%r = ave.hir.broadcast %s, %k : i16, {MASK} -> {vector('i8')}"
    yield "broadcast i16 into bytes", program(text, vector("i8"), "%s: i16")
    text = f"%r = vector.bitcast %a : {vector('f32')} to {vector('i32')}"
    yield "vector.bitcast", program(text, vector("i32"), f"%a: {vector('f32')}")
    text = f"%r = ave.hir.vector.layout_cast %a : {vector('f32')} -> {vector('f32')}"
    yield "vector.layout_cast", program(text, vector("f32"), f"%a: {vector('f32')}")


def _predicates() -> Iterator[tuple[str, str]]:
    for pattern in tables.PGE_PATTERNS:
        text = f"%r = ave.hir.pge <{pattern}> {{{dist('pb16')}}} : {MASK}"
        yield f"pge {pattern}", program(text, MASK)
    for lanes in (64, 128, 256):
        yield f"pge ALL of {lanes} lanes", program(f"%r = ave.hir.pge <ALL> : {vector('i1', lanes)}",
                                                   vector("i1", lanes))  # fmt: skip
    for width in (8, 16, 32):
        attrs = f" {{{dist(f'pb{width}')}}}"
        text = f"%r, %n = ave.hir.plt %i{attrs} : {MASK}, index"
        yield f"plt pb{width}", program(text, MASK)
        text = f"%r = ave.hir.pltm %c0, %i{attrs} : {MASK}"
        yield f"pltm pb{width}", program(text, MASK)
    text = f"%n = arith.constant 37 : index\n%r, %left = ave.hir.plt %n {{mask_op_idx = 3 : i32}} : {MASK}, index"
    yield "plt of a constant", program(text, MASK)
    for name in ("and", "or", "xor"):
        yield f"preg.{name}", program(f"%r = ave.hir.preg.{name} <b8> %a, %k, %k : {MASK}", MASK, f"%a: {MASK}")
    yield "preg.not", program(f"%r = ave.hir.preg.not <b8> %a, %k : {MASK}", MASK, f"%a: {MASK}")
    for mode in tables.PREDICATE_PACKS:
        yield f"preg.cast {mode}", program(f"%r = ave.hir.preg.cast %k <{mode}> : {MASK} -> {MASK}", MASK)
    for predicate in tables.COMPARES:
        for element in ("i8", "i16", "i32", "f16", "bf16", "f32", "ui8", "ui16", "ui32"):
            if predicate.startswith("U") and element not in ("i8", "i16", "i32"):
                continue
            type_ = vector(element)
            text = f"%r = ave.hir.vcmp <{predicate}> %a, %b, %k : {type_}, {MASK} -> {MASK}"
            yield f"vcmp {predicate} {element}", program(text, MASK, f"%a: {type_}, %b: {type_}")
    for name in ("dintlv2", "dintlv4"):
        full = vector("i1", 256)
        text = f"%r = ave.hir.vcmp <EQ> %a, %a, %k {{{dist(name)}}} : {vector('i8', 256)}, {MASK} -> {full}"
        yield f"vcmp {name}", program(text, full, f"%a: {vector('i8', 256)}")
    yield "scalar_broadcast i1", program(f"%r = ave.hir.scalar_broadcast %s : i1 -> {MASK}", MASK, "%s: i1")
    for number, name in enumerate(tables.BARRIERS):
        yield f"membar {name}", program(f"%n = arith.constant {number} : i32\nave.hir.membar %n")


def _memory() -> Iterator[tuple[str, str]]:
    for element in (*ELEMENTS, "i64", "i1"):
        type_, size = vector(element, 32 if element == "i64" else 64), max(BITS[element], 8)
        base, predicate = f"%a: {memref(element)}", f"{dist('pb16')}, " if element == "i1" else ""
        for extra in ("", f" {{{UNALIGNED}, {dist('pb16')}}}" if element == "i1" else f" {{{UNALIGNED}}}"):
            text = f"%r = ave.hir.vload <NORM> %a[%i]{extra} : {memref(element)} into {type_}"
            yield f"vload {element}{' unaligned' if extra else ''}", program(text, type_, base)
            text = f"ave.hir.masked_store <NORM_B{size}> %a[%i], %k, %v{extra} : {memref(element)}, {MASK}, {type_}"
            yield f"masked_store {element}{' unaligned' if extra else ''}", program(text, "", f"{base}, %v: {type_}")
        if element == "i1":
            continue
        text = f"%r = ave.hir.vload <BRC_B{size}> %a[%i] {{{UNALIGNED}}} : {memref(element)} into {type_}"
        yield f"vload {element} to all lanes", program(text, type_, base)
        for extra in ("", f" {{{predicate}{UNALIGNED}, hivm.is_continuous}}"):
            text = f"ave.hir.masked_store <ONEPT_B{size}> %a[%i], %k, %v{extra} : {memref(element)}, {MASK}, {type_}"
            title = f"masked_store {element} of one element{', continuous' if extra else ''}"
            yield title, program(text, "", f"{base}, %v: {type_}")
        if element == "i64":
            continue
        grid = f"memref<4x256x{element}, {UB}>"
        text = "%by = arith.constant 512 : index\nave.hir.store_with_stride %a[%c0, %i], %by, %k, %v : "
        text += f"{grid}, {MASK}, {type_}"
        yield f"store_with_stride {element}", program(text, "", f"%a: {grid}, %v: {type_}")
        for index in ("i16", "i32"):
            text = f"%r = ave.hir.vgather %a[%i] [%x], %k : {memref(element)}, {vector(index)}, {MASK} into {type_}"
            yield f"vgather {element} by {index}", program(text, type_, f"{base}, %x: {vector(index)}")
    yield from _distributions()
    yield from _counts()
    yield from _addresses()


def _distributions() -> Iterator[tuple[str, str]]:
    for name, element in (("UNPK_B8", "i8"), ("UNPK_B16", "bf16"), ("UNPK4_B8", "i8")):
        for extra in ("", f" {{{UNALIGNED}}}"):
            text = f"%r = ave.hir.vload <{name}> %a[%i]{extra} : {memref(element)} into {vector(element)}"
            yield f"vload {name}{' unaligned' if extra else ''}", program(text, vector(element),
                                                                         f"%a: {memref(element)}")  # fmt: skip
    for name, element in (("PK_B16", "i8"), ("PK_B32", "bf16"), ("PK4_B32", "i8")):
        for extra in ("", f" {{{UNALIGNED}}}"):
            text = f"ave.hir.masked_store <{name}> %a[%i], %k, %v{extra} : {memref(element)}, {MASK}, {vector(element)}"
            arguments = f"%a: {memref(element)}, %v: {vector(element)}"
            yield f"masked_store {name}{' unaligned' if extra else ''}", program(text, "", arguments)
    text = f"%r, %q = ave.hir.vload <DINTLV_B32> %a[%i] : {memref('f32')} into {vector('f32')}, {vector('f32')}"
    text += f"\nave.hir.masked_store <NORM_B32> %a[%i], %k, %q : {memref('f32')}, {MASK}, {vector('f32')}"
    yield "vload DINTLV_B32", program(text, vector("f32"), f"%a: {memref('f32')}")
    for name in ("pk", "pk4"):
        for element in ("i8", "f8E5M2", "i16", "bf16"):
            if name == "pk4" and BITS[element] != 8:
                continue
            text = f"%r = ave.hir.vload <NORM> %a[%i] {{{dist(name)}}} : {memref(element)} into {vector(element)}"
            yield f"vload {element} {name}", program(text, vector(element), f"%a: {memref(element)}")
            text = f"ave.hir.masked_store <NORM_B{BITS[element]}> %a[%i], %k, %v {{{dist(name)}}} : "
            text += f"{memref(element)}, {MASK}, {vector(element)}"
            arguments = f"%a: {memref(element)}, %v: {vector(element)}"
            yield f"masked_store {element} {name}", program(text, "", arguments)
    zero = f"%zero = arith.constant 0 : i8\n%z = ave.hir.broadcast %zero, %k : i8, {MASK} -> {vector('i8')}\n"
    for name, mask in (("a mask", "%k"), ("all lanes", "%all")):
        head = f"%all = ave.hir.pge <ALL> {{{dist('pb32')}}} : {MASK}\n" if mask == "%all" else ""
        text = f"{zero}{head}%x = ave.hir.vload <NORM> %a[%i] {{was_bool_to_int8 = true}} : {memref('i8')} into "
        text += f"{vector('i8')}\n%r = ave.hir.vcmp <NE> %x, %z, {mask} {{{dist('pb32')}}} : {vector('i8')}, {MASK} "
        yield f"booleans as bytes under {name}", program(f"{text}-> {MASK}", MASK, f"%a: {memref('i8')}")
    for name in ("dintlv2", "dintlv4"):
        grid = f"memref<4x256xi8, {UB}>"
        text = "%by = arith.constant 512 : index\nave.hir.store_with_stride %a[%c0, %i], %by, %k, %v "
        text += f"{{{dist(name)}}} : {grid}, {MASK}, {vector('i8')}"
        yield f"store_with_stride {name}", program(text, "", f"%a: {grid}, %v: {vector('i8')}")


def _counts() -> Iterator[tuple[str, str]]:
    """What an unaligned store learns from the operation that makes its mask."""
    masks = {
        "pge VL8": f"%m = ave.hir.pge <VL8> : {MASK}", "pge ALL": f"%m = ave.hir.pge <ALL> : {MASK}",
        "pge ALLF": f"%m = ave.hir.pge <ALLF> : {MASK}", "pge H": f"%m = ave.hir.pge <H> {{{dist('pb32')}}} : {MASK}",
        "plt 37": f"%n = arith.constant 37 : index\n%m, %left = ave.hir.plt %n : {MASK}, index",
        "plt of a sum": f"%n = arith.addi %i, %i : index\n%m, %left = ave.hir.plt %n : {MASK}, index",
        "pltm": f"%m = ave.hir.pltm %c0, %i : {MASK}",
    }  # fmt: skip
    for name, text in masks.items():
        store = f"ave.hir.masked_store <NORM_B32> %a[%i], %m, %v {{{UNALIGNED}}} : {memref('f32')}, {MASK}, "
        arguments = f"%a: {memref('f32')}, %v: {vector('f32')}"
        yield f"unaligned store under {name}", program(f"{text}\n{store}{vector('f32')}", "", arguments)


def _addresses() -> Iterator[tuple[str, str]]:
    layouts = {
        "no dimension": (f"memref<f32, {UB}>", ""),
        "three dimensions": (f"memref<2x4x64xf32, {UB}>", "%c0, %i, %i"),
        "sizes that are not known": (f"memref<?x?x?xf32, {UB}>", "%c0, %i, %i"),
        "an offset": (f"memref<4x64xf32, strided<[64, 1], offset: 128>, {UB}>", "%i, %c0"),
        "an offset and strides that are not known": (f"memref<4x64xf32, strided<[?, ?], offset: ?>, {UB}>", "%i, %c0"),
        "a map": (f"memref<64xf32, affine_map<(d0)[s0] -> (d0 * 2 + s0)>, {UB}>", "%i"),
        "a number for its space": ("memref<64xf32, 6>", "%i"),
    }
    for name, (type_, indices) in layouts.items():
        text = f"%r = ave.hir.vload <NORM> %a[{indices}] : {type_} into {vector('f32')}"
        yield f"address with {name}", program(text, vector("f32"), f"%a: {type_}")
    for offset in ("32", "?"):
        type_ = f"memref<64xi1, strided<[1], offset: {offset}>, {UB}>"
        text = f"%r = ave.hir.vload <NORM> %a[%i] : {type_} into {MASK}"
        yield f"address of predicates with offset {offset}", program(text, MASK, f"%a: {type_}")


FAMILIES = {
    "elementwise": _elementwise, "shifts": _shifts, "conversions": _conversions, "registers": _registers,
    "predicates": _predicates, "memory": _memory,
}  # fmt: skip


def cases(family: str) -> list[tuple[str, str]]:
    """The cases of a family: title and program."""
    return list(FAMILIES[family]())


def summary(text: str) -> str:
    """The intrinsics of a lowered program, one a line: constants in their places, other values as `v`."""
    constants = dict(re.findall(r"(%[\w$.-]+) = llvm\.mlir\.constant\(([^\s)]+)", text))
    lines = []
    for line in text.splitlines():
        if INTRINSIC not in line and "llvm.bitcast" not in line:
            continue
        line = line.strip().replace(INTRINSIC, "").partition(" = ")[2] if " = " in line.partition('"')[0] else line
        line = re.sub(r"%[\w$.-]+", lambda match: constants.get(match.group(), "v"), line.strip())
        lines.append("  " + line.replace(INTRINSIC, "").replace("!llvm.", "").replace('"', ""))
    return "\n".join(lines)
