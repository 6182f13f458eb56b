"""One small program for every operation and element type: operands from memory, a computed mask, results stored."""

from __future__ import annotations

from collections.abc import Iterator

UB = "#hivm.address_space<ub>"
BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32, "f8E4M3FN": 8, "f8E5M2": 8}
LANES = 64
MASK = f"vector<{LANES}xi1>"

_UNARY = ("vabs", "vneg", "vnot", "vexp", "vsqrt", "vrsqrt", "vln", "vrelu")
_BINARY = (
    "vadd", "vsub", "vmul", "vdiv", "vdivf", "vdivfhp", "vmod", "vmodui", "vmax", "vmin", "vsmax", "vsmin", "vumax",
    "vumin", "vand", "vor", "vxor", "vabs_diff", "vsadd", "vssub", "vrnd", "vprelu", "vexpdif",
)  # fmt: skip
_SCALAR = ("vadds", "vmuls", "vlrelus", "vmaxs", "vmins", "vsmaxs", "vsmins", "vumaxs", "vumins")
_COMPARES = ("EQ", "NE", "GT", "GE", "LT", "LE", "ULE", "UGE", "ULT", "UGT")
_NARROWED = (("f32", "f16"), ("f32", "bf16"), ("f32", "f8E4M3FN"), ("f32", "f8E5M2"), ("f16", "f8E4M3FN"),
             ("f16", "f8E5M2"), ("bf16", "f8E5M2"))  # fmt: skip
_ROUNDS = ("rint", "round", "floor", "ceil", "trunc", "truncwithoverflow")


def vector(element: str) -> str:
    """The type of a vector."""
    return f"vector<{LANES}x{element}>"


class Program:
    """A function that loads, computes and stores."""

    def __init__(self) -> None:
        self.arguments: list[str] = []
        self.lines: list[str] = [
            "%c0 = arith.constant 0 : index", f"%all = ave.hir.pge <ALL> : {MASK}", "%yes = arith.constant true",
            "%no = arith.constant false",
        ]  # fmt: skip

    def load(self, name: str, element: str, extra: str = "") -> None:
        """Let a vector be the elements of a new buffer."""
        memref = f"memref<128x{element}, {UB}>"
        self.arguments.append(f"{name}_in: {memref}")
        self.lines.append(f"{name} = ave.hir.vload <NORM> {name}_in[%c0]{extra} : {memref} into {vector(element)}")

    def mask(self, element: str) -> None:
        """Let the mask be where two vectors of such elements differ in their bits, and some lanes more."""
        self.load("%k1", element)
        self.load("%k2", element)
        types = f"{vector(element)}, {MASK} -> {MASK}"
        self.lines.append(f"%k = ave.hir.vcmp <GT> %k1, %k2, %all : {types}")

    def store(self, name: str, element: str, mask: str = "%all", extra: str = "") -> None:
        """Store a vector into a new buffer."""
        memref = f"memref<128x{element}, {UB}>"
        place = f"%out{len(self.arguments)}"
        self.arguments.append(f"{place}: {memref}")
        types = f"{memref}, {MASK}, {vector(element)}"
        size = max(8, BITS.get(element, 8))
        self.lines.append(f"ave.hir.masked_store <NORM_B{size}> {place}[%c0], {mask}, {name}{extra} : {types}")

    def __str__(self) -> str:
        body = "\n".join(f"  {line}" for line in self.lines)
        return f"func.func @f({', '.join(self.arguments)}) {{\n{body}\n  return\n}}\n"


def one(element: str, line: str, operands: str, scalar: str = "", result: str = "", masks: str = "") -> str:
    """A program around a line that computes `%r` from vectors, under the mask `%k`."""
    program = Program()
    program.mask(masks or element)
    for name in operands.split():
        program.load(name, element)
    if scalar:
        program.arguments.append(f"%s: {scalar}")
    program.lines.append(line)
    if "%r =" in line or "%r, " in line:
        program.store("%r", result or element)
    if ", %q =" in line:
        program.store("%q", result or element)
    return str(program)


