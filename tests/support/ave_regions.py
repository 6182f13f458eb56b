"""Loops, and the constructs of real inputs that upstream never or hardly ever solves, for random programs."""

from __future__ import annotations

from tests.support.ave_builder import (
    EFFECTIVE,
    ELEMENTS,
    UB,
    WIDTHS,
    Builder,
    Op,
    Spec,
    Value,
    effective_of,
    state_for,
)


def loop(b: Builder) -> None:
    """Append an scf.for with vector iter_args, sometimes with none or with a scalar next to them."""
    if b.depth >= 2:
        return
    count = b.rng.choice((1, 1, 1, 2, 0))
    taken: list[tuple[str, str]] = []
    for _ in range(count):
        pick = b.typed(("i1",) if b.chance(0.1) else ELEMENTS)
        if pick is not None:
            taken.append((pick[0], pick[1]))
    starts = [b.data(elem, state) for elem, state in taken]
    carried = [
        Value(b.fresh(), start.elem, start.shape, state) for start, (_, state) in zip(starts, taken, strict=True)
    ]
    scalar = b.chance(0.015)
    variable, integer = b.fresh(), b.chance(0.1)
    if integer:
        low, high, step = b.scalar("i32"), b.scalar("i32"), b.scalar("i32")
    else:
        low, high, step = (
            b.bound("0"),
            b.bound(b.rng.choice(("n", "16", "256"))),
            b.bound(b.rng.choice(("1", "64"))),
        )
    names = [(value.name, start.name, value.type) for value, start in zip(carried, starts, strict=True)]
    if scalar:
        names.append((b.fresh(), b.scalar("f32"), "f32"))
    head = f"scf.for {variable} = {low} to {high} step {step}"
    tail = " : i32 {" if integer else " {"
    for start in starts:
        start.uses += 1
    b.scopes.append(list(carried))
    b.bodies.append([])
    b.depth += 1
    b.indices += [] if integer else [variable]
    for _ in range(b.rng.randint(1, 3)):
        b.rng.choice(b.menu)(b)
    yielded = [_next_value(b, value) for value in carried]
    for value in yielded:
        value.uses += 1
    b.close()
    b.depth -= 1
    if not integer:
        b.indices.pop()
    body = b.bodies.pop()
    b.scopes.pop()
    results: list[Value] = []
    if names:
        inits = ", ".join(f"{name} = {start}" for name, start, _ in names)
        types = ", ".join(kind for _, _, kind in names)
        given = ", ".join([value.name for value in yielded] + [name for name, _, _ in names[len(yielded) :]])
        body.append(Op(f"scf.yield {given} : {types}", [], []))
        base = b.fresh()
        many = len(names) > 1
        results = [
            Value(f"{base}#{at}" if many else base, value.elem, value.shape, value.state)
            for at, value in enumerate(carried)
        ]
        head = f"{base}{f':{len(names)}' if many else ''} = {head} iter_args({inits}) -> ({types})"
    for start in starts:
        start.uses -= 1
    for value in results:
        others = [eff for eff in EFFECTIVE if state_for(value.elem, eff) not in (None, value.state)]
        if others and b.slip():
            value.state = state_for(value.elem, b.rng.choice(others))
    b.place(Op(head + tail, starts, results, body, "}", pinned=True))


def _next_value(b: Builder, carried: Value) -> Value:
    """Return what the loop yields for an iter_arg: a value of the body, or at times the iter_arg itself."""
    own = [v for v in b.scopes[-1] if v.type == carried.type and v is not carried and v.owner is not None]
    slip = b.slip()
    own = [v for v in own if slip or v.state == carried.state]
    if own:
        return b.rng.choice([v for v in own if not v.uses] or own)
    if b.chance(0.1) or carried.elem == "i1":
        return carried
    state = carried.state or "b32"
    other, mask = b.data(carried.elem, state), b.mask(effective_of(carried.elem, state))
    text = f"ave.hir.vadd {carried.name}, {other.name}, {mask.name} : {carried.type}, {mask.type}"
    return b.vector(carried.elem, state, text, [carried, other, mask])


def _any_data(b: Builder) -> Value | None:
    """Return some data operand with a state that its type has, or None."""
    pick = b.typed(ELEMENTS)
    return None if pick is None else b.data(pick[0], pick[1])


def unaligned_store(b: Builder) -> None:
    """Append an unaligned.masked.store, which has no rule upstream."""
    value = _any_data(b)
    if value is None or value.elem == "f8E5M2":
        return
    mask = b.mask(effective_of(value.elem, value.state or "b32"))
    access, memref = b.memory(value.elem)
    text = f"ave.hir.unaligned.masked.store {access}, {mask.name}, {value.name}"
    b.op([], f"{text} : {memref}, {mask.type}, {value.type}", [mask, value])


