"""Broadcasts, ramps, constants and operations that move elements without changing them."""

from __future__ import annotations

from layoutsolver.mlir.types import VectorType
from layoutsolver_backends.intrin import tables
from layoutsolver_backends.intrin.program import Step
from layoutsolver_backends.intrin.sound import pairs
from layoutsolver_backends.intrin.sound.code import WORDS, Code, Pair, bits_of, missing
from layoutsolver_backends.intrin.sound.lanes import flag
from layoutsolver_backends.intrin.sound.masks import WIDTHS, first_lanes
from layoutsolver_backends.intrin.writer import NotLoweredError, Ref, Writer, enumerator, register_type

LONG_LANES = 64
"""64-bit elements in a pair of registers."""

_SPREADS = {"intlv2": 1, "intlv4": 2}
_CASTS = {"dintlv2": (1, True), "dintlv4": (2, True), "intlv2": (1, False), "intlv4": (2, False)}
"""How often a layout cast doubles or halves the room of elements, and which of both; `intlv` brings them together."""


def broadcast(writer: Writer, step: Step) -> None:
    """`vdups.z`: a scalar in the lanes that the mask has, zero in the others."""
    result, value = step.results[0], step.role("scalar")
    element = writer.program.element(result)
    code, mask = Code(writer), writer.mask(step.role("mask"))

    def filled(scalar: Ref) -> Ref:
        return code.call("vdups.z", [scalar, mask, 1], register_type(scalar.type))

    if bits_of(element) == 64:
        low, high = code.halves(value)
        code.give_pair(result, Pair(filled(low), filled(high)))
        return
    scalar = code.scalar(value, element)
    if element.startswith("f8"):
        writer.give(result, code.as_type(filled(writer.bitcast(scalar, "i8")), element))
    else:
        writer.give(result, filled(scalar))


def splat(writer: Writer, step: Step) -> None:
    """`vbr`: a scalar in all lanes; a predicate comes about by comparing bytes with zero."""
    result, value = step.results[0], step.role("scalar")
    element = writer.program.element(result)
    code = Code(writer)
    if element == "i1":
        writer.give(result, flag(code, value))
    elif bits_of(element) == 64:
        code.give_pair(result, pairs.splat(code, value))
    elif writer.dialect == "1.2.0" and element.startswith("f8"):
        writer.give(result, code.call("vbr", [code.scalar(value, element)], register_type(element)))
    else:
        writer.give(result, code.splat(code.scalar(value, element)))


def duplicate(writer: Writer, step: Step) -> None:
    """`vdup.z` or `vdupm.z`: the lowest or the highest lane in those that the mask has, zero in the others."""
    source, result = step.role("src"), step.results[0]
    vector = writer.program.vector(source)
    code, mask = Code(writer), writer.mask(step.role("mask"))
    is_low = bool(enumerator(step, "bool", tables.FLAGS))
    name = "vdup.z" if is_low else "vdupm.z"
    if vector.bits == 64:
        if not is_low and vector.lanes != LONG_LANES:
            raise missing(step, vector.element.text, f"the last of {vector.lanes} elements is not in the last lane")
        pair = code.pair(source)
        halves = [code.call(name, [half, mask, 1], WORDS) for half in pair]
        code.give_pair(result, Pair(*halves))
        return
    data = code.register(source)
    bits = code.bits(data)
    writer.give(result, code.as_type(code.call(name, [bits, mask, 1], bits.type), code.element(data)))


def ramp(writer: Writer, step: Step) -> None:
    """`vci`, spread as the functionType says."""
    result, value = step.results[0], step.role("scalar")
    element = writer.program.element(result)
    code = Code(writer)
    down = int(step.attrs.get("order") == "DECREASE")
    if bits_of(element) == 64:
        steps = code.call("vci", [code.writer.constant(0), 0], WORDS)
        wide = Pair(steps, code.number(0, "i32"))
        base = pairs.splat(code, value)
        code.give_pair(result, pairs.subtract(code, base, wide) if down else pairs.add(code, base, wide))
        return
    if element not in ("i8", "i16", "i32", "f16", "f32"):
        raise missing(step, element)
    literal = writer.literal(value)
    given = writer.program.types[value].text
    start = (
        writer.constant(literal, element) if literal is not None and given == element else code.scalar(value, element)
    )
    made = code.call("vci", [start, down], register_type(element))
    writer.give(result, code.spread(made, spreading(step)))


