"""Repairs of programs: each solves, the analyzer takes them, and the text stays what its author wrote."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from layoutsolver.api import SolveOptions, SolveResult, decide, graph_of, read_source
from layoutsolver.backends import load_backend
from layoutsolver.explain.repair import FoundRepair, _candidates
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.source import SourceFile
from layoutsolver_models.solve.layout import Limits
from tests.support.compare_peer import program
from tests.support.explaining import explained, lost
from tests.support.fuzz_explain import examine
from tests.support.peer import analyze, later_passes, peer_path
from tests.support.solving import solve_text

NEEDS_PEER = pytest.mark.skipif(
    peer_path() is None, reason="ascendnpu-ir 1.2.0 is not installed or does not run here (CPython 3.11, x86-64)"
)

ROUND = """\
// f32 data is rounded and kept as f16
func.func @round(%src: memref<64xf32, #hivm.address_space<ub>>, %dst: memref<64xf16, #hivm.address_space<ub>>)
    attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %mask = ave.hir.pge <ALL> : vector<64xi1>  // all lanes
  %x = ave.hir.vload <NORM> %src[%c0] : memref<64xf32, #hivm.address_space<ub>> into vector<64xf32>
  %r = ave.hir.vtrc %x, <rint>, %mask : vector<64xf32>, vector<64xi1>, vector<64xf16>
  ave.hir.masked_store <NORM_B16> %dst[%c0], %mask, %r :
    memref<64xf16, #hivm.address_space<ub>>, vector<64xi1>, vector<64xf16>
  return
}
"""


@pytest.mark.parametrize("compat", ["", "upstream"])
def test_random_programs_have_minimal_conflicts_and_repairs_that_solve(compat: str) -> None:
    outcomes = [examine(seed, compat, 12, peer=False) for seed in range(3000, 3060)]
    assert [(outcome.seed, outcome.wrong) for outcome in outcomes if outcome.wrong] == []
    assert sum(outcome.infeasible for outcome in outcomes) > 15
    assert sum(outcome.repairs for outcome in outcomes) > 15


@pytest.mark.parametrize(
    ("compat", "seed"),
    [("upstream", 10008), ("upstream", 10011), ("upstream", 10123), ("upstream", 10139), ("", 10321), ("", 10043)],
)
def test_what_the_model_takes_for_a_repair_is_one_in_the_text(compat: str, seed: int) -> None:
    """Values that an operation takes several times, as mask and data or twice into a loop, keep their places."""
    text = program(seed)
    result = explained(text, compat, repairs=0)
    assert result.posed is not None
    candidates = _candidates(result.posed, result.conflicts, 3, Limits())
    assert candidates
    for repair in candidates:
        again = apply_edits(text, load_backend("ave").repair(result.posed, repair).edits)
        assert decided(again, compat) is not None


@pytest.mark.peer
@NEEDS_PEER
def test_the_analyzer_accepts_every_repair() -> None:
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda seed: examine(seed, "upstream", 12, peer=True), range(4000, 4120)))
    assert [(outcome.seed, outcome.wrong) for outcome in outcomes if outcome.wrong] == []
    assert sum(outcome.accepted for outcome in outcomes) > 40


def places(result: SolveResult) -> list[str]:
    """The source text at every label of the first conflict, primary first."""
    item = next(item for item in result.diagnostics if item.code == "LS0101")
    assert item.primary is not None
    return [label.source.slice(label.span) for label in (item.primary, *item.secondary)]


@pytest.mark.parametrize("compat", ["", "upstream"])
def test_rounding_to_a_narrower_type_is_explained_and_repaired(compat: str) -> None:
    result = explained(ROUND, compat)
    assert len(result.conflicts) == 1
    assert places(result) == ["ave.hir.masked_store", "ave.hir.vtrc", "%r", "%mask"]
    item = next(item for item in result.diagnostics if item.code == "LS0101")
    assert item.secondary[0].text == "`ave.hir.vtrc` takes `%r` in b32"
    [found] = result.repairs
    assert (found.repair.cost, found.repair.proved, found.fix().verified) == (1, True, False)
    assert found.text == ROUND.replace(
        "%r = ave.hir.vtrc %x, <rint>, %mask : vector<64xf32>, vector<64xi1>, vector<64xf16>\n",
        "%r_step = ave.hir.vtrc %x, <rint>, %mask : vector<64xf32>, vector<64xi1>, vector<64xf32>\n"
        "  %r = ave.hir.vtruncf %r_step, <rint>, false, <part_even>, %mask : "
        "vector<64xf32>, vector<64xf16>, vector<64xi1>\n",
    )


@pytest.mark.peer
@NEEDS_PEER
def test_the_analyzer_takes_the_repaired_rounding_down_to_intrinsics() -> None:
    assert analyze(ROUND).verdict == "no_solve"
    [found] = explained(ROUND, "upstream").repairs
    answer = analyze(found.text)
    assert answer.verdict == "solved"
    assert later_passes(answer.stdout)[0] == 0


# -- names, comments, places --------------------------------------------------------------------------------------

HEAD = "func.func @f(%b32: memref<64xf32>, %b16: memref<1024xf16>, %b8: memref<64xi8>, %s: f16, %n: index) {\n"


def in_function(body: str) -> str:
    return f"{HEAD}  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n{body}  return\n}}\n"


def wide(mask: str) -> str:
    """A use of a predicate beside 32-bit data."""
    return f"ave.hir.masked_store <NORM_B32> %b32[%c0], {mask}, %x32 : memref<64xf32>, vector<64xi1>, vector<64xf32>"


def narrow(mask: str) -> str:
    """A use of a predicate that wants 16-bit granularity."""
    return f"ave.hir.store_with_stride %b16[%c0], %n, {mask}, %x16 : memref<1024xf16>, vector<64xi1>, vector<64xf16>"


DATA = """\
  %x32 = ave.hir.vload <NORM> %b32[%c0] : memref<64xf32> into vector<64xf32>
  %x16 = ave.hir.vload <NORM> %b16[%c0] : memref<1024xf16> into vector<64xf16>
