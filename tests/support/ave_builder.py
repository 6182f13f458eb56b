"""State of a half-built random `ave.hir` program: values, scopes, operand picking, clean-up and text.

Every value carries the layout state its builder *plans* for it. While only operands with the planned states
are picked, the plan is a solution and the program has a layout; `noise` is the chance of an operand picked by
type alone, which is how programs without a layout come about.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

WIDTHS = {
    "i8": 8, "f8E4M3FN": 8, "f8E5M2": 8, "i16": 16, "f16": 16, "bf16": 16,
    "i32": 32, "f32": 32, "i64": 64, "i1": 1, "ui8": 8, "ui16": 16, "ui32": 32,
    "si8": 8, "si16": 16, "si32": 32, "index": 0,
}  # fmt: skip
ELEMENTS = ("i32", "f32", "i16", "f16", "i8", "bf16", "f8E4M3FN", "f8E5M2", "i64")
EFFECTIVE = ("b32", "b16", "b8")
UB = "#hivm.address_space<ub>"
_STATES = {
    (1, "b8"): "b8", (1, "b16"): "b16", (1, "b32"): "b32",
    (8, "b8"): "b8", (8, "b16"): "b8_2vl", (8, "b32"): "b8_4vl",
    (16, "b16"): "b16", (16, "b32"): "b16_2vl", (32, "b32"): "b32", (64, "b32"): "b32",
}  # fmt: skip
_DENSE = {1: "b8", 8: "b8", 16: "b16", 32: "b32", 64: "b32"}
_CHOICES = {1: 3, 8: 3, 16: 2}
_WORDS = ("x", "acc", "mask", "lo", "hi", "tmp", "v.a", "q_1", "res", "k$0")
_PGE = (
    "ALL",
    "VL1",
    "VL2",
    "VL3",
    "VL4",
    "VL8",
    "VL16",
    "VL32",
    "VL64",
    "VL128",
    "M3",
    "M4",
    "H",
    "Q",
    "ALLF",
)
_NOTES = ("// stage", "// %0 is not a use", "//", "// func.func @no { }", '// a "quote"')
BUDGET = 400


def state_for(elem: str, effective: str) -> str | None:
    """Return the state of element type `elem` whose effective width is `effective`, None if there is none."""
    return _STATES.get((WIDTHS[elem], effective))


def dense_state(elem: str) -> str:
    """Return the state of `elem` without gaps."""
    return _DENSE[WIDTHS[elem]]


def effective_of(elem: str, state: str) -> str:
    """Return the mask state that goes with data of type `elem` in `state`."""
    width = WIDTHS[elem]
    return next(eff for eff in EFFECTIVE if _STATES.get((width, eff)) == state)


@dataclass(slots=True)
class Op:
    """One op: its lines, the names it reads, its results, and its region for a loop."""

    head: str
    reads: list[Value]
    results: list[Value]
    body: list[Op] | None = None
    tail: str = ""
    pinned: bool = False


@dataclass(slots=True, eq=False)
class Value:
    """One SSA value with its type and planned state (None for a scalar)."""

    name: str
    elem: str
    shape: str
    state: str | None
    uses: int = 0
    owner: Op | None = None

    @property
    def type(self) -> str:
        """Return the type text."""
        return self.elem if self.shape == "scalar" else f"vector<{self.shape}{self.elem}>"


@dataclass(frozen=True, slots=True)
class Spec:
    """Type and planned state of a result to be made."""

    elem: str
    shape: str
    state: str | None


@dataclass(slots=True)
class Builder:
    """A function under construction."""

    rng: random.Random
    lanes: int
    effective: str
    noise: float
    menu: Sequence[Callable[[Builder], None]]
    palette: frozenset[str]
    counter: int = 0
    cost: int = 1
    depth: int = 0
    args: list[str] = field(default_factory=list)
    prologue: list[str] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)
    scopes: list[list[Value]] = field(default_factory=lambda: [[]])
    bodies: list[list[Op]] = field(default_factory=lambda: [[]])
    indices: list[str] = field(default_factory=list)
    declarations: list[str] = field(default_factory=list)

    # --- draws ---
    def chance(self, probability: float) -> bool:
        """Return True with the given probability; the smallest draw gives False."""
        return probability > 0 and self.rng.randrange(1000) >= 1000 - round(1000 * probability)

    def slip(self) -> bool:
        """Return whether the next operand is picked by type alone."""
        return self.chance(self.noise)

    def eff(self) -> str:
        """Return the effective width for the next group of ops, mostly the function's own."""
        return self.rng.choice(EFFECTIVE) if self.chance(0.5 if self.noise else 0.2) else self.effective

    # --- types ---
    @property
    def shape(self) -> str:
        """Return the shape prefix of the function's vectors."""
        return f"{self.lanes}x"

    def fits(self, elem: str) -> bool:
        """Return whether the op verifier takes the function's lane count for `elem`."""
        width = WIDTHS[elem]
        return width == 1 or self.lanes * width <= (4096 if width == 64 else 2048)

    def typed(self, elems: Sequence[str], eff: str | None = None) -> tuple[str, str, str] | None:
        """Return a legal (element type, state, effective width), keeping to `eff` if any element allows it.

        The element types of the function's palette come first.
        """
        first = eff or self.eff()
        if not self.chance(0.15):
            elems = [elem for elem in elems if elem in self.palette] or elems
        for width in (first, *EFFECTIVE):
            legal = [elem for elem in elems if self.fits(elem) and state_for(elem, width)]
            if legal:
                elem = self.rng.choice(legal)
                return elem, _STATES[WIDTHS[elem], width], width
        return None

    # --- emission ---
    def fresh(self) -> str:
        """Return a new SSA name, a number or a word."""
        self.counter += 1
        word = self.rng.choice(_WORDS) if self.chance(0.35) else ""
        return f"%{word}{'_' if word else ''}{self.counter}"

    def op(self, specs: Sequence[Spec], text: str, reads: Sequence[Value]) -> list[Value]:
        """Append an op and return its results; `text` is what follows the result list."""
        results = [Value(self.fresh(), spec.elem, spec.shape, spec.state) for spec in specs]
        names = ", ".join(value.name for value in results)
        note = f"  {self.rng.choice(_NOTES)}" if self.chance(0.03) else ""
        item = Op(f"{names} = {text}{note}" if names else f"{text}{note}", list(reads), results)
        self.place(item)
        return results

    def vector(self, elem: str, state: str | None, text: str, reads: Sequence[Value]) -> Value:
        """Append an op with one result of the function's shape and return the result."""
        return self.op([Spec(elem, self.shape, state)], text, reads)[0]

    def place(self, item: Op) -> None:
        """Append a finished op and make its results visible."""
        for value in item.reads:
            value.uses += 1
        for value in item.results:
            value.owner = item
        self.bodies[-1].append(item)
        self.scopes[-1].extend(item.results)

    # --- scalars and memory ---
    def scalar(self, elem: str) -> str:
        """Return the name of a scalar of type `elem`: a constant or an argument."""
        key = f"scalar {elem}"
        if key not in self.known:
            name = f"%s_{elem}"
            if elem.startswith("f8") or elem[0] in "us" or self.chance(0.3):
                self.args.append(f"{name}: {elem}")
            else:
                literal = "1.0" if elem[0] in "fb" else "true" if elem == "i1" else "3"
                typed = f"{literal}" if elem == "i1" else f"{literal} : {elem}"
                self.prologue.append(f"{name} = arith.constant {typed}")
            self.known[key] = name
        return self.known[key]

    def index(self) -> str:
        """Return the name of an index: a loop variable, an argument or a constant."""
        if self.indices and self.chance(0.5):
            return self.indices[-1]
        return self.bound("0")

    def bound(self, value: str) -> str:
        """Return the name of an index constant, or of the index argument for `value` "n"."""
        name = "%n" if value == "n" else f"%c{value}"
        if name not in self.known:
            self.known[name] = name
            if value == "n":
                self.args.append("%n: index")
            else:
                self.prologue.append(f"{name} = arith.constant {value} : index")
        return name

    def memory(self, elem: str, kind: str = "") -> tuple[str, str]:
        """Return an access (base with indices, memref type) of `elem`, of the given kind if any."""
        kind = kind or self.rng.choice(("1d", "1d", "1d", "2d", "strided"))
        key = f"{kind} {elem}"
        shape = {"1d": f"memref<1024x{elem}, {UB}>", "2d": f"memref<4x256x{elem}, {UB}>"}.get(
            kind, f"memref<1024x{elem}, strided<[1], offset: ?>, {UB}>"
        )
        if key not in self.known:
            self.known[key] = f"%buf{len(self.args)}"
            self.args.append(f"{self.known[key]}: {shape}")
        place = f"{self.bound('0')}, {self.index()}" if kind == "2d" else self.index()
        return f"{self.known[key]}[{place}]", shape

    # --- operands ---
    def find(self, elem: str, state: str | None, reuse: float) -> Value | None:
        """Return a visible value of the type and state (any state on a slip), or None to have one made."""
        loose = self.slip()
        if not self.chance(0.95 if loose else reuse):
            return None
        alike = [v for scope in self.scopes for v in scope if v.elem == elem and v.shape == self.shape]
        found = [value for value in alike if (value.state == state) != loose] or (alike if loose else [])
        if not found:
            return None
        unused = [value for value in found if not value.uses]
        return self.rng.choice(found if loose else unused or found)

    def data(self, elem: str, state: str) -> Value:
        """Return an operand of type `elem` planned in `state`, taken from the scope or made."""
        if elem == "i1":
            return self.mask(state, plain=True)
        found = self.find(elem, state, 0.8)
        return found if found is not None else self.source(elem, state)

    def mask(self, state: str, *, plain: bool = False) -> Value:
        """Return a mask planned in `state`, shared or new, of the function's shape if `plain`."""
        if not plain and self.chance(0.03):
            return self.wide_mask(state)
        found = self.find("i1", state, 0.75)
        return found if found is not None else self.new_mask(state)

    def new_mask(self, state: str) -> Value:
        """Append a mask producer and return its mask."""
        kind = self.rng.choice(("pge", "pge", "pge", "plt", "pltm", "vload", "scalar_broadcast"))
        if kind == "vload" and self.chance(0.5):
            return self.source("i1", state)
        if kind == "scalar_broadcast":
            return self.vector(
                "i1",
                state,
                f"ave.hir.scalar_broadcast {self.scalar('i1')} : i1 -> vector<{self.shape}i1>",
                [],
            )
        if kind == "plt":
            specs = [Spec("i1", self.shape, state), Spec("index", "scalar", None)]
            count = self.bound("n") if self.chance(0.5) else self.bound("16")
            return self.op(specs, f"ave.hir.plt {count} : vector<{self.shape}i1>, index", [])[0]
        if kind == "pltm":
            return self.vector(
                "i1", state, f"ave.hir.pltm {self.index()}, {self.bound('n')} : vector<{self.shape}i1>", []
            )
        pattern = self.rng.choice(_PGE) if self.chance(0.5) else "ALL"
        generic = f'"ave.hir.pge"() <{{pattern = #ave.pge_pattern<{pattern}>}}> : () -> vector<{self.shape}i1>'
        plain = f"ave.hir.pge <{pattern}> : vector<{self.shape}i1>"
        return self.vector("i1", state, generic if self.chance(0.04) else plain, [])

    def wide_mask(self, state: str) -> Value:
        """Append a mask of a full register, made as such or widened from the function's shape."""
        spec = Spec("i1", "256x", state)
        if self.chance(0.5):
            return self.op([spec], "ave.hir.pge <ALL> : vector<256xi1>", [])[0]
        narrow = self.mask(state)
        text = f"builtin.unrealized_conversion_cast {narrow.name} : {narrow.type} to vector<256xi1>"
        return narrow if narrow.shape == "256x" else self.op([spec], text, [narrow])[0]

    def source(self, elem: str, state: str) -> Value:
        """Append an op without data operands that makes a value of type `elem` in `state`."""
        made = f"vector<{self.shape}{elem}>"
        kind = self.rng.choice(("vload", "vload", "vload", "broadcast", "scalar_broadcast", "vci"))
        if kind == "vci" and elem in ("i8", "i16", "i32", "i64", "f16", "f32"):
            order = self.rng.choice(("INCREASE", "DECREASE"))
            text = f"ave.hir.vci {self.scalar(elem)}, <{order}> : {elem}, {made}"
            return self.vector(elem, state, text, [])
        if kind == "broadcast" and elem != "i1":
            mask = self.mask(effective_of(elem, state))
            given = "i16" if elem == "i8" and self.chance(0.3) else elem
            text = f"ave.hir.broadcast {self.scalar(given)}, {mask.name} : {given}, {mask.type} -> {made}"
            return self.vector(elem, state, text, [mask])
        if kind == "scalar_broadcast":
            return self.vector(elem, state, f"ave.hir.scalar_broadcast {self.scalar(elem)} : {elem} -> {made}", [])
        access, memref = self.memory(elem)
        width = WIDTHS[elem]
        dist = f"BRC_B{max(width, 8)}" if self.chance(0.15) else "NORM"
        extra = " {ave.unaligned_ub_access = #ave.unaligned_ub_access}" if self.chance(0.15) else ""
        if elem == "i8" and self.chance(0.1):
            extra = " {was_bool_to_int8 = true}"
        spec = Spec(elem, self.shape, state)
        if width == 32 and self.chance(0.06):
            text = f"ave.hir.vload <DINTLV_B32> {access}{extra} : {memref} into {made}, {made}"
            return self.op([spec, spec], text, [])[0]
        return self.op([spec], f"ave.hir.vload <{dist}> {access}{extra} : {memref} into {made}", [])[0]

    # --- sinks and clean-up ---
    def spend(self, choices: int) -> bool:
        """Book an op with that many alternatives; return False if the upstream search would get too large."""
        if self.cost * choices > BUDGET:
            return False
        self.cost *= choices
        return True

    def store(self, value: Value) -> None:
        """Append a masked_store of `value`."""
        state = value.state or "b32"
        mask = self.mask(effective_of(value.elem, state))
        width = max(WIDTHS[value.elem], 8)
        dist = f"ONEPT_B{width}" if value.elem != "i1" and self.chance(0.12) else f"NORM_B{width}"
        access, memref = self.memory(value.elem)
        unaligned = "ave.unaligned_ub_access = #ave.unaligned_ub_access"
        extra = f" {{{unaligned}}}" if self.chance(0.1) else ""
        if value.elem == "i1" and self.chance(0.2):
            extra = f" {{{unaligned}, hivm.is_continuous}}"
        text = f"ave.hir.masked_store <{dist}> {access}, {mask.name}, {value.name}{extra}"
        self.op([], f"{text} : {memref}, {mask.type}, {value.type}", [mask, value])

    def close(self) -> None:
        """End the innermost scope: store, keep or delete each of its values that nothing reads."""
        for value in reversed(list(self.scopes[-1])):
            owner = value.owner
            if value.uses or value.shape == "scalar" or owner is None:
                continue
            choices = _CHOICES.get(WIDTHS[value.elem], 1)
            stores = (value.elem in ELEMENTS or value.elem == "i1") and value.shape.count("x") < 2
            twin = any(result.uses for result in owner.results)
            if stores and not (twin and self.chance(0.5)) and self.chance(0.75) and self.spend(choices):
                self.store(value)
            elif owner.pinned or twin:
                self.cost *= choices
            elif not (self.chance(0.25) and self.spend(choices)):
                self.erase(owner)

    def erase(self, item: Op) -> None:
        """Delete an op none of whose results is read."""
        if any(result.uses for result in item.results):
            return
        self.bodies[-1].remove(item)
        self.scopes[-1] = [value for value in self.scopes[-1] if value.owner is not item]
        for value in item.results:
            value.owner = None
        for value in item.reads:
            value.uses -= 1

    def text(self, name: str, returned: Value | None = None) -> str:
        """Return the function as text, ending with a return of `returned` if given."""
        attributes = self.rng.choice(
            (
                "hivm.vector_function",
                "hivm.func_core_type = #hivm.func_core_type<AIV>, hivm.vector_function, no_inline",
            )
        )
        result = f" -> {returned.type}" if returned else ""
        lines = [f"func.func @{name}({', '.join(self.args)}){result} attributes {{{attributes}}} {{"]
        lines += [f"  {line}" for line in self.prologue]
        lines += _lines(self.bodies[0], "  ")
        leave = f"  return {returned.name} : {returned.type}" if returned else "  return"
        return "\n".join([*lines, leave, "}"])


def _lines(body: Sequence[Op], indent: str) -> list[str]:
    """Return the lines of a list of ops."""
    lines: list[str] = []
    for item in body:
        lines.append(indent + item.head)
        if item.body is not None:
            lines += _lines(item.body, indent + "  ")
            lines.append(indent + item.tail)
    return lines