def spreading(step: Step) -> int:
    """How often the result of an operation is spread over twice the room."""
    dist = step.attrs.get("functionType", "none")
    if dist in ("none", "norm"):
        return 0
    return enumerator(step, "functionType", _SPREADS)


def interleave(writer: Writer, step: Step) -> None:
    """`vintlv` and `vdintlv`, each result spread as the functionType says."""
    sources = [step.role("src1"), step.role("src2")]
    vector = writer.program.vector(sources[0])
    code = Code(writer)
    if vector.bits == 64:
        _interleave_longs(code, step, vector)
        return
    if vector.element.text == "i1":
        raise missing(step, "i1")
    first, second = (code.register(source) for source in sources)
    move = code.interleaved if step.name == "vintlv" else code.deinterleaved
    both = move(code.bits(first), code.bits(second))
    for result, half in zip(step.results, both, strict=True):
        if writer.program.uses[result]:
            writer.give(result, code.as_type(code.spread(half, spreading(step)), code.element(first)))


def _interleave_longs(code: Code, step: Step, vector: VectorType) -> None:
    change = step.attrs.get("layout_change", "UNCHANGED")
    counts = {code.writer.program.vector(result).lanes for result in step.results}
    if change != "UNCHANGED" or spreading(step) or {vector.lanes, *counts} != {LONG_LANES}:
        raise missing(step, vector.element.text, "64 elements, in a pair of registers, can be interleaved")
    first, second = code.pair(step.role("src1")), code.pair(step.role("src2"))
    move = code.interleaved if step.name == "vintlv" else code.deinterleaved
    low, high = move(first.low, second.low), move(first.high, second.high)
    for place, result in enumerate(step.results):
        code.give_pair(result, Pair(low[place], high[place]))


def pack(writer: Writer, step: Step) -> None:
    """`vpack.x` of 16 and 32 bits, `vzunpack` of 8, 16 and 32."""
    result = step.results[0]
    element = writer.program.element(result)
    if bits_of(element) not in ((16, 32) if step.name == "vpack" else (8, 16, 32)):
        raise missing(step, element)
    code = Code(writer)
    name = "vpack.x" if step.name == "vpack" else "vzunpack"
    data = code.bits(code.register(step.operands[0]))
    made = code.call(name, [data, enumerator(step, "int", {"0": 0, "1": 1})], data.type)
    writer.give(result, code.as_type(made, element))


def slide(writer: Writer, step: Step) -> None:
    """`vslide`."""
    result = step.results[0]
    element = writer.program.element(result)
    code = Code(writer)
    if bits_of(element) == 64:
        if writer.program.vector(result).lanes != LONG_LANES:
            raise missing(step, element, "64 elements, in a pair of registers, can be slid")
        by = writer.value(step.role("slide"))
        sources = zip(code.pair(step.role("src1")), code.pair(step.role("src2")), strict=True)
        code.give_pair(result, Pair(*[code.call("vslide", [low, high, by], WORDS) for low, high in sources]))
        return
    first, second = (code.bits(code.register(step.role(role))) for role in ("src1", "src2"))
    made = code.call("vslide", [first, second, writer.value(step.role("slide"))], first.type)
    writer.give(result, code.as_type(made, element))