"""
EXTEND = "%e = ave.hir.vextf {x}, <part_even>, %k : vector<64xf16>, vector<64xf32>, vector<64xi1>"
PACKED = "%i0, %i1 = ave.hir.vdintlv {x}, {x} : vector<64xf16>, vector<64xf16>"
"""One use of 16-bit data in every second half word, one of dense data."""

PROGRAMS = {
    "numeric name": in_function(f"{DATA}  %0 = ave.hir.pge <ALL> : vector<64xi1>\n  {wide('%0')}\n  {narrow('%0')}\n"),
    "name that is taken": in_function(
        f"{DATA}  %m = ave.hir.pge <ALL> : vector<64xi1>\n  %m_b16, %m_b32 = ave.hir.plt %n : vector<64xi1>, index\n"
        f"  {wide('%m_b16')}\n  {wide('%m')}\n  {narrow('%m')}\n"
    ),
    "one of several results": in_function(
        f"{DATA}  %k = arith.constant 9 : index\n"
        f"  %p:2 = ave.hir.plt %k : vector<64xi1>, index  // masks\n  {wide('%p#0')}\n  {narrow('%p#0')}\n"
    ),
    "second of several results": in_function(
        f"{DATA}  %k = ave.hir.pge <ALL> : vector<64xi1>\n"
        "  %p:2 = ave.hir.vintlv %x16, %x16 : vector<64xf16>, vector<64xf16>\n"
        f"  {EXTEND.format(x='%p#1')}\n  {PACKED.format(x='%p#1')}\n"
    ),
    "generic producer": in_function(
        f'{DATA}  %m = "ave.hir.pge"() <{{pattern = #ave.pge_pattern<ALL>}}> : () -> vector<64xi1>\n'
        f"  {wide('%m')}\n  {narrow('%m')}\n"
    ),
    "generic use": in_function(
        f"{DATA}  %m = ave.hir.pge <ALL> : vector<64xi1>\n"
        '  "ave.hir.vabs"(%x32, %m) : (vector<64xf32>, vector<64xi1>) -> vector<64xf32>\n'
        f"  {narrow('%m')}\n"
    ).replace('  "ave.hir.vabs"', '  %y = "ave.hir.vabs"'),
    "argument of a function": "func.func @f(%x: vector<64xf16>) {\n"
    "  // its first operation\n  %k = ave.hir.pge <ALL> : vector<64xi1>\n"
    f"  {EXTEND.format(x='%x')}\n  {PACKED.format(x='%x')}\n  return\n}}\n",
    "argument of a loop": in_function(
        f"{DATA}  %k = ave.hir.pge <ALL> : vector<64xi1>\n"
        "  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x16) -> (vector<64xf16>) {\n"
        f"    // first of the body\n    {EXTEND.format(x='%acc')}\n    {PACKED.format(x='%acc')}\n"
        "    scf.yield %acc : vector<64xf16>\n  }\n"
    ),
    "defined in a loop": in_function(
        f"{DATA}  scf.for %i = %c0 to %n step %c1 {{\n    %m = ave.hir.pge <ALL> : vector<64xi1>  // inside\n"
        f"    {wide('%m')}\n    {narrow('%m')}\n  }}\n"
    ),
    "defined in a branch": in_function(
        f"{DATA}  %go = arith.cmpi eq, %n, %c0 : index\n  scf.if %go {{\n"
        f"    %m = ave.hir.pge <ALL> : vector<64xi1>\n    {wide('%m')}\n  }} else {{\n"
        f"    %o = ave.hir.pge <ALL> : vector<64xi1>\n    {wide('%o')}\n    {narrow('%o')}\n  }}\n"
    ),
    "uses in nested regions": in_function(
        f"{DATA}  %m = ave.hir.pge <ALL> : vector<64xi1>\n  {wide('%m')}\n"
        f"  scf.for %i = %c0 to %n step %c1 {{\n    {narrow('%m')}\n"
        f"    scf.for %j = %c0 to %n step %c1 {{\n      {narrow('%m')}\n      {wide('%m')}\n    }}\n  }}\n"
    ),
    "several lines": in_function(
        f"{DATA}  %m =\n    ave.hir.pge  // pattern\n    <ALL>\n    : vector<64xi1>  // behind\n"
        f"  {wide('%m')}\n  {narrow('%m')}\n"
    ),
    "carried twice": in_function(
        f"{DATA}  %k = ave.hir.pge <ALL> : vector<64xi1>\n"
        "  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x16, %b = %x16) -> "
        "(vector<64xf16>, vector<64xf16>) {\n"
        f"    scf.yield %a, %b : vector<64xf16>, vector<64xf16>\n  }}\n"
        f"  {EXTEND.format(x='%r#0')}\n  {PACKED.format(x='%r#1')}\n"
    ),
    "with attributes": in_function(
        f'{DATA}  %m = ave.hir.pge <ALL> {{note = "a // b"}} : vector<64xi1>\n  {wide("%m")}\n  {narrow("%m")}\n'
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_is_infeasible_for_the_reason_that_it_shows(name: str) -> None:
    result = explained(PROGRAMS[name])
    assert [item.code for item in result.diagnostics if item.severity == "error"] in (["LS0101"], ["LS0101"] * 2)


def defined(text: str) -> list[str]:
    """The names of all results and arguments, as the reader sees them."""
    module = read_source(SourceFile("x", text))
    graph, found = graph_of(module)
    assert [item.message for item in found if item.severity == "error"] == []
    return [value.name for value in graph.values]


@pytest.mark.parametrize("compat", ["", "upstream"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_repairs_solve_and_keep_names_and_comments(name: str, compat: str) -> None:
    text = PROGRAMS[name]
    result = explained(text, compat)
    if compat and result.verdict != "no_solve":
        return
    assert result.repairs
    assert {found.repair.cost for found in result.repairs} != {0}
    for found in result.repairs:
        assert solve_text(found.text, compat).ok
        assert lost(text, found.text) == []
        assert unchanged(text, found) == ""
        if "branch" in name or "loop" in name or "region" in name:
            continue
        names = defined(found.text)
        assert len(set(names)) == len(names)


def unchanged(text: str, found: FoundRepair) -> str:
    """What is left of the text's lines once those that the repair keeps are taken out in order, edits aside."""
    touched = {text.count("\n", 0, edit.span.start) for edit in found.edits}
    kept = [line for number, line in enumerate(text.split("\n")) if number not in touched]
    rest = found.text.split("\n")
    for line in kept:
        if line not in rest:
            return line
        rest = rest[rest.index(line) + 1 :]
    return ""


