"""Op families of the random program generator: each function appends one group of ops to a builder."""

from __future__ import annotations

from tests.support.ave_builder import (
    EFFECTIVE,
    ELEMENTS,
    WIDTHS,
    Builder,
    Spec,
    Value,
    dense_state,
    effective_of,
    state_for,
)

_INTEGERS = ("i32", "i16", "i8")
_FLOATS = ("f32", "f16")
_SCALAR = ("i32", "f32", "i16", "f16", "i8", "i64")
UNARY = ("vabs", "vneg", "vnot", "vexp", "vsqrt", "vrsqrt", "vln", "vrelu")
BINARY = (
    "vadd", "vsub", "vmul", "vdiv", "vdivf", "vdivfhp", "vmod", "vmodui", "vmax", "vmin", "vsmax", "vsmin",
    "vumax", "vumin", "vand", "vor", "vxor", "vabs_diff", "vsadd", "vssub", "vrnd", "vprelu", "vexpdif",
)  # fmt: skip
SCALARS = ("vadds", "vmuls", "vlrelus", "vmaxs", "vmins", "vsmaxs", "vsmins", "vumaxs", "vumins")
_COMPARES = ("EQ", "NE", "GT", "GE", "LT", "LE", "ULE", "UGE", "ULT", "UGT")
_ROUNDS = ("rint", "round", "floor", "ceil", "trunc", "odd", "truncwithoverflow")
_PARTS = ("part_even", "part_odd")
_DIVISIBLE = ("i16", "i32", "i64", "f16", "f32")


def _part(b: Builder) -> str:
    """Return a `part` entry of an attribute dictionary."""
    return f"part = #ave.vcvt_part_type<{b.rng.choice(_PARTS)}>"


def _rounding(b: Builder) -> str:
    """Return a `rnd` entry of an attribute dictionary."""
    return f"rnd = #hivm.round_mode<{b.rng.choice(_ROUNDS)}>"


def _elementwise(b: Builder, name: str, elem: str, state: str, count: int, attrs: str = "") -> Value:
    """Append op `name` with `count` data operands and a mask; return its result."""
    values = [b.data(elem, state) for _ in range(count)]
    mask = b.mask(effective_of(elem, state))
    names = ", ".join(value.name for value in (*values, mask))
    if not attrs and b.chance(0.04):
        types = ", ".join(value.type for value in (*values, mask))
        text = f'"ave.hir.{name}"({names}) : ({types}) -> {values[0].type}'
    else:
        text = f"ave.hir.{name} {names}{attrs} : {values[0].type}, {mask.type}"
    return b.vector(elem, state, text, [*values, mask])


def binary(b: Builder) -> None:
    """Append a two-operand arithmetic op, in rare cases on predicates."""
    name = b.rng.choice(BINARY)
    logic = name in ("vand", "vor", "vxor") and b.chance(0.15)
    pick = b.typed(("i1",) if logic else _DIVISIBLE if name == "vdiv" else ELEMENTS)
    if pick is None:
        return
    attrs = " {cast = #hivm.cast<cast_unsigned>}" if name == "vdiv" and b.chance(0.3) else ""
    _elementwise(b, name, pick[0], pick[1], 2, attrs)


def unary(b: Builder) -> None:
    """Append a one-operand arithmetic op."""
    pick = b.typed(ELEMENTS)
    if pick is not None:
        _elementwise(b, b.rng.choice(UNARY), pick[0], pick[1], 1)


def vmula(b: Builder) -> None:
    """Append a multiply-accumulate."""
    pick = b.typed(ELEMENTS[:-1])
    if pick is not None:
        _elementwise(b, "vmula", pick[0], pick[1], 3)


def mull(b: Builder) -> None:
    """Append a long multiplication; only 32-bit data keeps its two results in one state for sure."""
    pick = b.typed(("i32", "i16") if b.slip() else ("i32",))
    if pick is None:
        return
    elem, state, eff = pick
    left, right, mask = b.data(elem, state), b.data(elem, state), b.mask(eff)
    attrs = " {cast = #hivm.cast<cast_unsigned>}" if b.chance(0.3) else ""
    text = f"ave.hir.mull {left.name}, {right.name}, {mask.name}{attrs} : {left.type}, {mask.type}"
    b.op([Spec(elem, b.shape, state)] * 2, text, [left, right, mask])


