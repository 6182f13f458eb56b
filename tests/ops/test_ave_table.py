"""Every operation of the `ave.hir` table in both forms, whole and broken off."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.lexer import tokenize
from layoutsolver.mlir.reader import read
from layoutsolver.ops.assembly import Bound, bind
from layoutsolver.ops.ave import AVE_OPS
from layoutsolver.ops.registry import all_specs

F, S, H, B, D = "vector<64xf32>", "vector<64xi32>", "vector<64xf16>", "vector<64xi8>", "vector<64xi64>"
M, M128, X = "vector<64xi1>", "vector<128xi1>", "vector<64xindex>"
BUF, TILE = "memref<64xf32, #hivm.address_space<ub>>", "memref<4x16xf16, strided<[16, 1], offset: ?>>"
L = "vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>"


@dataclass(frozen=True, slots=True)
class Row:
    """An example: the text behind the mnemonic, `(role, name, type)` of its operands and the types of its results.

    `prefixes` are texts that the line can break off at and still be whole.
    """

    mnemonic: str
    tail: str
    operands: tuple[tuple[str, str, str], ...]
    results: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"ave.hir.{self.mnemonic}"

    @property
    def left(self) -> str:
        names = ", ".join(f"%res{number}" for number in range(len(self.results)))
        return f"{names} = " if names else ""

    @property
    def custom(self) -> str:
        return f"{self.left}{self.name} {self.tail}"

    @property
    def generic(self) -> str:
        names = ", ".join(name for _, name, _ in self.operands)
        types = ", ".join(text for _, _, text in self.operands)
        return f'{self.left}"{self.name}"({names}) {{k = [1 : i32]}} : ({types}) -> ({", ".join(self.results)})'

    @property
    def header(self) -> str:
        defined = {name: text for _, name, text in self.operands}
        return "".join(f'{name} = "t.v"() : () -> {text}\n' for name, text in defined.items())


def row(mnemonic: str, tail: str, operands: str, *results: str, prefixes: tuple[str, ...] = ()) -> Row:
    """A row; `operands` reads `role=%name:type; …`."""
    parts = [part.strip() for part in operands.split(";") if part.strip()]
    triples = []
    for part in parts:
        role, rest = part.split("=", 1)
        name, text = rest.split(":", 1)
        triples.append((role, name, text))
    return Row(mnemonic, tail, tuple(triples), results, prefixes)


def unary(mnemonic: str) -> Row:
    return row(mnemonic, f"%x, %m : {F}, {M}", f"src=%x:{F}; mask=%m:{M}", F)


def binary(mnemonic: str, attributes: str = "") -> Row:
    return row(mnemonic, f"%x, %y, %m{attributes} : {F}, {M}", f"lhs=%x:{F}; rhs=%y:{F}; mask=%m:{M}", F)


def vector_scalar(mnemonic: str) -> Row:
    return row(mnemonic, f"%x, %s, %m : {F}, f32, {M}", f"vec=%x:{F}; scalar=%s:f32; mask=%m:{M}", F)


def mask_pair(mnemonic: str) -> Row:
    return row(mnemonic, f"<b8> %p, %q, %m : {M}", f"plhs=%p:{M}; prhs=%q:{M}; mask=%m:{M}", M)


def extension(mnemonic: str) -> Row:
    return row(mnemonic, f"%x, %m {{pp = #ave.vcvt_pp_type<pp0>}} : {B}, {S}, {M}", f"src=%x:{B}; mask=%m:{M}", S)


ROWS = (
    row("vload", f"<NORM> %buf[%i] {{hivm.is_continuous}} : {BUF} into {F}", f"base=%buf:{BUF}; indices=%i:index", F),
    row("masked_store", f"<PK_B32> %t[%i, %j], %m, %x {{a = 1 : i32}} : {TILE}, {M}, {H}",
        f"base=%t:{TILE}; indices=%i:index; indices=%j:index; mask=%m:{M}; val=%x:{H}"),
    row("store_with_stride", f"%t[%i, %j], %st, %m, %x : {TILE}, {M}, {H}",
        f"base=%t:{TILE}; indices=%i:index; indices=%j:index; stride=%st:index; mask=%m:{M}; val=%x:{H}"),
    row("unaligned.masked.store", f"%buf[%i], %m, %x : {BUF}, {M}, {F}",
        f"base=%buf:{BUF}; indices=%i:index; mask=%m:{M}; val=%x:{F}"),
    row("vgather", f"%t[%i, %j] [%ix], %m : {TILE}, {S}, {M} into {H}",
        f"base=%t:{TILE}; indices=%i:index; indices=%j:index; index_vec=%ix:{S}; mask=%m:{M}", H),
    row("vscatter", f"%buf[%i] [%ix], %m, %x : {BUF}, {X}, {M}, {F}",
        f"base=%buf:{BUF}; indices=%i:index; index_vec=%ix:{X}; mask=%m:{M}; val=%x:{F}"),
    row("membar", "%c : i32", "barrier=%c:i32", prefixes=("ave.hir.membar %c",)),
    row("pge", f"<VL8> {{mask_op_idx = 0 : i32}} : {M}", "", M),
    row("plt", f"%n : {M128}, index", "true_shape=%n:index", M128, "index"),
    row("pltm", f"%i, %ub : {M}", "offset=%i:index; ub=%ub:index", M),
    row("preg.not", f"<b16> %p, %m : {M}", f"pred=%p:{M}; mask=%m:{M}", M),
    mask_pair("preg.and"), mask_pair("preg.or"), mask_pair("preg.xor"),
    row("preg.cast", f"%p <UNPK_B8> : {M128} -> {M}", f"pred=%p:{M128}", M),
    row("broadcast", f"%s, %m : f32, {M} -> {F}", f"scalar=%s:f32; mask=%m:{M}", F),
    row("scalar_broadcast", f"%s : i8 -> {B}", "scalar=%s:i8", B),
    row("vector_broadcast", f"%x, %m, true : {F}, {M} -> {F}", f"src=%x:{F}; mask=%m:{M}", F),
    row("vci", f"%z, <DECREASE> : i32, {S}", "scalar=%z:i32", S),
    row("vsel", f"%p, %x, %y : {M}, {F}", f"pred=%p:{M}; true_value=%x:{F}; false_value=%y:{F}", F),
    row("vcmp", f"<LT> %x, %y, %m : {F}, {M} -> {M}", f"lhs=%x:{F}; rhs=%y:{F}; mask=%m:{M}", M),
    row("vcmps", f"<GT> %x, %s, %m : {F}, f32, {M} -> {M}", f"vec=%x:{F}; scalar=%s:f32; mask=%m:{M}", M),
    unary("vabs"), unary("vneg"), unary("vnot"), unary("vexp"), unary("vsqrt"), unary("vrsqrt"), unary("vln"),
    unary("vrelu"),
    binary("vadd"), binary("vsub"), binary("vmul"), binary("vdiv", " {cast = #hivm.cast<cast_unsigned>}"),
    binary("vdivf"), binary("vdivfhp"), binary("vmod"), binary("vmodui"), binary("vmax"), binary("vmin"),
    binary("vsmax"), binary("vsmin"), binary("vumax"), binary("vumin"), binary("vand"), binary("vor"), binary("vxor"),
    binary("vabs_diff"), binary("vsadd"), binary("vssub"), binary("vrnd"), binary("vprelu"), binary("vexpdif"),
    row("vshl", f"%x, %y, %m, %sg : {S}, {M}", f"lhs=%x:{S}; rhs=%y:{S}; mask=%m:{M}; sign=%sg:i1", S),
    row("vshr", f"%x, %y, %m, %sg : {S}, {M}", f"lhs=%x:{S}; rhs=%y:{S}; mask=%m:{M}; sign=%sg:i1", S),
    vector_scalar("vadds"), vector_scalar("vmuls"), vector_scalar("vlrelus"), vector_scalar("vmaxs"),
    vector_scalar("vmins"), vector_scalar("vsmaxs"), vector_scalar("vsmins"), vector_scalar("vumaxs"),
    vector_scalar("vumins"),
    row("vshls", f"%x, %s, %m, %sg : {S}, i32, {M}", f"vec=%x:{S}; scalar=%s:i32; mask=%m:{M}; sign=%sg:i1", S),
    row("vshrs", f"%x, %s, %m, %sg : {S}, i32, {M}", f"vec=%x:{S}; scalar=%s:i32; mask=%m:{M}; sign=%sg:i1", S),
    row("vmula", f"%a, %x, %y, %m : {F}, {M}", f"src1=%a:{F}; src2=%x:{F}; src3=%y:{F}; mask=%m:{M}", F),
    row("mull", f"%x, %y, %m : {S}, {M}", f"src1=%x:{S}; src2=%y:{S}; mask=%m:{M}", S, S),
    row("reduction", f"<max>, %x, %m : {F}, {M} -> {F}", f"vector=%x:{F}; mask=%m:{M}", F),
    row("vextf", f"%x, <part_even>, %m : {H}, {F}, {M}", f"src=%x:{H}; mask=%m:{M}", F),
    extension("vextsi"), extension("vextui"),
    row("vtrunci", f"%x, false, %m {{part = #ave.vcvt_part_type<part_odd>}} : {D}, {S}, {M}",
        f"src=%x:{D}; mask=%m:{M}", S),
    row("vtruncf", f"%x, <rint>, false, <part_even>, %m : {F}, {H}, {M}", f"src=%x:{F}; mask=%m:{M}", H),
    row("vfptosi", f"%x, <trunc>, %m {{sat = true}} : {F}, {M}, {S}", f"src=%x:{F}; mask=%m:{M}", S),
    row("vfptoui", f"%x, <rint>, true, <part_even>, %m : {H}, {M}, {B}", f"src=%x:{H}; mask=%m:{M}", B),
    row("vsitofp", f"%x, %m {{rnd = #hivm.round_mode<rint>}} : {S}, {M}, {F}", f"src=%x:{S}; mask=%m:{M}", F),
    row("vuitofp", f"%x, <part_even>, %m : {B}, {M}, {H}", f"src=%x:{B}; mask=%m:{M}", H),
    row("vtrc", f"%x, <floor>, %m : {F}, {M}, {F}", f"src=%x:{F}; mask=%m:{M}", F),
    row("vintlv", f"%x, %y {{layout_change = #ave<layout_change DENSE>}} : {H}, {H}",
        f"src1=%x:{H}; src2=%y:{H}", H, H),
    row("vdintlv", f"%x, %y : {H}, {H}", f"src1=%x:{H}; src2=%y:{H}", H, H),
    row("vpack", f"%x, 0 : {S} -> {S}", f"src=%x:{S}", S),
    row("vunpack", f"%x, -1 : {S} -> {S}", f"src=%x:{S}", S),
    row("vslide", f"%x, %y, %k : {F}, i16 -> {F}", f"src1=%x:{F}; src2=%y:{F}; slide=%k:i16", F),
    row("vector.layout_cast", f"%p : {M} -> {L}", f"src=%p:{M}", L),
)  # fmt: skip
BY_NAME = {example.mnemonic: example for example in ROWS}


def graph_of(example: Row, line: str) -> tuple[Graph, OpNode]:
    module = read(f"{example.header}{line}\n%after = test.after : i32\n")
    assert module.diagnostics == []
    graph, diagnostics = build_graph(module)
    assert [diagnostic.message for diagnostic in diagnostics] == []
    assert [op.name for op in graph.ops if op.name != "t.v"] == [example.name, "test.after"]
    return graph, graph.ops[-2]


def summary(graph: Graph, op: OpNode) -> tuple[list[tuple[str, str, str]], list[tuple[str, str]]]:
    operands = [
        (role, graph.values[value].name, graph.values[value].type.text)
        for role, value in zip(op.roles, op.operands, strict=True)
    ]
    return operands, [(graph.values[value].name, graph.values[value].type.text) for value in op.results]


def test_the_table_has_the_85_operations_that_have_an_example() -> None:
    assert len(AVE_OPS) == 85
    assert [spec.name for spec in AVE_OPS if spec.name.removeprefix("ave.hir.") not in BY_NAME] == []
    assert len(BY_NAME) == len(ROWS) == 85


@pytest.mark.parametrize("mnemonic", BY_NAME)
def test_both_forms_bind_the_operands_to_their_roles_and_give_the_results_their_types(mnemonic: str) -> None:
    example = BY_NAME[mnemonic]
    expected = (list(example.operands), [(f"%res{number}", text) for number, text in enumerate(example.results)])
    graph, custom = graph_of(example, example.custom)
    assert summary(graph, custom) == expected
    graph, generic = graph_of(example, example.generic)
    assert summary(graph, generic) == expected
    for role, printed in custom.types.items():
        assert generic.types[role].text == printed.text
    assert custom.types
    assert custom.spec is generic.spec is all_specs()[example.name]


@pytest.mark.parametrize("mnemonic", BY_NAME)
def test_the_attribute_dictionary_is_found_or_its_place_is_known(mnemonic: str) -> None:
    example = BY_NAME[mnemonic]
    _, custom = graph_of(example, example.custom)
    texts = custom.op.stream.texts
    if "{" in example.tail.split(" : ")[0]:
        assert custom.attrs is not None
        assert texts[custom.attrs[0]] == "{"
        assert texts[custom.attrs[1] - 1] == "}"
        assert custom.attrs_at == custom.attrs[0]
        return
    assert custom.attrs is None
    place = custom.op.stream.starts[custom.attrs_at] - len(example.header)
    line = f"{example.custom[:place]}{{k = 1}} {example.custom[place:]}"
    _, again = graph_of(example, line)
    assert again.attrs is not None
    assert again.op.stream.texts[again.attrs[0] : again.attrs[1]] == ["{", "k", "=", "1", "}"]


@pytest.mark.parametrize("mnemonic", BY_NAME)
def test_a_location_and_comments_change_nothing(mnemonic: str) -> None:
    example = BY_NAME[mnemonic]
    graph, plain = graph_of(example, example.custom)
    line = example.custom.replace(", ", ", // a } ] note\n   ") + ' loc("x{":1:2) // the end'
    other, commented = graph_of(example, line.replace("memref<64xf32, // a } ] note\n   ", "memref<64xf32, "))
    assert [entry[:2] for entry in summary(other, commented)[0]] == [entry[:2] for entry in summary(graph, plain)[0]]
    assert [graph.values[value].vector for value in plain.results] == [
        None if vector is None else graph.values[value].vector
        for value, vector in zip(
            plain.results, [other.values[value].vector for value in commented.results], strict=True
        )
    ]


@pytest.mark.parametrize("form", ["custom", "generic"])
@pytest.mark.parametrize("mnemonic", BY_NAME)
def test_a_line_that_breaks_off_anywhere_is_reported_at_its_place(mnemonic: str, form: str) -> None:
    example = BY_NAME[mnemonic]
    line: str = getattr(example, form)
    stream = tokenize(line)
    for count in range(1, len(stream.texts) - 1):
        cut = line[: stream.end(count - 1)]
        if cut in example.prefixes or (cut.endswith(",") and "=" not in cut):
            continue  # whole, or a list of results that the next line goes on with
        text = f"{example.header}{cut}\n%after = test.after : i32\n"
        module = read(text)
        assert str(module) == text
        graph, diagnostics = build_graph(module)
        found = [*module.diagnostics, *diagnostics]
        assert found, cut
        start = len(example.header)
        inside = [
            diagnostic
            for diagnostic in found
            if diagnostic.primary is not None and start <= diagnostic.primary.span.start <= start + len(cut)
        ]
        assert inside, (cut, [diagnostic.message for diagnostic in found])
        assert all(diagnostic.primary and diagnostic.primary.span.end <= len(text) for diagnostic in found)
        assert graph.ops[-1].name == "test.after", cut


@pytest.mark.parametrize("mnemonic", BY_NAME)
def test_a_line_with_something_behind_its_end_is_reported_there(mnemonic: str) -> None:
    example = BY_NAME[mnemonic]
    _, diagnostics = build_graph(read(f"{example.header}{example.custom} zzz\n"))
    assert [diagnostic.code for diagnostic in diagnostics] == ["LS0004"]
    label = diagnostics[0].primary
    assert label is not None
    assert label.source.slice(label.span) == "zzz"


@pytest.mark.parametrize("mnemonic", [example.mnemonic for example in ROWS if example.operands])
def test_generic_forms_with_too_few_or_too_many_operands_are_reported(mnemonic: str) -> None:
    example = BY_NAME[mnemonic]
    roles = all_specs()[example.name].operands
    fixed = sum(not role.variadic for role in roles)
    numbers = [fixed - 1] if fixed < len(roles) else [fixed - 1, fixed + 1]
    for number in numbers:
        wrong = Row(example.mnemonic, "", (example.operands * 2)[:number], example.results)
        _, diagnostics = build_graph(read(f"{example.header}{wrong.generic}\n"))
        assert [diagnostic.code for diagnostic in diagnostics] == ["LS0004"]


@pytest.mark.parametrize("mnemonic", [example.mnemonic for example in ROWS])
def test_generic_forms_with_too_few_or_too_many_results_are_reported(mnemonic: str) -> None:
    example = BY_NAME[mnemonic]
    roles = all_specs()[example.name].results
    needed = sum(not role.optional for role in roles)
    for number in {needed - 1, len(roles) + 1} - {-1}:
        wrong = Row(example.mnemonic, "", example.operands, (*example.results, *[F] * 3)[:number])
        _, diagnostics = build_graph(read(f"{example.header}{wrong.generic}\n"))
        assert [item.code for item in diagnostics if item.severity == "error"] == ["LS0205"]
        assert f"has {needed} result" in diagnostics[0].message
        assert diagnostics[0].message.endswith(f"its type has {number}")


@pytest.mark.parametrize(("count", "reported"), [(1, False), (2, False), (3, True)])
def test_a_load_may_have_a_second_result(count: int, reported: bool) -> None:
    names = ", ".join(f"%r{number}" for number in range(count))
    types = ", ".join([F] * min(count, 2))
    text = f"{BY_NAME['vload'].header}{names} = ave.hir.vload <DINTLV_B32> %buf[%i] : {BUF} into {types}\n"
    graph, diagnostics = build_graph(read(text))
    assert [diagnostic.code for diagnostic in diagnostics] == ["LS0205"] * reported
    assert [graph.values[value].type.text for value in graph.ops[-1].results[:2]] == [F] * min(count, 2)


def test_inline_enumerators_and_booleans_are_kept() -> None:
    op = read(BY_NAME["vtruncf"].custom).ops[0]
    bound = bind(op, all_specs()["ave.hir.vtruncf"])
    assert isinstance(bound, Bound)
    assert bound.enums == {"rnd": "rint", "bool": "false", "part": "part_even"}