def operation_programs() -> Iterator[tuple[str, str]]:
    """Title and text of every program."""
    yield from _lane_by_lane()
    yield from _comparisons()
    yield from _conversions()
    yield from _others()
    yield from _accesses()


def _lane_by_lane() -> Iterator[tuple[str, str]]:
    for element in BITS:
        types = f"{vector(element)}, {MASK}"
        for name in _UNARY:
            yield f"{name} {element}", one(element, f"%r = ave.hir.{name} %a, %k : {types}", "%a")
        for name in _BINARY:
            if name == "vdiv" and element in ("i8", "bf16", "f8E4M3FN", "f8E5M2"):
                continue  # the dialect has no such division
            yield f"{name} {element}", one(element, f"%r = ave.hir.{name} %a, %b, %k : {types}", "%a %b")
        unsigned = " {cast = #hivm.cast<cast_unsigned>}"
        if element in ("i16", "i32"):
            yield f"vdiv {element}u", one(element, f"%r = ave.hir.vdiv %a, %b, %k{unsigned} : {types}", "%a %b")
        yield f"vmula {element}", one(element, f"%r = ave.hir.vmula %a, %b, %c, %k : {types}", "%a %b %c")
        if element in ("i8", "i16", "i32"):
            for sign in ("%yes", "%no", "%b1"):
                extra = "i1" if sign == "%b1" else ""
                text = one(
                    element, f"%r = ave.hir.vshl %a, %b, %k, {sign.replace('%b1', '%s')} : {types}", "%a %b", extra
                )
                yield f"vshl {element} {sign}", text
                yield f"vshr {element} {sign}", text.replace("vshl", "vshr")
            for name in ("vshls", "vshrs"):
                line = f"%r = ave.hir.{name} %a, %s, %k, %yes : {vector(element)}, {element}, {MASK}"
                yield f"{name} {element}", one(element, line, "%a", element)
        if element in ("i8", "i16", "i32", "i64", "f16", "f32"):
            for name in _SCALAR:
                line = f"%r = ave.hir.{name} %a, %s, %k : {vector(element)}, {element}, {MASK}"
                yield f"{name} {element}", one(element, line, "%a", element)
    for cast in ("", " {cast = #hivm.cast<cast_unsigned>}"):
        line = f"%r, %q = ave.hir.mull %a, %b, %k{cast} : {vector('i32')}, {MASK}"
        yield f"mull{cast}", one("i32", line, "%a %b")


def _comparisons() -> Iterator[tuple[str, str]]:
    for element in BITS:
        select = f"%r = ave.hir.vsel %p, %a, %b : {MASK}, {vector(element)}"
        for kind in _COMPARES:
            line = f"%p = ave.hir.vcmp <{kind}> %a, %b, %k : {vector(element)}, {MASK} -> {MASK}\n  {select}"
            yield f"vcmp {kind} {element}", one(element, line, "%a %b")
            if element in ("i8", "i16", "i32", "i64", "f16", "f32"):
                line = f"%p = ave.hir.vcmps <{kind}> %a, %s, %k : {vector(element)}, {element}, {MASK} -> {MASK}"
                yield f"vcmps {kind} {element}", one(element, f"{line}\n  {select}", "%a %b", element)