def test_a_copy_of_a_numbered_value_gets_a_name_that_mlir_accepts() -> None:
    for found in explained(PROGRAMS["numeric name"]).repairs:
        assert re.search(r"%v0_b(16|32) = ave\.hir\.pge", found.text)
        assert not re.search(r"%\d+[A-Za-z_]", found.text)


def test_a_name_that_is_taken_is_not_used_again() -> None:
    texts = [found.text for found in explained(PROGRAMS["name that is taken"]).repairs]
    assert any("%m_b16_ = ave.hir.pge" in text for text in texts)
    assert any("%m_b32_ = ave.hir.pge" in text for text in texts)


def test_a_copy_goes_behind_its_value_and_the_comment_there() -> None:
    [*_, found] = explained(PROGRAMS["defined in a loop"]).repairs
    assert re.search(r"// inside\n    %m_b\d+ = ave\.hir\.pge <ALL> : vector<64xi1>\n", found.text)


def test_a_copy_of_an_argument_goes_before_the_first_operation() -> None:
    found = explained(PROGRAMS["argument of a loop"]).repairs[0]
    spread = r"%{0}_wide = builtin\.unrealized_conversion_cast %{0} : .*\n *%{0}_b16_2vl, %{0}_rest = ave\.hir\.vintlv"
    dense = r"%{0}_wide, %{0}_rest = ave\.hir\.vdintlv %{0}, %{0} .*\n *%{0}_b16 = "
    acc, x = (f"({spread.format(name)}|{dense.format(name)})" for name in ("acc", "x"))
    assert re.search(rf"// first of the body\n    {acc}", found.text)
    found = explained(PROGRAMS["argument of a function"]).repairs[0]
    assert re.search(rf"operation\n  {x}", found.text)