def scatter(b: Builder) -> None:
    """Append a vscatter, which has no rule upstream."""
    value = _any_data(b)
    if value is None:
        return
    mask = b.mask(effective_of(value.elem, value.state or "b32"))
    access, memref = b.memory(value.elem)
    name, kind = b.fresh(), f"vector<{b.shape}index>"
    b.args.append(f"{name}: {kind}")
    text = f"ave.hir.vscatter {access} [{name}], {mask.name}, {value.name}"
    b.op([], f"{text} : {memref}, {kind}, {mask.type}, {value.type}", [mask, value])


def constant(b: Builder) -> None:
    """Append a vector constant, which upstream solves and then rejects."""
    pick = b.typed(("i32", "f32", "i16", "f16", "i8", "i1"))
    if pick is None:
        return
    elem, state, _ = pick
    literal = "true" if elem == "i1" else "1.0" if elem[0] == "f" else "7"
    b.vector(elem, state, f"arith.constant dense<{literal}> : vector<{b.shape}{elem}>", [])


def bare_layout_cast(b: Builder) -> None:
    """Append a layout_cast whose types carry no layout, which states nothing."""
    value = _any_data(b)
    if value is None:
        return
    text = f"ave.hir.vector.layout_cast {value.name} : {value.type} -> {value.type}"
    b.vector(value.elem, value.state, text, [value])


def scalar_hop(b: Builder) -> None:
    """Append casts from a one-lane vector to a scalar and on to a one-lane vector, which is then stored."""
    elem = b.rng.choice(("i32", "f32", "f16", "i8"))
    state = {"f16": "b16", "i8": "b8"}.get(elem, "b32")
    shape = b.rng.choice(("1x", ""))
    access, memref = b.memory(elem)
    kind = f"vector<{shape}{elem}>"
    spec = Spec(elem, shape, state)
    start = b.op([spec], f"ave.hir.vload <NORM> {access} : {memref} into {kind}", [])[0]
    flat = b.op(
        [Spec(elem, "scalar", state)],
        f"builtin.unrealized_conversion_cast {start.name} : {kind} to {elem}",
        [start],
    )[0]
    if b.chance(0.25):
        other = "addf" if elem[0] == "f" else "addi"
        flat = b.op([Spec(elem, "scalar", state)], f"arith.{other} {flat.name}, {b.scalar(elem)} : {elem}", [flat])[0]
    made = b.op([spec], f"builtin.unrealized_conversion_cast {flat.name} : {elem} to {kind}", [flat])[0]
    mask = b.op([Spec("i1", "1x", state)], "ave.hir.pge <VL1> : vector<1xi1>", [])[0]
    access, memref = b.memory(elem)
    dist = f"ONEPT_B{ {'f16': 16, 'i8': 8}.get(elem, 32) }"
    text = f"ave.hir.masked_store <{dist}> {access}, {mask.name}, {made.name}"
    b.op([], f"{text} : {memref}, {mask.type}, {made.type}", [mask, made])


def vector_argument(b: Builder) -> None:
    """Add a vector argument, and an op without a same-type rule that reads it."""
    pick = b.typed(("i1",) if b.chance(0.4) else ELEMENTS)
    if pick is None:
        return
    elem, state, _ = pick
    value = Value(b.fresh(), elem, b.shape, state)
    b.args.append(f"{value.name}: {value.type}")
    b.scopes[0].append(value)
    if b.spend(3):
        b.store(value)


def call_helper(b: Builder) -> None:
    """Append a call of a function defined in the same module, which stores its vector argument."""
    pick = b.typed(("f32", "i32", "f16", "i8"))
    if pick is None:
        return
    elem, state, _ = pick
    value = b.data(elem, state)
    width = WIDTHS[elem]
    name, memref = f"@help_{b.lanes}_{elem}", f"memref<1024x{elem}, {UB}>"
    text = f"""func.func {name}(%v: {value.type}, %to: {memref}) attributes {{hivm.vector_function}} {{
  %zero = arith.constant 0 : index
  %all = ave.hir.pge <ALL> : vector<{b.shape}i1>
  ave.hir.masked_store <NORM_B{width}> %to[%zero], %all, %v : {memref}, vector<{b.shape}i1>, {value.type}
  return
}}"""
    if text not in b.declarations:
        b.declarations.append(text)
    base = f"%buf{len(b.args)}"
    b.args.append(f"{base}: {memref}")
    b.op([], f"func.call {name}({value.name}, {base}) : ({value.type}, {memref}) -> ()", [value])


def newest(b: Builder) -> Value | None:
    """Return the last vector made in the function's own block, for the function to return."""
    return next((value for value in reversed(b.scopes[0]) if value.state and value.shape == b.shape), None)