def _conversions() -> Iterator[tuple[str, str]]:
    part, place = "part = #ave.vcvt_part_type<part_even>", "pp = #ave.vcvt_pp_type<pp0>"
    for name, pairs in {
        "vextsi": "i8>i16 i16>i32 i32>i64 i8>i32", "vextui": "i8>i16 i16>i32 i32>i64 i8>i32",
        "vtrunci": "i16>i8 i32>i16 i64>i32 i32>i8",
    }.items():  # fmt: skip
        for pair in pairs.split():
            before, after = pair.split(">")
            attrs = place if pair in ("i8>i32", "i32>i8") else part
            if name != "vtrunci":
                yield from [_converted(name, before, after, "", attrs, "r")]
                continue
            for sat in ("false", "true"):
                for uni in ("", "si2si", "si2ui", "ui2si", "ui2ui"):
                    extra = f", uni = #hivm.unsigned_mode<{uni}>" if uni else ""
                    yield _converted(name, before, after, f"{sat}, ", attrs + extra, "r")
    for before, after in (("f16", "f32"), ("bf16", "f32"), ("f8E4M3FN", "f32"), ("f8E5M2", "f32")):
        yield _converted("vextf", before, after, "<part_even>, ", "", "r")
    for rnd in _ROUNDS:
        mode = f"rnd = #hivm.round_mode<{rnd}>"
        for sat in ("false", "true"):
            for before, after in _NARROWED:
                yield _converted("vtruncf", before, after, f"<{rnd}>, {sat}, <part_even>, ", "", "r")
            for before, after in (("f16", "i8"), ("f16", "i16"), ("f32", "i32")):
                yield _converted("vfptoui", before, after, f"<{rnd}>, {sat}, <part_even>, ", "", "m")
            for before, after in (("f32", "i32"), ("f16", "i16")):
                yield _converted("vfptosi", before, after, f"<{rnd}>, ", f"sat = {sat}", "m")
            for before, after in (("f32", "i64"), ("f32", "i16"), ("f16", "i8"), ("bf16", "i32")):
                yield _converted("vfptosi", before, after, f"<{rnd}>, ", f"{part}, sat = {sat}", "m")
        yield _converted("vfptosi", "f16", "i32", f"<{rnd}>, ", part, "m")
        yield _converted("vsitofp", "i16", "f16", "", mode, "m")
        yield _converted("vsitofp", "i32", "f32", "", mode, "m")
        yield _converted("vsitofp", "i64", "f32", "", f"{part}, {mode}", "m")
        yield _converted("vuitofp", "i64", "f32", "<part_even>, ", mode, "m")
        for element in ("f16", "bf16", "f32"):
            yield _converted("vtrc", element, element, f"<{rnd}>, ", "", "m")
    for before, after in (("i8", "f16"), ("i16", "f32")):
        yield _converted("vsitofp", before, after, "", part, "m")
    yield _converted("vuitofp", "i8", "f16", "<part_even>, ", "", "m")


def _converted(name: str, before: str, after: str, inline: str, attrs: str, order: str) -> tuple[str, str]:
    types = f"{vector(after)}, {MASK}" if order == "r" else f"{MASK}, {vector(after)}"
    extra = f" {{{attrs}}}" if attrs else ""
    line = f"%r = ave.hir.{name} %a, {inline}%k{extra} : {vector(before)}, {types}"
    title = f"{name} {before} {after} {inline}{attrs}"
    return title, one(before, line, "%a", result=after, masks=before)


def _ties() -> Iterator[tuple[str, str]]:
    """Sums of a product halfway between two numbers and of one that float32 drops, which decides."""
    type_ = vector("f8E5M2")
    for total in ("1.52587890625e-05", "-1.52587890625e-05"):
        for factor in ("20480.0", "-20480.0"):
            lines = []
            for name, number in (("a", total), ("b", factor), ("c", "1.5")):
                lines.append(f"%{name}1 = arith.constant {number} : f8E5M2")
                lines.append(f"%{name} = ave.hir.scalar_broadcast %{name}1 : f8E5M2 -> {type_}")
            lines.append(f"%r = ave.hir.vmula %a, %b, %c, %all : {type_}, {MASK}")
            yield f"vmula f8E5M2 of {total} and {factor}", one("f8E5M2", "\n  ".join(lines), "")


