"""What random programs hold besides the released analyzer's subset, for comparisons on the hardware model.

Vectors of several lengths beside each other, addresses that are not aligned, branches, loops that do not run, functions
that hand vectors on, constants, operations that were not lowered.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.support import ave_families as families
from tests.support import ave_regions as regions
from tests.support.ave_builder import (
    EFFECTIVE,
    ELEMENTS,
    WIDTHS,
    Builder,
    Op,
    Spec,
    Value,
    dense_state,
    effective_of,
    state_for,
)

_UNALIGNED = "{ave.unaligned_ub_access = #ave.unaligned_ub_access}"
_LENGTHS = (1, 2, 3, 16, 20, 32, 48, 64, 65, 100, 127, 128, 200, 256)
_ODD = {"i1": ("8", "40", "16"), "": ("1", "3", "5", "17", "37")}
_RAW = {
    "i": ("addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui"),
    "f": ("addf", "subf", "mulf", "negf"),
}
_HELPERS = 3


def lengths(b: Builder) -> None:
    """Go on with vectors of another length, cast from what there is, for a few operations, and cast back."""
    lanes, effective = b.lanes, b.effective
    alike = [value for scope in b.scopes for value in scope if value.shape == b.shape and value.elem in WIDTHS]
    b.lanes = b.rng.choice(_LENGTHS)
    kept = [value for value in alike if b.fits(value.elem)]
    for value in b.rng.sample(kept, min(len(kept), b.rng.randint(1, 2))) if b.lanes != lanes else []:
        to = f"vector<{b.shape}{value.elem}>"
        text = f"builtin.unrealized_conversion_cast {value.name} : {value.type} to {to}"
        b.vector(value.elem, value.state, text, [value])
    for _ in range(b.rng.randint(1, 3)):
        b.rng.choice(b.menu)(b)
    made = [value for value in b.scopes[-1] if value.shape == b.shape and value.elem in WIDTHS]
    b.lanes, b.effective = lanes, effective
    if made and b.chance(0.5):
        value = b.rng.choice(made)
        if b.fits(value.elem):
            text = f"builtin.unrealized_conversion_cast {value.name} : {value.type} to vector<{b.shape}{value.elem}>"
            b.vector(value.elem, value.state, text, [value])


def unaligned(b: Builder) -> None:
    """Append a load or a store at an address that is not aligned."""
    pick = b.typed(("i1",) if b.chance(0.25) else ELEMENTS)
    if pick is None:
        return
    elem, state, _ = pick
    access, memref = b.memory(elem, "1d")
    place = b.bound(b.rng.choice(_ODD.get(elem, _ODD[""])))
    access = f"{access.partition('[')[0]}[{place}]"
    if b.chance(0.5):
        made = f"vector<{b.shape}{elem}>"
        b.vector(elem, state, f"ave.hir.vload <NORM> {access} {_UNALIGNED} : {memref} into {made}", [])
        return
    if not b.spend({8: 3, 16: 2, 1: 3}.get(WIDTHS[elem], 1)):
        return
    value, mask = b.data(elem, state), b.mask(effective_of(elem, state))
    text = f"ave.hir.masked_store <NORM_B{max(8, WIDTHS[elem])}> {access}, {mask.name}, {value.name} {_UNALIGNED}"
    b.op([], f"{text} : {memref}, {mask.type}, {value.type}", [mask, value])


def branch(b: Builder) -> None:
    """Append an `scf.if`, with results or without, whose sides store what they compute."""
    if b.depth >= 3:
        return
    taken = [pick for _ in range(b.rng.choice((0, 1, 1, 2))) if (pick := b.typed(_any(b))) is not None]
    condition = b.scalar("i1")
    sides: list[list[Op]] = []
    for _ in range(2):
        b.scopes.append([])
        b.bodies.append([])
        b.depth += 1
        for _ in range(b.rng.randint(0, 2)):
            b.rng.choice(b.menu)(b)
        yielded = [b.data(elem, state) for elem, state, _ in taken]
        for value in yielded:
            value.uses += 1
        b.close()
        b.depth -= 1
        body = b.bodies.pop()
        b.scopes.pop()
        if yielded:
            names, types = (", ".join(part) for part in zip(*((v.name, v.type) for v in yielded), strict=True))
            body.append(Op(f"scf.yield {names} : {types}", [], []))
        sides.append(body)
    results = _results(b, [Spec(elem, b.shape, state) for elem, state, _ in taken])
    head = f"scf.if {condition} {{"
    if results:
        types = ", ".join(value.type for value in results)
        base = results[0].name.partition("#")[0]
        head = f"{base}{f':{len(results)}' if len(results) > 1 else ''} = scf.if {condition} -> ({types}) {{"
    elif b.chance(0.5):
        sides.pop()
    middle = [Op("} else {", [], [], sides[1], "", pinned=True)] if len(sides) > 1 else []
    first = Op(head, [], results, sides[0], "}" if not middle else "", pinned=True)
    b.place(first)
    if middle:
        middle[0].tail = "}"
        b.bodies[-1].extend(middle)


def _results(b: Builder, specs: list[Spec]) -> list[Value]:
    """Results of one operation, which share a name where there are several."""
    if not specs:
        return []
    base = b.fresh()
    many = len(specs) > 1
    return [Value(f"{base}#{at}" if many else base, one.elem, one.shape, one.state) for at, one in enumerate(specs)]


def _any(b: Builder) -> tuple[str, ...]:
    return ("i1",) if b.chance(0.35) else ELEMENTS


def bounded_loop(b: Builder) -> None:
    """Append a loop that runs not at all, once or twice, and carries predicates as readily as data."""
    if b.depth >= 3:
        return
    low, high, step = b.rng.choice((("0", "512", "256"), ("256", "512", "256"), ("256", "0", "256"),
                                    ("0", "0", "256"), ("0", "256", "512"), ("0", "n", "256")))  # fmt: skip
    taken = [pick for _ in range(b.rng.choice((0, 1, 2, 3))) if (pick := b.typed(_any(b))) is not None]
    starts = [b.data(elem, state) for elem, state, _ in taken]
    for start in starts:
        start.uses += 1
    carried = [Value(b.fresh(), start.elem, start.shape, start.state) for start in starts]
    variable = b.fresh()
    head = f"scf.for {variable} = {b.bound(low)} to {b.bound(high)} step {b.bound(step)}"
    b.scopes.append(list(carried))
    b.bodies.append([])
    b.depth += 1
    b.indices.append(variable)
    for _ in range(b.rng.randint(1, 3)):
        b.rng.choice(b.menu)(b)
    yielded = [_following(b, value) for value in carried]
    for value in yielded:
        value.uses += 1
    b.close()
    b.depth -= 1
    b.indices.pop()
    body = b.bodies.pop()
    b.scopes.pop()
    results = _results(b, [Spec(value.elem, value.shape, value.state) for value in carried])
    if results:
        inits = ", ".join(f"{value.name} = {start.name}" for value, start in zip(carried, starts, strict=True))
        types = ", ".join(value.type for value in carried)
        body.append(Op(f"scf.yield {', '.join(value.name for value in yielded)} : {types}", [], []))
        base = results[0].name.partition("#")[0]
        count = f":{len(results)}" if len(results) > 1 else ""
        head = f"{base}{count} = {head} iter_args({inits}) -> ({types})"
    for start in starts:
        start.uses -= 1
    b.place(Op(f"{head} {{", starts, results, body, "}", pinned=True))


def _following(b: Builder, carried: Value) -> Value:
    """What a loop hands to its next round: something of the type, in scope anywhere."""
    alike = [v for scope in b.scopes for v in scope if v.type == carried.type and v.state == carried.state]
    return b.rng.choice(alike) if alike and b.chance(0.8) else carried


def argument(b: Builder) -> None:
    """Add a vector argument, sometimes a whole predicate register."""
    pick = b.typed(_any(b))
    if pick is None:
        return
    elem, state, eff = pick
    whole = elem == "i1" and b.chance(0.5)
    value = Value(b.fresh(), elem, "256x" if whole else b.shape, state)
    b.args.append(f"{value.name}: {value.type}")
    b.scopes[0].append(value)
    data = b.typed(ELEMENTS, eff) if whole else None
    if data is None or not b.spend(3):
        return
    held = b.data(data[0], data[1])
    access, memref = b.memory(held.elem)
    text = f"ave.hir.masked_store <NORM_B{max(8, WIDTHS[held.elem])}> {access}, {value.name}, {held.name}"
    b.op([], f"{text} : {memref}, {value.type}, {held.type}", [value, held])


def local_call(b: Builder) -> None:
    """Append a call of a function of the module that computes with its vectors, and may call another one."""
    pick = b.typed([elem for elem in ELEMENTS if elem != "i64"])
    if pick is None or b.lanes not in (32, 64, 128, 256):
        return
    elem, state, eff = pick
    level = b.rng.randrange(_HELPERS)
    for depth in range(level + 1):
        text = _helper(b, elem, depth)
        if text not in b.declarations:
            b.declarations.append(text)
    value, mask = b.data(elem, state), b.mask(eff, plain=True)
    types = f"{value.type}, {mask.type}"
    name = f"@local_{b.lanes}_{elem}_{level}"
    made = f"vector<{b.shape}{elem}>"
    b.vector(elem, state, f"func.call {name}({value.name}, {mask.name}) : ({types}) -> {made}", [value, mask])


def _helper(b: Builder, elem: str, level: int) -> str:
    """A function that adds a vector to itself under a mask, or hands it to the one below."""
    type_, mask = f"vector<{b.shape}{elem}>", f"vector<{b.shape}i1>"
    head = f"func.func @local_{b.lanes}_{elem}_{level}(%v: {type_}, %m: {mask}) -> {type_} {{"
    lines = ["%r = ave.hir.vmax %v, %v, %m"]
    lines[0] += f" : {type_}, {mask}"
    if level:
        below = f"@local_{b.lanes}_{elem}_{level - 1}"
        lines = [
            f"%p = ave.hir.preg.not <b8> %m, %m : {mask}",
            f"%s = func.call {below}(%v, %m) : ({type_}, {mask}) -> {type_}",
            f"%r = ave.hir.vsel %p, %s, %v : {mask}, {type_}",
        ]
    return "\n".join([head, *(f"  {line}" for line in lines), f"  return %r : {type_}", "}"])


def constant(b: Builder) -> None:
    """Append a vector constant of one value or of many."""
    pick = b.typed(("i32", "f32", "i16", "f16", "i8", "bf16", "i1"))
    if pick is None:
        return
    elem, state, _ = pick
    many = b.chance(0.6) and b.lanes > 1
    literal = f"[{', '.join(_literal(elem, k) for k in range(b.lanes))}]" if many else _literal(elem, 3)
    b.vector(elem, state, f"arith.constant dense<{literal}> : vector<{b.shape}{elem}>", [])


def _literal(elem: str, number: int) -> str:
    if elem == "i1":
        return "false" if number * number % 3 == 1 else "true"
    return str(number % 100 - 50) if elem[0] == "i" else f"{number}.{'5' if elem[0] == 'f' else '0'}"


def raw(b: Builder) -> None:
    """Append an operation of another dialect on vectors."""
    pick = b.typed(("i32", "i16", "i8", "f32", "f16"))
    if pick is None:
        return
    elem, state, _ = pick
    name = b.rng.choice(_RAW[elem[0]])
    values = [b.data(elem, state) for _ in range(1 if name == "negf" else 2)]
    text = f"arith.{name} {', '.join(value.name for value in values)} : {values[0].type}"
    b.vector(elem, state, text, values)


def element(b: Builder) -> None:
    """Append a scalar that goes from memory into all lanes, or from the first lane of a vector into memory."""
    elem = b.rng.choice(("i32", "f32", "i16", "f16", "i8"))
    if not b.fits(elem):
        return
    access, memref = b.memory(elem)
    if b.chance(0.6):
        state = state_for(elem, b.eff()) or dense_state(elem)
        one = b.op([Spec(elem, "scalar", None)], f"memref.load {access} : {memref}", [])[0]
        b.vector(elem, state, f"ave.hir.scalar_broadcast {one.name} : {elem} -> vector<{b.shape}{elem}>", [])
        return
    b.op([], f"memref.store {b.scalar(elem)}, {access} : {memref}", [])


def rest(b: Builder) -> None:
    """Append a `plt` whose rest a second one counts on from."""
    eff = b.eff()
    specs = [Spec("i1", b.shape, eff), Spec("index", "scalar", None)]
    count = b.bound(b.rng.choice(("n", "16", "96", "128")))
    kind = f"vector<{b.shape}i1>, index"
    _, left = b.op(specs, f"ave.hir.plt {count} : {kind}", [])
    b.op(specs, f"ave.hir.plt {left.name} : {kind}", [left])


def stated(b: Builder) -> None:
    """Append casts that state a layout of a value: into it and out of it again."""
    pick = b.typed(_any(b))
    if pick is None or pick[0] == "i64":
        return
    elem, state, _ = pick
    value = b.data(elem, state)
    layout = b.rng.choice([made for eff in EFFECTIVE if (made := state_for(elem, eff))]) if b.slip() else state
    kind = f"vector<{b.shape}{elem}, #ave.vector_layout<{{mem = #ave.vec_mem_type<{layout}>}}>>"
    into = b.fresh()
    text = f"ave.hir.vector.layout_cast {value.name} : {value.type} -> {kind}"
    b.place(Op(f"{into} = {text}", [value], []))
    b.vector(elem, state, f"ave.hir.vector.layout_cast {into} : {kind} -> {value.type}", [])
    owner = b.scopes[-1][-1].owner
    if owner is not None:
        owner.pinned = True


def widths(b: Builder) -> None:
    """Append a bitcast between vectors of other element widths, and one back."""
    pick = b.typed(("i32", "f32", "i16", "f16", "i8"))
    if pick is None:
        return
    elem, state, _ = pick
    value = b.data(elem, state)
    other = b.rng.choice([name for name in ("i32", "i16", "i8") if WIDTHS[name] != WIDTHS[elem]])
    bits = b.lanes * WIDTHS[elem]
    if bits % WIDTHS[other]:
        return
    middle = Spec(other, f"{bits // WIDTHS[other]}x", dense_state(other))
    kind = f"vector<{middle.shape}{other}>"
    one = b.op([middle], f"vector.bitcast {value.name} : {value.type} to {kind}", [value])[0]
    b.vector(elem, state, f"vector.bitcast {one.name} : {kind} to {value.type}", [one])


def distributed(b: Builder) -> None:
    """Append a load or a store whose distribution spreads, packs or deals out elements."""
    elem = b.rng.choice(("i8", "i8", "f8E4M3FN", "i16", "f16", "i32"))
    if not b.fits(elem):
        return
    wide = {8: (("UNPK_B8", "PK_B16", "b16"), ("UNPK4_B8", "PK4_B32", "b32")), 16: (("UNPK_B16", "PK_B32", "b32"),)}
    access, memref = b.memory(elem)
    kind, width = f"vector<{b.shape}{elem}>", WIDTHS[elem]
    if b.chance(0.3):
        known = {8: ("BLK", "US_B8", "DS_B8"), 16: ("BLK", "US_B16", "DS_B16", "E2B_B16")}
        dist = b.rng.choice(known.get(width, ("BLK", "E2B_B32")))
        text = f"ave.hir.vload <{dist}> {access} : {memref} into {kind}"
        b.vector(elem, dense_state(elem), text, [])
        return
    if b.chance(0.3) or width not in wide:
        spec = Spec(elem, b.shape, dense_state(elem))
        b.op([spec, spec], f"ave.hir.vload <DINTLV_B{width}> {access} : {memref} into {kind}, {kind}", [])
        return
    load, store, eff = b.rng.choice(wide[width])
    state = state_for(elem, eff) or dense_state(elem)
    if b.chance(0.5):
        b.vector(elem, state, f"ave.hir.vload <{load}> {access} : {memref} into {kind}", [])
        return
    value, mask = b.data(elem, state), b.mask(eff)
    text = f"ave.hir.masked_store <{store}> {access}, {mask.name}, {value.name}"
    b.op([], f"{text} : {memref}, {mask.type}, {value.type}", [mask, value])


def predicates(b: Builder) -> None:
    """Append a choice between predicates, or one that a function of the module makes, and logic of no width."""
    eff, kind = b.eff(), f"vector<{b.shape}i1>"
    first, second = (b.mask(eff, plain=True) for _ in range(2))
    if b.chance(0.4):
        made = b.vector("i1", eff, f"ave.hir.vsel {first.name}, {second.name}, {first.name} : {kind}, {kind}",
                        [first, second])  # fmt: skip
    else:
        name = f"@both_{b.lanes}"
        text = f"""func.func {name}(%p: {kind}, %q: {kind}) -> {kind} {{
  %r = ave.hir.preg.or <undef> %p, %q, %p : {kind}
  return %r : {kind}
}}"""
        if text not in b.declarations:
            b.declarations.append(text)
        made = b.vector("i1", eff, f"func.call {name}({first.name}, {second.name}) : ({kind}, {kind}) -> {kind}",
                        [first, second])  # fmt: skip
    op = b.rng.choice(("and", "or", "xor", "not"))
    read = [made, second] if op == "not" else [made, first, second]
    b.vector("i1", eff, f"ave.hir.preg.{op} <undef> {', '.join(value.name for value in read)} : {kind}", read)


def gather_long(b: Builder) -> None:
    """Append a gather of 64-bit elements, or of others by numbers of another kind of operation than a ramp."""
    if not b.fits("i64") or not b.fits("i32"):
        return
    elem = b.rng.choice(("i64", "i32", "f32"))
    mask, index = b.mask("b32"), b.data("i32", "b32")
    seven = b.vector("i32", "b32", f"ave.hir.scalar_broadcast {b.scalar('i32')} : i32 -> vector<{b.shape}i32>", [])
    near = b.vector("i32", "b32", f"ave.hir.vand {index.name}, {seven.name}, {mask.name} : {index.type}, {mask.type}",
                    [index, seven, mask])  # fmt: skip
    access, memref = b.memory(elem)
    text = f"ave.hir.vgather {access} [{near.name}], {mask.name} : {memref}, {near.type}, {mask.type}"
    b.vector(elem, "b32", f"{text} into vector<{b.shape}{elem}>", [near, mask])


def one_of(b: Builder) -> None:
    """Append a comparison of the lanes that a first one left, and a selection by it."""
    pick = b.typed(ELEMENTS)
    if pick is None:
        return
    elem, state, eff = pick
    first, second, mask = b.data(elem, state), b.data(elem, state), b.mask(eff)
    for _ in range(2):
        text = f"ave.hir.vcmp <{b.rng.choice(('LT', 'NE', 'UGE'))}> {first.name}, {second.name}, {mask.name}"
        kind = f"vector<{b.shape}i1>"
        mask = b.vector("i1", eff, f"{text} : {first.type}, {mask.type} -> {kind}", [first, second, mask])
    b.vector(elem, state, f"ave.hir.vsel {mask.name}, {first.name}, {second.name} : {mask.type}, {first.type}",
             [mask, first, second])  # fmt: skip


WIDE: tuple[tuple[int, Callable[[Builder], None]], ...] = (
    (8, lengths), (5, unaligned), (4, branch), (5, bounded_loop), (3, argument), (3, local_call), (3, constant),
    (3, raw), (2, element), (2, rest), (2, stated), (2, widths), (2, one_of), (3, distributed),
    (3, predicates), (1, gather_long), (2, regions.scatter),
    (3, regions.unaligned_store), (1, regions.bare_layout_cast), (1, regions.scalar_hop), (1, regions.call_helper),
    (4, families.predicate), (4, families.interleave), (3, families.gather), (3, families.reduction),
)  # fmt: skip
"""The further families, each with its weight."""