def test_comments_inside_a_rewritten_operation_are_kept() -> None:
    text = ROUND.replace("<rint>, %mask :", "// to nearest\n    <rint>, %mask :")
    [found] = explained(text).repairs
    assert "\n  // to nearest\n  %r_step = " in found.text
    assert solve_text(found.text).ok


def test_only_one_result_of_several_is_taken_from_a_clone() -> None:
    [found, *_] = explained(PROGRAMS["one of several results"]).repairs
    assert re.search(r"// masks\n  %p_b\d+:2 = ave\.hir\.plt %k", found.text)
    assert found.text.count("%p#0") == 1
    assert len(re.findall(r"%p_b\d+#0", found.text)) == 1


def test_a_repair_in_a_loop_costs_what_the_loop_runs() -> None:
    body = PROGRAMS["defined in a loop"]
    assert {found.repair.cost for found in explained(body).repairs} == {16}
    known = body.replace("to %n step", "to %c4 step").replace("  %c1 =", "  %c4 = arith.constant 4 : index\n  %c1 =")
    assert {found.repair.cost for found in explained(known).repairs} == {4}
    outside = PROGRAMS["uses in nested regions"]
    assert {found.repair.cost for found in explained(outside).repairs} == {1}


# -- least cost, against all sensible edits of the text -------------------------------------------------------------


def small(body: str) -> str:
    return in_function(f"{DATA}  %x8 = ave.hir.vload <NORM> %b8[%c0] : memref<64xi8> into vector<64xi8>\n{body}")