def bitcast(writer: Writer, step: Step) -> None:
    """`vector.bitcast`: the same bytes; 64-bit elements are put together from words, or taken apart."""
    source, result = step.operands[0], step.results[0]
    if writer.program.types[source].text == writer.program.types[result].text:
        writer.give(result, writer.value(source))
        return
    before, after = writer.program.vector(source), writer.program.vector(result)
    code = Code(writer)
    if (before.bits, after.bits) == (64, 64):
        code.give_pair(result, code.pair(source))
    elif after.bits == 64 and before.bits == 32:
        words = code.bits(code.register(source))
        code.give_pair(result, Pair(*code.deinterleaved(words, words)))
    elif before.bits == 64 and after.bits == 32:
        pair = code.pair(source)
        words = code.interleaved(pair.low, pair.high)[0]
        writer.give(result, code.as_type(words, after.element.text))
    elif 64 in (before.bits, after.bits) or (before.bits == 1) != (after.bits == 1):
        raise NotLoweredError("LS0602", f"no intrinsics cast `{before.text}` to `{after.text}`")
    elif before.bits == 1:
        writer.give(result, writer.mask(source))
    else:
        writer.give(result, code.as_type(code.register(source), after.element.text))


def layout_cast(writer: Writer, step: Step) -> None:
    """Interleaves that give elements more room or bring them together, as the functionType says."""
    source, result = step.operands[0], step.results[0]
    dist = step.attrs.get("functionType", "none")
    vector = writer.program.vector(result)
    if dist in ("none", "norm"):
        writer.give(result, writer.value(source))
        return
    times, apart = enumerator(step, "functionType", _CASTS)
    code = Code(writer)
    if vector.bits == 64:
        raise missing(step, vector.element.text)
    if vector.bits == 1:
        mask = writer.mask(source)
        writer.give(result, code.spread_mask(mask, times) if apart else code.packed_mask(mask, times))
        return
    data = code.register(source)
    bits = code.bits(data)
    made = code.spread(bits, times) if apart else code.packed(bits, times)
    writer.give(result, code.as_type(made, code.element(data)))


# -- constants --------------------------------------------------------------------------------------------------------

_APART = {"b8": 0, "b8_2vl": 1, "b8_4vl": 2, "b16": 0, "b16_2vl": 1, "b32": 0}
_GRANULES = {"b8": 0, "b16": 1, "b32": 2}


def constant(writer: Writer, step: Step) -> None:
    """A vector constant: one number in all lanes, or as it is written and then spread to its layout."""
    result = step.results[0]
    vector = writer.program.vector(result)
    element = vector.element.text
    code, text = Code(writer), _dense(writer, step)
    listed = text.startswith(("[", '"'))
    if element == "i1" and not listed:
        width = WIDTHS.get(writer.program.layout_of.get(result, ""), 8)
        count = vector.lanes if text in ("true", "1") else 0
        writer.give(result, first_lanes(code, width, min(count, 2048 // width)))
        return
    if not listed and bits_of(element) != 64:
        writer.give(result, code.splat(writer.constant(text, element)))
        return
    if bits_of(element) == 64:
        if listed:
            raise missing(step, element, "constants of 64-bit elements can have one number alone")
        number = int(text, 0)
        code.give_pair(result, pairs.number(code, _word(number), _word(number >> 32)))
        return
    layout = writer.program.layout_of.get(result, "")
    if layout not in _APART:
        message = f"the layout of this constant of type `{vector.text}` is not known"
        raise NotLoweredError("LS0602", message, "`--layouts-from-file` takes it from the vector type")
    made = writer.line(f"arith.constant dense<{text}> : {vector.text}", vector.text)
    if element == "i1":
        writer.give(result, code.spread_mask(writer.cast(made, "vector<256xi1>"), _GRANULES[layout]))
        return
    data = writer.cast(made, register_type(element))
    writer.give(result, code.as_type(code.spread(code.bits(data), _APART[layout]), element))


def _word(number: int) -> int:
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def _dense(writer: Writer, step: Step) -> str:
    """What stands between the angle brackets of a dense constant. Raises `NotLoweredError` for another one."""
    node = writer.program.graph.ops[step.node]
    text = node.op.stream.range_text(node.op.name_token, node.op.last)
    start = text.find("dense<")
    end = text.find(">", start)
    if start < 0 or end < 0:
        raise NotLoweredError("LS0602", "only `dense` constants of vectors can be lowered")
    return text[start + len("dense<") : end].strip()
