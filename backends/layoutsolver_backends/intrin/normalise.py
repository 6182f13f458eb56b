"""Brings a program into the form that has intrinsics: what the compiler's pass `ave-normalize-ops` does.

Two generations of it are known. `RELEASE` is that of the released compiler, which takes what it loads and stores for
dense and puts interleaves around conversions; `MASTER` is that of its later source, which loads and stores as the
functionType says. Both repeat their rewrites, from the last operation to the first, until nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver.mlir.types import VectorType, parse_type
from layoutsolver_backends.intrin.program import Program, Step
from layoutsolver_backends.intrin.tables import CONVERTS, LANE_PATTERNS, PREDICATE_WIDTHS

RELEASE, MASTER = "1.2.0", "master"
DIALECTS = (RELEASE, MASTER)
"""The generations, the default first."""

UNALIGNED = "ave.unaligned_ub_access"
CONTINUOUS = "hivm.is_continuous"
MOST_ROUNDS = 10
"""So often the compiler repeats its rewrites at most."""

REGISTER_BITS = 2048

Rewrite = Callable[[Program, Step], bool]

_UNPACKED = {("pk", 8): "UNPK_B8", ("pk", 16): "UNPK_B16", ("pk4", 8): "UNPK4_B8"}
_PACKED = {("pk", 8): ("PK_B16", 16), ("pk", 16): ("PK_B32", 32), ("pk4", 8): ("PK4_B32", 32)}
_HALVINGS = {"UNPK_B8": 1, "UNPK_B16": 1, "UNPK_B32": 1, "UNPK4_B8": 2, "PK_B16": 1, "PK_B32": 1, "PK4_B32": 2}
_SPREADS = {"intlv2": 1, "intlv4": 2}
_GATHERS = {"dintlv2": 1, "dintlv4": 2}


def normalise(program: Program, dialect: str) -> None:
    """Rewrite a program in place; layout casts are gone afterwards, and bitcasts of bitcasts."""
    _fold_bitcasts(program)
    rewrites = _REWRITES[dialect]
    for _ in range(MOST_ROUNDS):
        changed = False
        for step in reversed(program.steps):
            if step.is_ave and not step.gone:
                rewrite = rewrites.get(step.name)
                changed |= rewrite is not None and rewrite(program, step)
        if not changed:
            break
    for step in list(program.ordered()):
        if step.is_ave and step.name == "vload":
            _unpack_load(program, step)
        elif step.is_ave and step.name == "masked_store":
            _pack_store(program, step)
    if dialect == RELEASE:
        for step in list(program.ordered()):
            if step.is_ave and step.name in CONVERTS:
                _surround_conversion(program, step)
    for step in list(program.ordered()):
        if step.is_ave and step.name == "vector.layout_cast":
            program.replace(step, [step.operands[0]])


def _fold_bitcasts(program: Program) -> None:
    """Let a bitcast of a bitcast take what the first one took; one whose result is used no more is dropped."""
    for step in list(program.ordered()):
        if step.name != "vector.bitcast":
            continue
        inner = program.definition.get(step.operands[0])
        if inner is None or inner.name != "vector.bitcast":
            continue
        program.set_operand(step, 0, inner.operands[0])
        if not program.uses[inner.results[0]]:
            program.drop(inner)


def sparsified(program: Program, value: int, times: int, node: int) -> list[Step]:
    """Steps that spread a vector over twice the slots, `times` times; the last one's first result is the vector."""
    return _chain(program, "vintlv", value, times, node)


def densified(program: Program, value: int, times: int, node: int) -> list[Step]:
    """Steps that bring a vector together into half the slots, `times` times."""
    return _chain(program, "vdintlv", value, times, node)


def _chain(program: Program, name: str, value: int, times: int, node: int) -> list[Step]:
    steps: list[Step] = []
    for _ in range(times):
        type_ = program.types[value]
        steps.append(program.make(name, [value, value], "src1 src2", [type_, type_], node, {}))
        value = steps[-1].results[0]
    return steps


def _width(vector: VectorType) -> int:
    return vector.bits or 0


# -- rewrites of single operations ------------------------------------------------------------------------------------


def _load(program: Program, step: Step) -> bool:
    """Give a load the distribution that its functionType asks for."""
    dist = _UNPACKED.get((step.attrs.get("functionType", ""), _width(program.vector(step.results[0]))))
    if step.attrs.get("dist") == "NORM" and dist is not None:
        step.attrs["dist"] = dist
        return True
    return _load_predicate(program, step)