def vector_scalar(b: Builder) -> None:
    """Append an op with a vector and a scalar."""
    pick = b.typed(_SCALAR)
    if pick is None:
        return
    elem, state, eff = pick
    value, mask = b.data(elem, state), b.mask(eff)
    head = f"ave.hir.{b.rng.choice(SCALARS)} {value.name}, {b.scalar(elem)}, {mask.name}"
    b.vector(elem, state, f"{head} : {value.type}, {elem}, {mask.type}", [value, mask])


def shift(b: Builder) -> None:
    """Append a shift by a vector or by a scalar."""
    pick = b.typed(_INTEGERS)
    if pick is None:
        return
    elem, state, eff = pick
    name = b.rng.choice(("vshl", "vshr", "vshls", "vshrs"))
    value, sign = b.data(elem, state), b.scalar("i1")
    if name.endswith("s"):
        mask = b.mask(eff)
        text = f"ave.hir.{name} {value.name}, {b.scalar(elem)}, {mask.name}, {sign}"
        b.vector(elem, state, f"{text} : {value.type}, {elem}, {mask.type}", [value, mask])
        return
    by, mask = b.data(elem, state), b.mask(eff)
    text = f"ave.hir.{name} {value.name}, {by.name}, {mask.name}, {sign} : {value.type}, {mask.type}"
    b.vector(elem, state, text, [value, by, mask])


def reduction(b: Builder) -> None:
    """Append a reduction."""
    pick = b.typed(ELEMENTS)
    if pick is None:
        return
    elem, state, eff = pick
    value, mask = b.data(elem, state), b.mask(eff)
    kind = b.rng.choice(("add", "min", "max", "xori", "umin", "umax"))
    text = f"ave.hir.reduction <{kind}>, {value.name}, {mask.name} : {value.type}, {mask.type} -> {value.type}"
    b.vector(elem, state, text, [value, mask])


def vector_broadcast(b: Builder) -> None:
    """Append a broadcast of a vector's lane."""
    pick = b.typed(ELEMENTS)
    if pick is None:
        return
    elem, state, eff = pick
    value, mask = b.data(elem, state), b.mask(eff)
    head = f"ave.hir.vector_broadcast {value.name}, {mask.name}, {b.rng.choice(('true', 'false'))}"
    b.vector(elem, state, f"{head} : {value.type}, {mask.type} -> {value.type}", [value, mask])


def vsel(b: Builder) -> None:
    """Append a select."""
    pick = b.typed(ELEMENTS)
    if pick is None:
        return
    elem, state, eff = pick
    mask, true, false = b.mask(eff), b.data(elem, state), b.data(elem, state)
    text = f"ave.hir.vsel {mask.name}, {true.name}, {false.name} : {mask.type}, {true.type}"
    b.vector(elem, state, text, [mask, true, false])


def vcmp(b: Builder) -> None:
    """Append a comparison of two vectors, on a slip of two predicates."""
    pick = b.typed(("i1",) if b.slip() and b.chance(0.2) else ELEMENTS)
    if pick is None:
        return
    elem, state, eff = pick
    left, right, mask = b.data(elem, state), b.data(elem, state), b.mask(eff)
    if left.type != right.type:
        return
    head = f"ave.hir.vcmp <{b.rng.choice(_COMPARES)}> {left.name}, {right.name}, {mask.name}"
    text = f"{head} : {left.type}, {mask.type} -> vector<{b.shape}i1>"
    b.vector("i1", eff, text, [left, right, mask])


