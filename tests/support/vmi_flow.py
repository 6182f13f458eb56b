"""Control flow of random kernels: loops that carry masks, ways that join, `while`, calls with several returns."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.vmi_masks import any_mask, is_number, like, mask_type, pointer, result_of
from tests.support.vmi_programs import STEPS, Vector, Writer
from tests.support.vmi_steps import PLAIN


def _within(writer: Writer, start: Vector, steps: int) -> Vector:
    """Some steps, and a value of that type behind them."""
    for _ in range(steps):
        writer.rng.choice((*PLAIN, *STEPS[:6]))(writer)
    found = [vector for vector in writer.scope if vector.type == start.type]
    return found[-1] if writer.rng.random() < 0.7 else writer.rng.choice(found)


def _carried(writer: Writer) -> int:
    """A loop, perhaps of unknown length, that carries a vector and a mask."""
    start = writer.pick(is_number)
    if start is None or writer.depth > 3:
        return 0
    rng, m, result = writer.rng, mask_type(start.lanes), result_of(writer, start)
    first, carried, held = any_mask(writer, start.lanes), writer.fresh("carried"), writer.fresh("held")
    last, index = writer.fresh("m"), writer.fresh("i")
    bound = rng.choice(("%c2", "%n", "%c4", "%c0"))
    writer.put(f"{result.name}, {last} = scf.for {index} = %c0 to {bound} step %c1 iter_args({carried} = {start.name}, "
               f"{held} = {first}) -> ({start.type}, {m}) {{")  # fmt: skip
    outer = list(writer.scope)
    writer.depth += 1
    writer.add(Vector(carried, start.lanes, start.element))
    chosen = result_of(writer, start)
    value = _within(writer, start, rng.randint(1, 2))
    writer.put(
        f"{chosen.name} = pto.vmi.vsel {held}, {value.name}, {carried} : "
        f"{m}, {start.type}, {start.type} -> {start.type}"
    )
    following = held if rng.random() < 0.3 else any_mask(writer, start.lanes)
    writer.put(f"scf.yield {chosen.name}, {following} : {start.type}, {m}")
    writer.depth -= 1
    writer.put("}")
    writer.scope[:] = [*outer, result]
    if rng.random() < 0.5:
        target = writer.buffer(start.element, fresh=True)
        writer.put(f"pto.vmi.vstore {result.name}, {target}[%c0], {last} : {start.type}, {pointer(start.element)}, {m}")
    return 4


def _branch(writer: Writer) -> int:
    """Two or three ways that yield a vector and a mask."""
    start = writer.pick(is_number)
    if start is None or writer.depth > 3:
        return 0
    result, mask, m = result_of(writer, start), writer.fresh("m"), mask_type(start.lanes)
    outer = list(writer.scope)
    switch = writer.rng.random() < 0.4
    if switch:
        writer.put(f"{result.name}, {mask} = scf.index_switch %which -> {start.type}, {m}")
        heads = ["case 0 {", "case 1 {", "default {"]
    else:
        writer.put(f"{result.name}, {mask} = scf.if %flag -> ({start.type}, {m}) {{")
        heads = ["", "} else {"]
    for number, head in enumerate(heads):
        if head:
            writer.put(head)
        writer.depth += 1
        value = _within(writer, start, writer.rng.randint(0, 2))
        chosen = any_mask(writer, start.lanes)
        writer.put(f"scf.yield {value.name}, {chosen} : {start.type}, {m}")
        writer.depth -= 1
        writer.scope[:] = outer
        if switch or number == len(heads) - 1:
            writer.put("}")
    writer.add(result)
    target = writer.buffer(start.element, fresh=True)
    writer.put(f"pto.vmi.vstore {result.name}, {target}[%c0], {mask} : {start.type}, {pointer(start.element)}, {m}")
    return 4


def _while(writer: Writer) -> int:
    start = writer.pick(is_number)
    if start is None or writer.depth > 3:
        return 0
    result, count, v, i = result_of(writer, start), writer.fresh("count"), writer.fresh("v"), writer.fresh("i")
    more, w, j, t = writer.fresh("more"), writer.fresh("w"), writer.fresh("j"), start.type
    outer = list(writer.scope)
    writer.put(f"{result.name}, {count} = scf.while ({v} = {start.name}, {i} = %c0) : ({t}, index) -> ({t}, index) {{")
    writer.depth += 1
    writer.add(Vector(v, start.lanes, start.element))
    first = _within(writer, start, writer.rng.randint(0, 1))
    writer.put(f"{more} = arith.cmpi slt, {i}, %c2 : index")
    writer.put(f"scf.condition({more}) {first.name}, {i} : {t}, index")
    writer.depth -= 1
    writer.put("} do {")
    writer.scope[:] = outer
    writer.put(f"^bb0({w}: {t}, {j}: index):")
    writer.depth += 1
    writer.add(Vector(w, start.lanes, start.element))
    second = _within(writer, start, writer.rng.randint(0, 2))
    following = writer.fresh("j")
    writer.put(f"{following} = arith.addi {j}, %c1 : index")
    writer.put(f"scf.yield {second.name}, {following} : {t}, index")
    writer.depth -= 1
    writer.put("}")
    writer.scope[:] = [*outer, result]
    return 3


def _scalar_free(writer: Writer) -> None:
    """A step that takes nothing but vectors."""
    source = writer.rng.choice(writer.scope)
    other, result = like(writer, source), result_of(writer, source)
    op = writer.rng.choice(("vadd", "vmax", "vmin", "vsub"))
    writer.put(
        f"{result.name} = pto.vmi.{op} {source.name}, {other.name} : {source.type}, {source.type} -> {source.type}"
    )
    writer.add(result)


def _call(writer: Writer) -> int:
    """A private function, called once or twice, that returns one of two values from two places."""
    start = writer.pick(is_number)
    if start is None:
        return 0
    other, t, name = like(writer, start), start.type, f"@part{len(writer.functions)}"
    inner = Writer(writer.rng, names=writer.names)
    a, b = Vector(inner.fresh("a"), start.lanes, start.element), Vector(inner.fresh("b"), start.lanes, start.element)
    inner.scope, inner.depth = [a, b], 2
    for step in (_scalar_free, _scalar_free):
        step(inner)
    first = inner.scope[-1]
    second = inner.scope[writer.rng.randrange(len(inner.scope))]
    if writer.rng.random() < 0.4:
        body = [*inner.lines, "    cf.cond_br %way, ^one, ^two", "  ^one:", f"    return {first.name} : {t}", "  ^two:",
                f"    return {second.name} : {t}"]  # fmt: skip
    else:
        body = [*inner.lines, f"    return {first.name} : {t}"]
    writer.names = inner.names
    writer.functions.append("\n".join([f"  func.func private {name}({a.name}: {t}, {b.name}: {t}, %way: i1) -> {t} {{",
                                       *body, "  }"]))  # fmt: skip
    for pair in ((start, other), (other, start))[: writer.rng.randint(1, 2)]:
        result = result_of(writer, start)
        writer.put(f"{result.name} = func.call {name}({pair[0].name}, {pair[1].name}, %flag) : ({t}, {t}, i1) -> {t}")
        writer.add(result)
    return 3


FLOW: tuple[Callable[[Writer], int], ...] = (_carried, _branch, _while, _call)