def _load_predicate(program: Program, step: Step) -> bool:
    """An unaligned load of predicates by bytes: loaded by halves of words and packed."""
    value = step.results[0]
    is_bytes = step.attrs.get("functionType") == "pb8" and program.layout_of.get(value) == "b8"
    if program.element(value) != "i1" or UNALIGNED not in step.attrs or not is_bytes:
        return False
    step.attrs["functionType"] = "pb16"
    uses = list(program.uses[value])
    cast = program.make("preg.cast", [value], "pred", [program.types[value]], step.node, {"mode": "PK_B16"})
    step.after.insert(0, cast)
    program.redirect(uses, cast.results[0])
    program.layout_of[cast.results[0]] = "b8"
    return True


def _store(program: Program, step: Step) -> bool:
    """Give a store the distribution that its functionType asks for, and its data the type of the slots."""
    value = step.role("val")
    vector = program.vector(value)
    packed = _PACKED.get((step.attrs.get("functionType", ""), _width(vector)))
    if step.attrs.get("dist") in ("NORM_B8", "NORM_B16") and packed is not None:
        step.attrs["dist"], width = packed
        if UNALIGNED not in step.attrs and (packed[0] != "PK4_B32" or program.is_950):
            _retype_store(program, step, value, width)
        return True
    return _store_predicate(program, step, late=True)


def _retype_store(program: Program, step: Step, value: int, width: int) -> None:
    letter = "i" if program.element(value)[0] in "isu" else "f"
    target = parse_type(f"vector<{REGISTER_BITS // width}x{letter}{width}>")
    bitcast = program.make("register.bitcast", [value], "src", [target], step.node, {})
    step.before.append(bitcast)
    program.set_operand(step, step.roles.index("val"), bitcast.results[0])


def _store_predicate_of_release(program: Program, step: Step) -> bool:
    return _store_predicate(program, step, late=False)


def _store_predicate(program: Program, step: Step, late: bool) -> bool:
    """An unaligned store of predicates by bytes: unpacked, and stored by wider granules."""
    value = step.role("val")
    vector = program.vector(value)
    if vector.element.text != "i1" or UNALIGNED not in step.attrs:
        return False
    key = (step.attrs.get("functionType", ""), program.layout_of.get(value, ""), vector.lanes)
    found = {
        ("pb8", "b8", 64): ("pb32", "UNPK4_B8"),
        ("pb8", "b8", 128): ("pb16", "UNPK_B8"),
        ("pb16", "b16", 64): ("pb32", "UNPK_B16"),
    }.get(key)
    if found is None or (key[0] == "pb16" and not (late and _leaves_granule(program, step))):
        return False
    step.attrs["functionType"], mode = found
    cast = program.make("preg.cast", [value], "pred", [program.types[value]], step.node, {"mode": mode})
    step.before.append(cast)
    program.set_operand(step, step.roles.index("val"), cast.results[0])
    return True


def _leaves_granule(program: Program, step: Step) -> bool:
    """Whether a store in a loop goes on from where 16-byte granules do not end."""
    parent = program.graph.ops[step.node].parent
    while parent >= 0 and program.graph.ops[parent].name != "scf.for":
        parent = program.graph.ops[parent].parent
    lanes = program.vector(step.role("val")).lanes
    return CONTINUOUS in step.attrs and parent >= 0 and lanes % 128 != 0


def _store_with_stride(program: Program, step: Step) -> bool:
    """A strided store writes dense data only."""
    times = _GATHERS.get(step.attrs.get("functionType", ""))
    if times is None:
        return False
    chain = densified(program, step.role("val"), times, step.node)
    step.before.extend(chain)
    program.set_operand(step, step.roles.index("val"), chain[-1].results[0])
    del step.attrs["functionType"]
    return True


def _spread_results(program: Program, step: Step) -> bool:
    """Spread each result that is used, as the functionType says."""
    times = _SPREADS.get(step.attrs.get("functionType", ""))
    if times is None:
        return False
    made: list[Step] = []
    for value in step.results:
        uses = list(program.uses[value])
        if uses:
            chain = sparsified(program, value, times, step.node)
            made.extend(chain)
            program.redirect(uses, chain[-1].results[0])
    step.after[:0] = made
    del step.attrs["functionType"]
    return True


def _layout_cast(program: Program, step: Step) -> bool:
    """The functionType of a layout cast goes to the operation that makes its source."""
    owner = program.definition.get(step.operands[0])
    if owner is None or "functionType" not in step.attrs:
        return False
    owner.attrs["functionType"] = step.attrs.pop("functionType")
    return True


def _float_to_unsigned(program: Program, step: Step) -> bool:
    """There is no conversion from f16 to unsigned 16-bit integers: by way of 32-bit ones, in halves of 64 lanes."""
    source, result = step.role("src"), step.results[0]
    if (program.element(source), program.element(result)) != ("f16", "i16"):
        return False
    lanes = program.vector(source).lanes
    if lanes <= 64:
        made = _by_words(program, step, source)
        step.after[:0] = made
        program.replace(step, made[-1].results)
        return True
    half = parse_type("vector<64xf16>")
    split = program.make("register.halves", [source], "src", [half, half], step.node, {})
    first, second = (_by_words(program, step, value) for value in split.results)
    halves = [first[-1].results[0], second[-1].results[0]]
    join = program.make("register.join", halves, "low high", [program.types[result]], step.node, {})
    step.after[:0] = [split, *first, *second, join]
    program.replace(step, join.results)
    return True