def vcmps(b: Builder) -> None:
    """Append a comparison with a scalar; only dense data has a rule."""
    elems = ("i32", "f32", "i16", "f16", "i8", "bf16", "i64")
    pick = b.typed(elems)
    if pick is None:
        return
    elem, state, eff = pick
    if not b.slip():
        state = eff = dense_state(elem)
    value, mask = b.data(elem, state), b.mask(eff)
    head = f"ave.hir.vcmps <{b.rng.choice(_COMPARES)}> {value.name}, {b.scalar(elem)}, {mask.name}"
    text = f"{head} : {value.type}, {elem}, {mask.type} -> vector<{b.shape}i1>"
    b.vector("i1", eff, text, [value, mask])


def _convert(b: Builder, name: str, pair: tuple[str, str], inner: tuple[str, str], order: str) -> None:
    """Append a conversion.

    `inner` is (inline attributes between source and mask, attribute dictionary entries); `order` says whether
    the mask type ("m") or the result type ("r") is printed second.
    """
    source, target = pair
    if not (b.fits(source) and b.fits(target)):
        return
    inline, entries = inner
    eff = next((e for e in (b.eff(), *EFFECTIVE) if state_for(source, e) and state_for(target, e)), None)
    if eff is None:
        return
    state = mask_state = eff
    result = state_for(target, eff)
    narrows = min(WIDTHS[source], 32) > min(WIDTHS[target], 32)
    if narrows and b.chance(0.3) and WIDTHS[target] * 2 == WIDTHS[source]:
        kind = "DENSE" if b.chance(0.8) else "UNCHANGED"
        entries = ", ".join(filter(None, (f"layout_change = #ave<layout_change {kind}>", entries)))
        mask_state = state = dense_state(source)
        result = dense_state(target)
    value, mask = b.data(source, state_for(source, state) or state), b.mask(mask_state)
    made = f"vector<{b.shape}{target}>"
    types = f"{mask.type}, {made}" if order == "m" else f"{made}, {mask.type}"
    extra = f" {{{entries}}}" if entries else ""
    text = f"ave.hir.{name} {value.name}, {inline}{mask.name}{extra} : {value.type}, {types}"
    b.vector(target, result, text, [value, mask])


def extend(b: Builder) -> None:
    """Append a widening conversion."""
    kind = b.rng.choice(("vextf", "vextsi", "vextui", "pp"))
    if kind == "vextf":
        pairs = [("f16", "f32"), ("bf16", "f32"), ("f8E4M3FN", "f32"), ("f8E5M2", "f32"), ("f8E4M3FN", "f16")]
        pairs += [("f8E5M2", "bf16"), ("bf16", "f16")] if b.slip() else []
        _convert(b, "vextf", b.rng.choice(pairs), (f"<{b.rng.choice(_PARTS)}>, ", ""), "r")
        return
    if kind == "pp":
        entry = f"pp = #ave.vcvt_pp_type<pp{b.rng.randrange(4)}>"
        _convert(b, b.rng.choice(("vextsi", "vextui")), ("i8", "i32"), ("", entry), "r")
        return
    pair = b.rng.choice((("i8", "i16"), ("i16", "i32"), ("i32", "i64")))
    _convert(b, kind, pair, ("", _part(b)), "r")


def truncate(b: Builder) -> None:
    """Append a narrowing conversion, possibly with a change of layout."""
    sat = b.rng.choice(("false", "true"))
    kind = b.rng.choice(("vtrunci", "vtruncf", "pp"))
    if kind == "vtruncf":
        pairs = [("f32", "f16"), ("f32", "bf16"), ("f32", "f8E4M3FN"), ("f32", "f8E5M2"), ("f16", "f8E4M3FN")]
        pairs += [("bf16", "f8E5M2"), ("f16", "bf16")] if b.slip() else []
        inline = f"<{b.rng.choice(_ROUNDS)}>, {sat}, <{b.rng.choice(_PARTS)}>, "
        _convert(b, "vtruncf", b.rng.choice(pairs), (inline, ""), "r")
        return
    sign = b.rng.choice(("si2si", "si2ui", "ui2si", "ui2ui"))
    uni = f", uni = #hivm.unsigned_mode<{sign}>" if b.chance(0.3) else ""
    if kind == "pp":
        entry = f"pp = #ave.vcvt_pp_type<pp{b.rng.randrange(4)}>{uni}"
        _convert(b, "vtrunci", ("i32", "i8"), (f"{sat}, ", entry), "r")
        return
    pair = b.rng.choice((("i32", "i16"), ("i16", "i8"), ("i64", "i32")))
    _convert(b, "vtrunci", pair, (f"{sat}, ", f"{_part(b)}{uni}"), "r")