def _zeros() -> Iterator[tuple[str, str]]:
    """Extremes of zeros of both signs, of which the first one counts."""
    for element in ("f8E4M3FN", "f8E5M2", "f32"):
        type_ = vector(element)
        for kind in ("max", "min"):
            program = Program()
            program.mask(element)
            program.load("%a", element)
            program.lines += [
                f"%zero = arith.constant 0.0 : {element}",
                f"%o = ave.hir.scalar_broadcast %zero : {element} -> {type_}",
                f"%z = ave.hir.vmul %a, %o, %all : {type_}, {MASK}", f"%first = ave.hir.pge <VL1> : {MASK}",
                f"%r = ave.hir.reduction <{kind}>, %z, %k : {type_}, {MASK} -> {type_}",
            ]  # fmt: skip
            program.store("%r", element, "%first")
            yield f"reduction {kind} {element} of zeros", str(program)


def _others() -> Iterator[tuple[str, str]]:
    yield from _ties()
    yield from _zeros()
    for element in BITS:
        type_ = vector(element)
        for kind in ("add", "max", "min", "umax", "umin", "xori"):
            program = Program()
            program.mask(element)
            program.load("%a", element)
            program.lines += ["%first = ave.hir.pge <VL1> : " + MASK,
                              f"%r = ave.hir.reduction <{kind}>, %a, %k : {type_}, {MASK} -> {type_}"]  # fmt: skip
            program.store("%r", element, "%first")
            yield f"reduction {kind} {element}", str(program)
        yield (
            f"broadcast {element}",
            one(element, f"%r = ave.hir.broadcast %s, %k : {element}, {MASK} -> {type_}", "", element),
        )
        yield f"splat {element}", one(element, f"%r = ave.hir.scalar_broadcast %s : {element} -> {type_}", "", element)
        line = f"%r = ave.hir.vector_broadcast %a, %k, true : {type_}, {MASK} -> {type_}"
        yield f"vector_broadcast {element}", one(element, line, "%a")
        yield from _whole_registers(element)
        if element in ("i8", "i16", "i32", "i64", "f16", "f32"):
            for order in ("INCREASE", "DECREASE"):
                line = f"%r = ave.hir.vci %s, <{order}> : {element}, {type_}"
                yield f"vci {order} {element}", one(element, line, "", element)
        number = "1.5" if element[0] in "bf" else "-3"
        line = f"%c = arith.constant dense<{number}> : {type_}\n  %r = ave.hir.vadd %a, %c, %k : {type_}, {MASK}"
        yield f"constant {element}", one(element, line, "%a")


def _whole_registers(element: str) -> Iterator[tuple[str, str]]:
    """Operations that move lanes of registers that are full."""
    lanes = 2048 // min(BITS[element], 32)
    type_, mask = f"vector<{lanes}x{element}>", f"vector<{lanes}xi1>"
    for title, line in {
        "vintlv": f"%r, %q = ave.hir.vintlv %a, %b : {type_}, {type_}",
        "vdintlv": f"%r, %q = ave.hir.vdintlv %a, %b : {type_}, {type_}",
        "vslide": f"%by = arith.constant 3 : i16\n  %r = ave.hir.vslide %a, %b, %by : {type_}, i16 -> {type_}",
        "vector_broadcast of the last": f"%r = ave.hir.vector_broadcast %a, %all, false : {type_}, {mask} -> {type_}",
        "vpack": f"%r = ave.hir.vpack %a, 1 : {type_} -> {type_}",
        "vunpack": f"%r = ave.hir.vunpack %a, 1 : {type_} -> {type_}",
    }.items():
        if title == "vslide" and element in ("bf16", "f8E4M3FN", "f8E5M2"):
            continue  # the dialect has no such slide
        text = one(element, line, "%a %b", masks="i32" if BITS[element] > 16 else element)
        yield (
            f"{title} {element}",
            text.replace(f"vector<{LANES}x", f"vector<{lanes}x").replace("memref<128x", "memref<512x"),
        )