def _by_words(program: Program, step: Step, source: int) -> list[Step]:
    lanes, mask, attrs = program.vector(source).lanes, step.role("mask"), step.attrs
    wide = program.make(
        "vfptosi", [source, mask], "src mask", [parse_type(f"vector<{lanes}xi32>")], step.node,
        {"rnd": attrs.get("rnd", ""), "part": attrs.get("part", "")},
    )  # fmt: skip
    narrow = program.make(
        "vtrunci", [wide.results[0], mask], "src mask", [parse_type(f"vector<{lanes}xi16>")], step.node,
        {"bool": attrs.get("bool", ""), "part": attrs.get("part", ""), "uni": "si2ui"},
    )  # fmt: skip
    return [wide, narrow]


def _pattern(program: Program, step: Step) -> bool:
    """Name the lanes of a predicate by all or half of the register, where they are that."""
    lanes = program.vector(step.results[0]).lanes
    width = PREDICATE_WIDTHS.get(step.attrs.get("functionType", ""), REGISTER_BITS // max(lanes, 1))
    given = step.attrs.get("pattern", "")
    name = given
    if given == "ALL" and lanes != REGISTER_BITS // width:
        name = LANE_PATTERNS.get(lanes, given)
    if (width, name) == (8, "VL128") or (width, name) == (32, "VL32") or (width, given) == (16, "VL64"):
        name = "H"
    elif (width, name) in ((16, "VL128"), (32, "VL64")):
        name = "ALL"
    step.attrs["pattern"] = name
    return name != given


_COMMON: dict[str, Rewrite] = {
    "store_with_stride": _store_with_stride, "vintlv": _spread_results, "vdintlv": _spread_results,
    "vgather": _spread_results, "vci": _spread_results, "vector.layout_cast": _layout_cast,
    "vfptoui": _float_to_unsigned,
}  # fmt: skip
_REWRITES: dict[str, dict[str, Rewrite]] = {
    RELEASE: {**_COMMON, "vload": _load_predicate, "masked_store": _store_predicate_of_release},
    MASTER: {**_COMMON, "vload": _load, "masked_store": _store, "pge": _pattern},
}


# -- what follows the rewrites ----------------------------------------------------------------------------------------


def _unpack_load(program: Program, step: Step) -> None:
    """Spread by interleaves what no load spreads: an unaligned one, or four slots an element on older chips."""
    dist = step.attrs.get("dist", "")
    times = _HALVINGS.get(dist, 0)
    if program.is_950:
        if UNALIGNED not in step.attrs or not times:
            return
    elif dist != "UNPK4_B8":
        return
    value = step.results[0]
    uses = list(program.uses[value])
    chain = sparsified(program, value, times, step.node)
    step.after[:0] = chain
    program.redirect(uses, chain[-1].results[0])
    if not program.is_950:
        step.attrs["dist"] = "NORM"


def _pack_store(program: Program, step: Step) -> None:
    """Bring together by interleaves what no store brings together."""
    dist = step.attrs.get("dist", "")
    times = _HALVINGS.get(dist, 0)
    if program.is_950:
        if UNALIGNED not in step.attrs or not times:
            return
    elif dist != "PK4_B32":
        return
    chain = densified(program, step.role("val"), times, step.node)
    step.before.extend(chain)
    program.set_operand(step, step.roles.index("val"), chain[-1].results[0])
    if not program.is_950:
        step.attrs["dist"] = "NORM_B8"


def _surround_conversion(program: Program, step: Step) -> None:
    """The release spreads the source of a widening conversion and brings the result of a narrowing one together."""
    source, result = program.vector(step.role("src")), program.vector(step.results[0])
    before, after = _width(source), _width(result)
    if before == after or not program.uses[step.results[0]] or _goes_into_call(program, step):
        return
    if before > after:
        if step.name == "vtruncf" and source.lanes != result.lanes:
            return
        uses = list(program.uses[step.results[0]])
        chain = densified(program, step.results[0], 2 if before // after == 4 else 1, step.node)
        step.after[:0] = chain
        program.redirect(uses, chain[-1].results[0])
        return
    chain = sparsified(program, step.role("src"), 2 if after // before == 4 else 1, step.node)
    step.before.extend(chain)
    program.set_operand(step, step.roles.index("src"), chain[-1].results[0])


def _goes_into_call(program: Program, step: Step) -> bool:
    """Whether the latest use of the result is a call, which is taken to want it as it is."""
    user, _ = program.uses[step.results[0]][-1]
    return user.name == "func.call" and not program.casts_at_calls