PGE = "  {m} = ave.hir.pge <ALL> : vector<64xi1>\n"
SCALAR = "{p} = ave.hir.vcmps <GT> {x}, %s, {m} : vector<64xf16>, f16, vector<64xi1> -> vector<64xi1>"
WIDEN = "{w} = ave.hir.vextf {x}, <part_even>, {m} : vector<64xf16>, vector<64xf32>, vector<64xi1>"
UNPACK = "{w} = ave.hir.vdintlv {x}, {x} : vector<64xf16>, vector<64xf16>"
SMALL = {
    "mask, one use each": small(f"{PGE.format(m='%m')}  {wide('%m')}\n  {narrow('%m')}\n"),
    "mask, two uses each": small(
        f"{PGE.format(m='%m')}  {wide('%m')}\n  {narrow('%m')}\n  {wide('%m')}\n  {narrow('%m')}\n"
    ),
    "two masks": small(
        f"{PGE.format(m='%m')}{PGE.format(m='%o')}  {wide('%m')}\n  {narrow('%m')}\n  {wide('%o')}\n  {narrow('%o')}\n"
    ),
    "three granularities": small(
        f"{PGE.format(m='%m')}  {wide('%m')}\n  {narrow('%m')}\n"
        "  ave.hir.store_with_stride %b8[%c0], %n, %m, %x8 : memref<64xi8>, vector<64xi1>, vector<64xi8>\n"
    ),
    "mask of a loop": small(
        f"{PGE.format(m='%m')}  scf.for %i = %c0 to %n step %c1 {{\n    {wide('%m')}\n    {narrow('%m')}\n  }}\n"
    ),
    "mask in a loop": small(
        f"  scf.for %i = %c0 to %n step %c1 {{\n  {PGE.format(m='%m')}    {wide('%m')}\n    {narrow('%m')}\n  }}\n"
    ),
    "result of a comparison": small(
        f"{PGE.format(m='%m')}  {SCALAR.format(p='%p', x='%x16', m='%m')}\n  {wide('%p')}\n"
    ),
    "data of a comparison": small(
        f"{PGE.format(m='%m')}{PGE.format(m='%o')}  {SCALAR.format(p='%p', x='%x16', m='%m')}\n"
        f"  {WIDEN.format(w='%w', x='%x16', m='%o')}\n"
    ),
    "loaded, widened and unpacked": small(
        f"{PGE.format(m='%m')}  {WIDEN.format(w='%w', x='%x16', m='%m')}\n  {UNPACK.format(w='%u, %v', x='%x16')}\n"
    ),
    "computed, widened and unpacked": small(
        f"{PGE.format(m='%m')}{PGE.format(m='%o')}  %y = ave.hir.vabs %x16, %o : vector<64xf16>, vector<64xi1>\n"
        f"  {WIDEN.format(w='%w', x='%y', m='%m')}\n  {UNPACK.format(w='%u, %v', x='%y')}\n"
    ),
    "two data, one mask": small(
        f"{PGE.format(m='%m')}  {WIDEN.format(w='%w', x='%x16', m='%m')}\n  {UNPACK.format(w='%u, %v', x='%x16')}\n"
        f"  {narrow('%m')}\n"
    ),
    "rounded": small(
        f"{PGE.format(m='%m')}  %r = ave.hir.vtrc %x32, <rint>, %m : vector<64xf32>, vector<64xi1>, vector<64xf16>\n"
        f"  ave.hir.masked_store <NORM_B16> %b16[%c0], %m, %r : memref<1024xf16>, vector<64xi1>, vector<64xf16>\n"
    ),
    "through a logic operation": small(
        f"{PGE.format(m='%m')}{PGE.format(m='%o')}  %p = ave.hir.preg.and <b8> %m, %o, %o : vector<64xi1>\n"
        f"  {wide('%m')}\n  {narrow('%p')}\n"
    ),
}
_COPYABLE = re.compile(r"^( *)(%\w+) = (ave\.hir\.(?:pge|vload|vabs|preg\.and|vcmps) .*)$", re.MULTILINE)