def convert(b: Builder) -> None:
    """Append a conversion between integers and floats."""
    name = b.rng.choice(("vsitofp", "vfptosi", "vuitofp", "vfptoui"))
    rounding = f"<{b.rng.choice(_ROUNDS)}>, "
    if name == "vsitofp":
        pair, entry = b.rng.choice(
            (
                (("i32", "f32"), _rounding(b)),
                (("i16", "f32"), _part(b)),
                (("i8", "f16"), _part(b)),
                (("i16", "f16"), _rounding(b)),
                (("i64", "f32"), f"{_part(b)}, {_rounding(b)}"),
            )
        )
        _convert(b, name, pair, ("", entry), "m")
    elif name == "vfptosi":
        pair, entry = b.rng.choice(
            (
                (("f32", "i32"), "sat = true"),
                (("f16", "i32"), _part(b)),
                (("f32", "i16"), f"{_part(b)}, sat = true"),
                (("f16", "i16"), "sat = false"),
                (("f16", "i8"), f"{_part(b)}, sat = false"),
                (("bf16", "i32"), f"{_part(b)}, sat = true"),
                (("f32", "i64"), f"{_part(b)}, sat = true"),
            )
        )
        _convert(b, name, pair, (rounding, entry), "m")
    elif name == "vuitofp":
        pair, entry = b.rng.choice(((("i8", "f16"), ""), (("i64", "f32"), _rounding(b))))
        _convert(b, name, pair, (f"<{b.rng.choice(_PARTS)}>, ", entry), "m")
    else:
        pair = b.rng.choice((("f16", "i8"), ("f16", "i16"), ("f32", "i32"), ("f16", "i32"), ("f32", "i16")))
        sat = b.rng.choice(("false", "true"))
        _convert(b, name, pair, (f"{rounding}{sat}, <{b.rng.choice(_PARTS)}>, ", ""), "m")


def vtrc(b: Builder) -> None:
    """Append a rounding to whole numbers; on a slip between two widths, which has no layout."""
    pairs = [("f32", "f32"), ("f16", "f16"), ("bf16", "bf16"), ("f16", "bf16")]
    pairs += [("f32", "f16"), ("bf16", "f32")] if b.slip() else []
    _convert(b, "vtrc", b.rng.choice(pairs), (f"<{b.rng.choice(_ROUNDS)}>, ", ""), "m")


_INTERLEAVE = {
    "": (
        ("b32", "b32"),
        ("b16", "b16"),
        ("b8", "b8"),
        ("b16_2vl", "b16"),
        ("b8_2vl", "b8"),
        ("b8_4vl", "b8"),
    ),
    "UNCHANGED": tuple((state, state) for state in ("b32", "b16", "b16_2vl", "b8", "b8_2vl", "b8_4vl")),
    "DENSE": (("b16", "b16_2vl"), ("b8_2vl", "b8_4vl"), ("b8", "b8_2vl")),
    "SPARSE": (("b16_2vl", "b16"), ("b8_2vl", "b8"), ("b8_4vl", "b8_2vl")),
}


