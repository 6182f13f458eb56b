"""A kernel for each kind of row that random kernels seldom bring up, and programs without a kernel around them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from layoutsolver_models.rules.vmi.convert import GRANULARITY
from layoutsolver_models.rules.vmi.layouts import LAYOUT_NAMES, arity, layout_of, register_lanes
from tests.pose.vmi.kernels import bits_of, kernel, pointer, vreg

_ZERO = "%c0 = arith.constant 0 : index"
_LENGTHS = (64, 128, 256, 512)


def _mask(lanes: int) -> str:
    return f"!pto.vmi.mask<{lanes}xpred>"


def _with_mask(lanes: int) -> str:
    return f"%m = pto.vmi.create_mask %n : index -> {_mask(lanes)}"


def _loaded(name: str, lanes: int, element: str) -> str:
    return f"{name} = pto.vmi.vload %p{element}[%c0] : {pointer(element)} -> {vreg(lanes, element)}"


def _stored(name: str, lanes: int, element: str) -> str:
    return f"pto.vmi.vstore {name}, %p{element}[%c0] : {vreg(lanes, element)}, {pointer(element)}"


def _kernel(elements: tuple[str, ...], *lines: str) -> str:
    arguments = ", ".join(f"%p{element}: {pointer(element)}" for element in dict.fromkeys(elements))
    return kernel(f"{arguments}, %n: index", _ZERO, *lines)


def granularities() -> Iterator[str]:
    """Masks converted from each width and layout to each that a row has."""
    for rule, lanes in product(GRANULARITY, (64, 128, 256)):
        before, after = map(int, rule.id.split(".")[2].split("_"))
        types = [
            f"!pto.vmi.mask<{lanes}xb{bits}, #pto.vmi.layout<{layout_of(rule.layouts[role], lanes)}>>"
            for role, bits in (("source", before), ("result", after))
        ]
        element = {8: "ui8", 16: "ui16", 32: "ui32"}[after]
        yield _kernel(
            (element,), f"%m = pto.vmi.create_mask %n : index -> {types[0]}",
            f"%k = pto.vmi.ensure_mask_granularity %m : {types[0]} -> {types[1]}", _loaded("%x", lanes, element),
            f"pto.vmi.masked_store %x, %p{element}[%c0], %k : {vreg(lanes, element)}, {pointer(element)}, {types[1]}",
        )  # fmt: skip


def rows_of_scalars() -> Iterator[str]:
    """A scalar for each group, loaded and spread, from aligned addresses and others, close together and apart."""
    for element, groups, quarters in product(("f32", "f16", "ui8"), (4, 16), (1, 2, 4, 8, 16, 32, 128)):
        lanes = groups * register_lanes(bits_of(element)) // 8 * quarters // 4
        if lanes < groups * 2 or lanes > 2048:
            continue
        places = (
            ((1, 0, True), (1, 3, True), (3, 0, True))
            if quarters < 32
            else ((1, 0, False), (3, 0, False), (64, 0, False))
        )
        for stride, shift, pointed in places:
            memory = pointer(element) if pointed else f"memref<4096x{element}, #pto.address_space<vec>>"
            yield kernel(
                f"%a: {memory}, %p{element}: {pointer(element)}, %n: index", _ZERO,
                f"%c1 = arith.constant {stride} : index", f"%o = arith.constant {shift} : index",
                f"%x = pto.vmi.group_broadcast_load %a[%o], %c1 {{num_groups = {groups}}} : {memory} "
                f"-> {vreg(lanes, element)}", _stored("%x", lanes, element),
            )  # fmt: skip


def rows() -> Iterator[str]:
    """Rows of registers stored apart, sums of groups under a mask of one group, spread again."""
    for element, lanes, groups in (("f32", 128, 2), ("f32", 128, 8), ("f32", 256, 8), ("f32", 512, 2), ("f16", 256, 2)):
        v, m, g = vreg(lanes, element), _mask(lanes), vreg(groups, element)
        yield _kernel(
            (element,), _loaded("%x", lanes, element), _with_mask(lanes), "%c512 = arith.constant 512 : index",
            f"pto.vmi.group_store %x, %p{element}[%c0], %c512 {{num_groups = {groups}}} : {v}, {pointer(element)}",
            f"%s = pto.vmi.group_reduce_addf %x, %m {{num_groups = {groups}, reassoc}} : {v}, {m} -> {g}",
            f"%y = pto.vmi.group_broadcast %s {{num_groups = {groups}}} : {g} -> {v}", _stored("%y", lanes, element),
            f"%t = pto.vmi.reduce_addf %x, %m {{reassoc}} : {v}, {m} -> {vreg(1, element)}",
            f"pto.vmi.vstore %t, %p{element}[%c0] : {vreg(1, element)}, {pointer(element)}",
        )  # fmt: skip
    v = vreg(32, "ui8")
    yield _kernel(
        ("ui8",), "%c3 = arith.constant 3 : index",
        f"%x = pto.vmi.group_slot_load %pui8[%c0], %c3 {{num_groups = 32}} : {pointer('ui8')} -> {v}",
        f"pto.vmi.group_store %x, %pui8[%c0], %c3 {{num_groups = 32}} : {v}, {pointer('ui8')}",
    )  # fmt: skip
    for lanes in (64, 128):
        yield _kernel(
            ("si32", "si16"), _loaded("%x", lanes, "si32"),
            f'%y = pto.vmi.trunci %x {{saturate = "NOSAT"}} : {vreg(lanes, "si32")} -> {vreg(lanes, "si16")}',
            _stored("%y", lanes, "si16"),
        )  # fmt: skip


def sizes() -> Iterator[str]:
    """Groups of sizes that no block has, under a mask of all and one that is counted, spread again, stored."""
    shapes = ((6, 2), (24, 8), (96, 8), (96, 48), (100, 4), (320, 16), (192, 12), (96, 1))
    for element, lanes, groups in (("f32", 48, 8), ("f16", 150, 2), ("ui8", 140, 20)):
        m, attrs = _mask(lanes), f"num_groups = {groups}, group_size = {lanes // groups}"
        yield _kernel(
            (element,), _loaded("%x", lanes, element), f"%m = pto.vmi.create_group_mask %n {{{attrs}}} : index -> {m}",
            f"pto.vmi.masked_store %x, %p{element}[%c0], %m : {vreg(lanes, element)}, {pointer(element)}, {m}",
        )  # fmt: skip
    for number, (element, op, (lanes, groups)) in enumerate(product(("f32", "si16", "ui8"), ("add", "max"), shapes)):
        what = f"{op}{'f' if element[0] == 'f' else 'i'}"
        attrs = f"num_groups = {groups}{', reassoc' * (what == 'addf')}"
        v, m, g, one = vreg(lanes, element), _mask(lanes), vreg(groups, element), vreg(1, element)
        for count in (("%n", "%all"), ("%n",), ("%all",))[number % 3]:
            yield _kernel(
                (element,), _loaded("%x", lanes, element), f"%all = arith.constant {lanes} : index",
                f"%m = pto.vmi.create_mask {count} : index -> {m}", "%c1 = arith.constant 1 : index",
                f"%s = pto.vmi.group_reduce_{what} %x, %m {{{attrs}}} : {v}, {m} -> {g}",
                f"%y = pto.vmi.group_broadcast %s {{num_groups = {groups}}} : {g} -> {v}",
                _stored("%y", lanes, element),
                f"pto.vmi.group_store %s, %p{element}[%c0], %c1 {{num_groups = {groups}}} : {g}, {pointer(element)}",
                f"%t = pto.vmi.reduce_max{what[-1]} %x, %m : {v}, {m} -> {one}", _stored("%t", 1, element),
            )  # fmt: skip


def uneven_rows() -> Iterator[str]:
    """Rows, and scalars for groups, of sizes that divide no register."""
    for element, lanes, groups, stride in (
        ("f32", 72, 3, 40), ("f32", 36, 3, 40), ("f32", 36, 3, 0), ("f32", 300, 150, 1), ("f32", 36, 12, 1),
        ("f16", 100, 4, 40), ("f32", 36, 3, 12), ("ui8", 96, 3, 64), ("ui8", 12, 4, 3), ("f32", 24, 3, 16),
    ):  # fmt: skip
        v, memory = vreg(lanes, element), pointer(element)
        known = f"%d = arith.constant {stride} : index"
        for at, distance in ((0, known), (3, known), (0, "%d = arith.addi %n, %n : index")):
            yield _kernel(
                (element,), distance, f"%o = arith.constant {at} : index",
                f"%x = pto.vmi.group_load %p{element}[%o], %d {{num_groups = {groups}}} : {memory} -> {v}",
                f"%y = pto.vmi.group_broadcast_load %p{element}[%o], %d {{num_groups = {groups}}} : {memory} -> {v}",
                f"pto.vmi.group_store %x, %p{element}[%o], %d {{num_groups = {groups}}} : {v}, {memory}",
                _stored("%y", lanes, element),
            )  # fmt: skip


def pairs() -> Iterator[str]:
    """Vectors taken apart and put together by turns, and stored so at addresses of any kind."""
    lengths = (1, 24, 32, 47, 62, 64, 100, 128, 170, 192, 256)
    for (op, element), lanes in product(product(("vintlv", "vdintlv"), ("ui8", "f32")), lengths):
        v, m = vreg(lanes, element), _mask(lanes)
        yield _kernel(
            (element,), _loaded("%x", lanes, element), f"%m = pto.vmi.create_mask %n : index -> {m}",
            "%c512 = arith.constant 512 : index",
            f"%y = pto.vmi.vload %p{element}[%c512] : {pointer(element)} -> {v}",
            f"%l, %h = pto.vmi.{op} %x, %y, %m : {v}, {v}, {m} -> {v}, {v}", _stored("%l", lanes, element),
            _stored("%h", lanes, element), "%c3 = arith.constant 3 : index",
            f"pto.vmi.interleave_store %x, %x, %p{element}[%c3] : {v}, {v}, {pointer(element)}",
        )  # fmt: skip


def single() -> Iterator[str]:
    """Operations on the elements that a mask picks, accesses by indices, and differences of exponents."""
    for element, index, lanes in (
        ("f32", "i32", 64),
        ("f16", "i16", 128),
        ("ui16", "ui16", 128),
        ("ui16", "ui16", 64),
        ("f32", "i32", 100),
    ):
        v, m, i = vreg(lanes, element), _mask(lanes), vreg(lanes, index)
        counted = (f"%r = pto.vmi.active_prefix_index %m : {m} -> {i}", _stored("%r", lanes, index))
        yield _kernel(
            (element, index), _with_mask(lanes), _loaded("%x", lanes, element), _loaded("%i", lanes, index),
            f"pto.vmi.compress_store %x, %p{element}[%c0], %m : {v}, {pointer(element)}, {m}",
            f"%y = pto.vmi.expand_load %p{element}[%c0], %m, %x : {pointer(element)}, {m}, {v} -> {v}",
            f"%g = pto.vmi.gather %p{element}[%i], %m, %y : {pointer(element)}, {i}, {m}, {v} -> {v}",
            *(counted if index.startswith("i") else ()),
            _stored("%y", lanes, element), _stored("%g", lanes, element),
            "%c3 = arith.constant 3 : index",
            f"%q = pto.vmi.masked_load %p{element}[%c3], %m, %x : {pointer(element)}, {m}, {v} -> {v}",
            _stored("%q", lanes, element),
        )  # fmt: skip
    v, m, bins = vreg(300, "ui8"), _mask(300), vreg(256, "ui16")
    yield _kernel(
        ("ui8", "ui16"), _with_mask(300), _loaded("%x", 300, "ui8"), _loaded("%b", 256, "ui16"),
        f"%k = pto.vmi.vnot %m : {m} -> {m}", f"%h = pto.vmi.vdhist %b, %x, %k : {bins}, {v}, {m} -> {bins}",
        _stored("%h", 256, "ui16"),
    )  # fmt: skip
    for element, lanes in (("f32", 24), ("f32", 64), ("f32", 200), ("f16", 300), ("ui8", 300), ("ui8", 600)):
        v, m, i = vreg(lanes, element), _mask(lanes), vreg(lanes, f"i{bits_of(element)}")
        yield _kernel(
            (element, f"i{bits_of(element)}"), _with_mask(lanes), _loaded("%x", lanes, element),
            _loaded("%i", lanes, f"i{bits_of(element)}"), f"%y = pto.vmi.compress %x, %m : {v}, {m} -> {v}",
            f"%z = pto.vmi.vselr %y, %i : {v}, {i} -> {v}", _stored("%z", lanes, element),
            f"pto.vmi.compress_store %x, %p{element}[%c0], %m : {v}, {pointer(element)}, {m}",
            f"%e = pto.vmi.expand_load %p{element}[%c0], %m, %x : {pointer(element)}, {m}, {v} -> {v}",
            _stored("%e", lanes, element),
        )  # fmt: skip
    for lanes in _LENGTHS:
        v, m = vreg(lanes, "f32"), _mask(lanes)
        yield _kernel(
            ("f32",), _loaded("%x", lanes, "f32"), _with_mask(lanes),
            f"%e = pto.vmi.vexpdif %x, %x, %m : {v}, {v}, {m} -> {v}", _stored("%e", lanes, "f32"),
        )  # fmt: skip
    v, i = vreg(64, "f32"), vreg(64, "ui32")
    yield _kernel(
        ("f32", "ui32"), _with_mask(64), f"%i = pto.vmi.vload %pui32[%c0] : {pointer('ui32')} -> {i}",
        f"%g = pto.vmi.vgatherb %pf32, %i, %m : {pointer('f32')}, {i}, {_mask(64)} -> {v}", _stored("%g", 64, "f32"),
    )  # fmt: skip


def longer_parts() -> Iterator[str]:
    """Vectors whose first part takes a register more than the others, stored as they are and under a mask."""
    v, m = vreg(257, "f32"), _mask(257)
    yield _kernel(
        ("f32",), _loaded("%x", 257, "f32"), _with_mask(257), _stored("%x", 257, "f32"),
        f"pto.vmi.masked_store %x, %pf32[%c0], %m : {v}, {pointer('f32')}, {m}",
    )  # fmt: skip


def indexed() -> Iterator[str]:
    """Elements gathered and scattered by indices of another width, or as bytes."""
    for element, index in (("f32", "ui16"), ("f16", "ui32"), ("ui8", "ui16"), ("ui8", "ui32")):
        v, m, i = vreg(100, element), _mask(100), vreg(100, index)
        yield _kernel(
            (element, index), _with_mask(100), _loaded("%i", 100, index),
            f"%g = pto.vmi.vgather %p{element}, %i, %m : {pointer(element)}, {i}, {m} -> {v}",
            f"pto.vmi.vscatter %g, %p{element}, %i, %m : {v}, {pointer(element)}, {i}, {m}",
        )  # fmt: skip


def partial() -> Iterator[str]:
    """Loads under masks of vectors whose last register is not full, at aligned addresses and others."""
    for element, lanes, at in (
        ("f32", 96, 0),
        ("f32", 100, 0),
        ("f32", 100, 3),
        ("f32", 20, 0),
        ("f16", 20, 3),
        ("ui8", 20, 0),
        ("ui8", 200, 1),
    ):
        v, m = vreg(lanes, element), _mask(lanes)
        yield _kernel(
            (element,), _loaded("%x", lanes, element), _with_mask(lanes), f"%o = arith.constant {at} : index",
            f"%y = pto.vmi.masked_load %p{element}[%o], %m, %x : {pointer(element)}, {m}, {v} -> {v}",
            _stored("%y", lanes, element),
        )  # fmt: skip


def shuffles() -> Iterator[str]:
    """What a shuffle may be: nothing, a ramp of lanes, channels put together."""
    for lanes in (64, 128):
        v = vreg(lanes, "f32")
        by_turns = tuple(at % 2 * (lanes // 2) + at // 2 for at in range(lanes))
        again = tuple(lanes // 4 + at * 5 % 7 * (lanes // 8) for at in range(12))
        for order in (range(lanes), range(0, lanes // 2), range(lanes - 1, -1, -1), by_turns, again):
            to = vreg(len(order), "f32")
            yield _kernel(
                ("f32",), _loaded("%x", lanes, "f32"),
                f"%y = pto.vmi.shuffle %x[[{', '.join(map(str, order))}]] : {v} -> {to}",
                _stored("%y", len(order), "f32"),
            )  # fmt: skip
        yield _kernel(
            ("f32",), _loaded("%x", lanes, "f32"),
            f'%y = "pto.vmi.channel_merge"(%x, %x) : ({v}, {v}) -> {vreg(2 * lanes, "f32")}',
            _stored("%y", 2 * lanes, "f32"),
        )  # fmt: skip


def registers() -> Iterator[str]:
    """A vector in each layout, taken apart into its registers."""
    for name, lanes, (element, plain) in product(
        LAYOUT_NAMES, (8, 128), (("f32", "64xf32"), ("f16", "128xf16"), ("ui8", "256xui8"))
    ):
        layout = layout_of(name, lanes if name.startswith("gs") else 1)
        known = vreg(lanes, f"{element}, #pto.vmi.layout<{layout}>")
        count = arity(layout, bits_of(element), lanes)
        if count < 1 or count > 8 or (name.startswith("gs") and lanes > 8):
            continue
        names = ", ".join(f"%r{number}" for number in range(count))
        types = ", ".join([f"!pto.vreg<{plain}>"] * count)
        yield _kernel(
            (element,), f"%x = pto.vmi.vload %p{element}[%c0] : {pointer(element)} -> {known}",
            f'{names} = "pto.vmi.unpack"(%x) : ({known}) -> ({types})',
            f'%y = "pto.vmi.pack"({names}) : ({types}) -> {known}',
            f"pto.vmi.vstore %y, %p{element}[%c0] : {known}, {pointer(element)}",
        )  # fmt: skip


def rare_kernels() -> Iterator[str]:
    """All of these."""
    for kind in (
        granularities, rows_of_scalars, rows, uneven_rows, sizes, pairs, single, partial, longer_parts, indexed,
        shuffles, registers,
    ):  # fmt: skip
        yield from kind()