def _predicates_in_memory() -> Iterator[tuple[str, str]]:
    """Bits from behind the first ones of a buffer, and back."""
    memref = f"memref<4x512xi1, strided<[512, 1], offset: 256>, {UB}>"
    for element in ("i8", "i16", "i32"):
        program = Program()
        program.arguments += [f"%bits: {memref}", f"%more: {memref}"]
        program.load("%a", element)
        program.lines += [
            "%c2 = arith.constant 2 : index", "%c256 = arith.constant 256 : index",
            f"%p = ave.hir.vload <NORM> %bits[%c2, %c256] : {memref} into {MASK}",
            f"%q = ave.hir.preg.and <b8> %p, %p, %all : {MASK}",
        ]  # fmt: skip
        program.store("%a", element, "%q")
        program.lines.append(f"ave.hir.masked_store <NORM_B8> %more[%c2, %c256], %all, %q : {memref}, {MASK}, {MASK}")
        yield f"predicates in memory for {element}", str(program)


def _alternate_loads(element: str, unaligned: str) -> Iterator[tuple[str, str]]:
    """The even and the odd elements of a buffer, as many as registers hold."""
    lanes = 2048 // BITS[element]
    memref, type_, mask = f"memref<512x{element}, {UB}>", f"vector<{lanes}x{element}>", f"vector<{lanes}xi1>"
    store = f"ave.hir.masked_store <NORM_B{BITS[element]}>"
    for title, extra in (("alternate", ""), ("unaligned alternate", unaligned)):
        lines = (
            "%c0 = arith.constant 0 : index", f"%all = ave.hir.pge <ALL> : {mask}",
            f"%x, %y = ave.hir.vload <DINTLV_B{BITS[element]}> %in[%c0]{extra} : {memref} into {type_}, {type_}",
            f"{store} %even[%c0], %all, %x : {memref}, {mask}, {type_}",
            f"{store} %odd[%c0], %all, %y : {memref}, {mask}, {type_}",
        )  # fmt: skip
        body = "\n".join(f"  {line}" for line in lines)
        arguments = f"%in: {memref}, %even: {memref}, %odd: {memref}"
        yield f"{title} load {element}", f"func.func @f({arguments}) {{\n{body}\n  return\n}}\n"


def _accesses() -> Iterator[tuple[str, str]]:
    yield from _predicates_in_memory()
    unaligned = " {ave.unaligned_ub_access = #ave.unaligned_ub_access}"
    for element in BITS:
        program = Program()
        program.load("%a", element, unaligned)
        program.store("%a", element)
        yield f"unaligned load {element}", str(program)
        if BITS[element] < 64:
            yield from _alternate_loads(element, unaligned)
        for title, mask in (("computed", "%k"), ("counted", "%p"), ("first", "%f")):
            program = Program()
            program.mask(element)
            program.load("%a", element)
            program.arguments.append("%n: index")
            program.lines += [f"%p, %rest = ave.hir.plt %n : {MASK}, index", f"%f = ave.hir.pge <VL3> : {MASK}"]
            program.lines += [f"%pk = ave.hir.preg.and <b8> %p, %all, %all : {MASK}"]
            program.store("%a", element, mask, unaligned)
            yield f"unaligned {title} store {element}", str(program)
        if BITS[element] < 32:
            program = Program()
            program.mask("i32")
            program.load("%a", element)
            program.store("%a", element, "%k", unaligned)
            yield f"unaligned store of spread {element}", str(program)
        for title, mask in (("counted", "%p"), ("computed", "%k")):
            program = Program()
            program.mask(element)
            program.load("%a", element)
            program.arguments.append("%n: index")
            program.lines += [f"%q, %rest = ave.hir.plt %n : {MASK}, index"]
            program.lines += [f"%p = ave.hir.preg.and <b8> %q, %all, %all : {MASK}"]
            program.store("%a", element, mask)
            yield f"{title} store {element}", str(program)