def interleave(b: Builder) -> None:
    """Append an interleave or deinterleave of each kind."""
    pick = b.typed(ELEMENTS[:-1])
    if pick is None:
        return
    elem, wanted, _ = pick
    change = b.rng.choice(("", "", "UNCHANGED", "DENSE", "SPARSE"))
    prefix = f"b{WIDTHS[elem]}"
    rows = [row for row in _INTERLEAVE[change] if row[0].split("_")[0] == prefix]
    rows = [row for row in rows if row[0] == wanted] or rows
    if not rows:
        if not b.slip():
            return
        rows = [(wanted, wanted)]
    result, source = b.rng.choice(rows)
    left, right = b.data(elem, source), b.data(elem, source)
    attrs = f" {{layout_change = #ave<layout_change {change}>}}" if change else ""
    name = b.rng.choice(("vintlv", "vdintlv"))
    text = f"ave.hir.{name} {left.name}, {right.name}{attrs} : {left.type}, {left.type}"
    b.op([Spec(elem, b.shape, result)] * 2, text, [left, right])


def gather(b: Builder) -> None:
    """Append a gather with 16-bit or 32-bit indices."""
    rows = [("i32", "b32", 32, "b32"), ("i32", "b16_2vl", 16, "b32"), ("i16", "b16", 16, "b16")]
    rows += [("i16", "b16_2vl", 16, "b16"), ("i16", "b8_2vl", 8, "b16")]
    rows += [("i32", "b8_4vl", 8, "b32"), ("i16", "b8", 8, "b16")] if b.slip() else []
    wide, result, width, eff = b.rng.choice(rows)
    elems = [elem for elem in ELEMENTS if WIDTHS[elem] == width and b.fits(elem)]
    if not b.fits(wide) or not elems or not b.spend(2):
        return
    elem = b.rng.choice(elems)
    index, mask = b.data(wide, eff), b.mask(eff)
    access, memref = b.memory(elem)
    text = f"ave.hir.vgather {access} [{index.name}], {mask.name} : {memref}, {index.type}, {mask.type}"
    b.vector(elem, result, f"{text} into vector<{b.shape}{elem}>", [index, mask])


def strided_store(b: Builder) -> None:
    """Append a store with a stride; its mask has the element width."""
    pick = b.typed([elem for elem in ELEMENTS if elem != "i64"])
    if pick is None or not b.spend({8: 3, 16: 2}.get(WIDTHS[pick[0]], 1)):
        return
    elem, state, _ = pick
    value, mask = b.data(elem, state), b.mask(dense_state(elem))
    access, memref = b.memory(elem, "" if b.chance(0.15) else "2d")
    text = f"ave.hir.store_with_stride {access}, {b.bound('64')}, {mask.name}, {value.name}"
    b.op([], f"{text} : {memref}, {mask.type}, {value.type}", [mask, value])


def permute(b: Builder) -> None:
    """Append a pack, an unpack or a slide."""
    name = b.rng.choice(("vpack", "vunpack", "vslide"))
    pick = b.typed(_SCALAR if name == "vslide" else ELEMENTS)
    if pick is None:
        return
    elem, state, _ = pick
    value = b.data(elem, state)
    if name == "vslide":
        other = b.data(elem, state)
        head = f"ave.hir.vslide {value.name}, {other.name}, {b.scalar('i16')}"
        b.vector(elem, state, f"{head} : {value.type}, i16 -> {value.type}", [value, other])
        return
    text = f"ave.hir.{name} {value.name}, {b.rng.randrange(2)} : {value.type} -> {value.type}"
    b.vector(elem, state, text, [value])


def predicate(b: Builder) -> None:
    """Append an op on predicate registers."""
    eff = b.eff()
    name = b.rng.choice(("and", "or", "xor", "not", "cast"))
    first = b.mask(eff)
    if name == "cast":
        mode = b.rng.choice(("UNPK_B8", "UNPK_B16", "UNPK4_B8", "PK_B16", "PK_B32", "PK4_B32"))
        text = f"ave.hir.preg.cast {first.name} <{mode}> : {first.type} -> {first.type}"
        b.op([Spec("i1", first.shape, eff)], text, [first])
        return
    operands = [first, *(b.mask(eff) for _ in range(1 if name == "not" else 2))]
    if any(value.type != first.type for value in operands):
        return
    width = b.rng.choice((eff, eff, "b8"))
    names = ", ".join(value.name for value in operands)
    b.op([Spec("i1", first.shape, eff)], f"ave.hir.preg.{name} <{width}> {names} : {first.type}", operands)