def edits_of(text: str) -> list[tuple[str, int, int]]:
    """Texts with one change each, what it costs, and how many copies it makes: clones, conversions, rewritings.

    A copy is seen by any non-empty set of the value's later uses but all of them.
    """
    out = []
    for match in _COPYABLE.finditer(text):
        indent, name, body = match.groups()
        runs = 16 if in_loop(text, match.start()) else 1
        copies = [f"{indent}{name}c = {body}\n"]
        if "vector<64xf16>" in body.split(":")[-1]:
            copies += [
                f"{indent}{name}c, {name}r = ave.hir.{op} {name}, {name} "
                f"{{layout_change = #ave<layout_change {change}>}} : vector<64xf16>, vector<64xf16>\n"
                for op, change in (("vintlv", "SPARSE"), ("vdintlv", "DENSE"))
            ]
        rest = text[match.end() + 1 :]
        lines = [n for n, line in enumerate(rest.split("\n")) if re.search(rf"{name}(?!\w)", line)]
        for chosen in range(1, 2 ** len(lines) - 1 if len(lines) > 1 else 2):
            new = rest.split("\n")
            for bit, line in enumerate(lines):
                if chosen >> bit & 1:
                    new[line] = re.sub(rf"{name}(?!\w)", f"{name}c", new[line])
            out += [(text[: match.end() + 1] + copy + "\n".join(new), runs, 1) for copy in copies]
    for match in re.finditer(r"^( *)(%\w+) = ave\.hir\.vcmps <GT> (%\w+), %s, (%\w+) :.*$", text, re.MULTILINE):
        indent, name, data, mask = match.groups()
        written = (
            f"{indent}{name}s = ave.hir.broadcast %s, {mask} : f16, vector<64xi1> -> vector<64xf16>\n"
            f"{indent}{name} = ave.hir.vcmp <GT> {data}, {name}s, {mask} : "
            "vector<64xf16>, vector<64xi1> -> vector<64xi1>"
        )
        out.append((text[: match.start()] + written + text[match.end() :], 1, 1))
    for match in re.finditer(r"^( *)(%\w+) = ave\.hir\.vtrc (%\w+), <rint>, (%\w+) :.*$", text, re.MULTILINE):
        indent, name, data, mask = match.groups()
        written = (
            f"{indent}{name}s = ave.hir.vtrc {data}, <rint>, {mask} : vector<64xf32>, vector<64xi1>, vector<64xf32>\n"
            f"{indent}{name} = ave.hir.vtruncf {name}s, <rint>, false, <part_even>, {mask} : "
            "vector<64xf32>, vector<64xf16>, vector<64xi1>"
        )
        out.append((text[: match.start()] + written + text[match.end() :], 1, 1))
    return out


def in_loop(text: str, at: int) -> bool:
    return text[:at].count("scf.for") > len(re.findall(r"^  \}", text[:at], re.MULTILINE))


def least_by_editing(text: str, compat: str, enough: int) -> int | None:
    """The least cost over all sets of up to two changes (three where two do not help), None if none helps.

    In the default mode the layouts of the changed program count as well. Sets that cannot cost less than `enough` and
    are larger than two are not tried.
    """
    level = {text: 0}
    best: int | None = None
    for size in (1, 2, 3):
        if size == 3 and (best is not None or enough <= 2):
            break
        following: dict[str, int] = {}
        for before, cost in level.items():
            for after, more, _ in edits_of(before):
                following[after] = min(following.get(after, cost + more), cost + more)
        for after, cost in following.items():
            if best is None or cost < best:
                result = decided(after, compat)
                if result is not None and (best is None or cost + result < best):
                    best = cost + result
        level = following
    return best


def decided(text: str, compat: str) -> int | None:
    """What the layouts of a text cost, None if there are none; nothing is explained."""
    result = decide(SourceFile("x", text), SolveOptions(compat=compat))
    if not result.ok or result.verdict not in ("", "solved") or result.solution is None:
        return None
    return 0 if compat else result.solution.cost


@pytest.mark.parametrize("compat", ["", "upstream"])
@pytest.mark.parametrize("name", SMALL)
def test_no_edit_of_the_text_is_cheaper_than_the_first_repair(name: str, compat: str) -> None:
    text = SMALL[name]
    result = explained(text, compat)
    if compat and result.verdict != "no_solve":
        return
    best = result.repairs[0]
    assert best.repair.proved
    found = decided(best.text, compat)
    assert found is not None
    assert best.repair.total == best.repair.cost + found
    assert least_by_editing(text, compat, best.repair.total) == best.repair.total


def test_a_predicate_that_is_selected_as_well_is_redirected_where_each_of_its_uses_is() -> None:
    body = (
        f"{DATA}  %a = ave.hir.pge <ALL> : vector<64xi1>\n  %m = ave.hir.pge <VL8> : vector<64xi1>\n"
        "  %q = ave.hir.vsel %m, %a, %m : vector<64xi1>, vector<64xi1>\n"
        f"  {wide('%m')}\n  {narrow('%q')}\n"
    )
    texts = [found.text for found in explained(in_function(body)).repairs]
    assert texts
    assert all(solve_text(text).ok for text in texts)
    assert any(re.search(r"vsel (%m_b\d+), %a, \1 :", text) for text in texts)