def bitcast(b: Builder) -> None:
    """Append a vector.bitcast between types of one width."""
    groups = (("i32", "f32"), ("i16", "f16", "bf16"), ("i8", "f8E4M3FN", "f8E5M2"))
    group = b.rng.choice([group for group in groups if b.fits(group[0])])
    pick = b.typed(group)
    if pick is None:
        return
    elem, state, _ = pick
    value, target = b.data(elem, state), b.rng.choice(group)
    text = f"vector.bitcast {value.name} : {value.type} to vector<{b.shape}{target}>"
    b.vector(target, state, text, [value])


def reshape(b: Builder) -> None:
    """Append a cast to a shape with a unit dimension, or to an unsigned element type, and one back."""
    pick = b.typed(ELEMENTS[:-1])
    if pick is None:
        return
    elem, state, _ = pick
    value = b.data(elem, state)
    unsigned = elem in _INTEGERS and b.chance(0.4)
    between = Spec(f"u{elem}" if unsigned else elem, b.shape if unsigned else f"1x{b.shape}", state)
    made = f"vector<{between.shape}{between.elem}>"
    step = b.op([between], f"builtin.unrealized_conversion_cast {value.name} : {value.type} to {made}", [value])[0]
    if unsigned and b.chance(0.7):
        step = _elementwise_on(b, step)
    text = f"builtin.unrealized_conversion_cast {step.name} : {step.type} to {value.type}"
    b.vector(elem, state, text, [step])


def _elementwise_on(b: Builder, value: Value) -> Value:
    """Append an op on two equal operands and return its result."""
    mask = b.mask(effective_of(value.elem, value.state or "b32"))
    name = b.rng.choice(("vmax", "vmin", "vadd"))
    text = f"ave.hir.{name} {value.name}, {value.name}, {mask.name} : {value.type}, {mask.type}"
    return b.vector(value.elem, value.state, text, [value, value, mask])


def membar(b: Builder) -> None:
    """Append a memory barrier."""
    b.op([], f"ave.hir.membar {b.scalar('i32')}", [])


def store(b: Builder) -> None:
    """Append a masked_store of data, sometimes of a predicate."""
    pick = b.typed(("i1",) if b.chance(0.15) else ELEMENTS)
    if pick is not None and b.spend({8: 3, 16: 2, 1: 3}.get(WIDTHS[pick[0]], 1)):
        b.store(b.data(pick[0], pick[1]))


def call(b: Builder) -> None:
    """Append a call of a declared function, with or without a vector result."""
    pick = b.typed(ELEMENTS)
    if pick is None:
        return
    elem, state, eff = pick
    returns = b.chance(0.5)
    if returns and state != dense_state(elem) and not b.slip():
        return
    values = [b.data(elem, state)]
    if b.chance(0.5) and (not returns or state == eff):
        values.append(b.mask(eff))
    if not returns and not b.spend(3 if state_for(elem, "b16") else 1):
        return
    call_function(b, values, elem if returns else None)


def call_function(b: Builder, values: list[Value], elem: str | None) -> None:
    """Append a call with the given vector operands, returning a vector of `elem` unless that is None."""
    types = ", ".join(value.type for value in values)
    tail = f" -> vector<{b.shape}{elem}>" if elem else ""
    name = "@ext_" + "".join(c if c.isalnum() else "_" for c in types + tail)
    declared = f"func.func private {name}({types}){tail} attributes {{hivm.vector_function}}"
    if declared not in b.declarations:
        b.declarations.append(declared)
    names = ", ".join(value.name for value in values)
    specs = [Spec(elem, b.shape, values[0].state)] if elem else []
    word = "func.call" if b.depth or b.chance(0.8) else "call"
    made = b.op(specs, f"{word} {name}({names}) : ({types}) -> {tail[4:] or '()'}", values)
    for value in made:
        if value.owner is not None:
            value.owner.pinned = True
