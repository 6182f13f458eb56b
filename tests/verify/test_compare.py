"""What is said when a program runs differently with its layouts, and which programs run alike."""

from __future__ import annotations

import pytest

from layoutsolver.api import SolveOptions
from layoutsolver.source import SourceFile
from layoutsolver.verify.compare import check_solution
from layoutsolver.verify.result import Verification
from layoutsolver.verify.run import VerifyResult, verify
from tests.support.solving import solve_text

UB = "#hivm.address_space<ub>"


def run(text: str, chip: str = "ascend950", compat: str = "") -> VerifyResult:
    return verify(SourceFile("test.mlir", text), SolveOptions(compat=compat, chip=chip))


def kernel(body: str, arguments: str = "") -> str:
    head = f"func.func @f(%a: memref<1024xf32, {UB}>, %b: memref<1024xi8, {UB}>, %c: memref<1024xi16, {UB}>{arguments})"
    return f"{head} {{\n  %c0 = arith.constant 0 : index\n{body}\n  return\n}}\n"


def load(name: str, element: str, lanes: int = 64, at: str = "%c0", extra: str = "") -> str:
    buffer = {"f32": "%a", "i8": "%b", "i16": "%c"}[element]
    memref = f"memref<1024x{element}, {UB}>"
    return f"{name} = ave.hir.vload <NORM> {buffer}[{at}]{extra} : {memref} into vector<{lanes}x{element}>"


def store(name: str, element: str, lanes: int = 64, mask: str = "%m", at: str = "%c0", extra: str = "") -> str:
    buffer = {"f32": "%a", "i8": "%b", "i16": "%c"}[element]
    width = {"f32": 32, "i8": 8, "i16": 16}[element]
    return (
        f"ave.hir.masked_store <NORM_B{width}> {buffer}[{at}], {mask}, {name}{extra} : "
        f"memref<1024x{element}, {UB}>, vector<{lanes}xi1>, vector<{lanes}x{element}>"
    )


MASK = "%m = ave.hir.pge <ALL> : vector<64xi1>"
UNALIGNED = " {ave.unaligned_ub_access = #ave.unaligned_ub_access}"


@pytest.mark.parametrize("chip", ["ascend950", "ascend310b4"])
@pytest.mark.parametrize(
    "lines",
    [
        [MASK, load("%x", "f32"), "%y = ave.hir.vadd %x, %x, %m : vector<64xf32>, vector<64xi1>", store("%y", "f32")],
        [
            MASK, load("%x", "i8"),
            "%e = ave.hir.vextsi %x, %m {pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8>, vector<64xi32>, vector<64xi1>",
            "%d = ave.hir.vmul %e, %e, %m : vector<64xi32>, vector<64xi1>",
            "%t = ave.hir.vtrunci %d, false, %m {pp = #ave.vcvt_pp_type<pp0>} : "
            "vector<64xi32>, vector<64xi8>, vector<64xi1>",
            store("%t", "i8"),
        ],
        [
            MASK, load("%x", "i8", extra=UNALIGNED),
            "%e = ave.hir.vextui %x, %m {pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8>, vector<64xi32>, vector<64xi1>",
            "%t = ave.hir.vtrunci %e, true, %m {pp = #ave.vcvt_pp_type<pp0>} : "
            "vector<64xi32>, vector<64xi8>, vector<64xi1>",
            store("%t", "i8", extra=UNALIGNED),
        ],
        [
            MASK, load("%x", "f32"), load("%h", "i8"),
            "%p = ave.hir.vcmp <LT> %x, %x, %m : vector<64xf32>, vector<64xi1> -> vector<64xi1>",
            "%q = ave.hir.preg.not <b8> %p, %m : vector<64xi1>",
            "%s = ave.hir.vsel %q, %h, %h : vector<64xi1>, vector<64xi8>", store("%s", "i8", mask="%q"),
        ],
        [
            MASK, load("%x", "f32"),
            "%r = ave.hir.reduction <add>, %x, %m : vector<64xf32>, vector<64xi1> -> vector<64xf32>",
            "%v = ave.hir.vector_broadcast %r, %m, true : vector<64xf32>, vector<64xi1> -> vector<64xf32>",
            store("%v", "f32"),
        ],
        [
            MASK, "%c4 = arith.constant 4 : index", "%c1 = arith.constant 1 : index", load("%x", "f32"),
            "%l = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %x) -> (vector<64xf32>) {",
            "  %n = ave.hir.vmula %acc, %acc, %x, %m : vector<64xf32>, vector<64xi1>",
            "  scf.yield %n : vector<64xf32>", "}", store("%l", "f32"),
        ],
        [
            MASK, "%yes = arith.constant true", load("%x", "f32"),
            "%l = scf.if %yes -> (vector<64xf32>) {",
            "  %n = ave.hir.vabs %x, %m : vector<64xf32>, vector<64xi1>",
            "  scf.yield %n : vector<64xf32>", "} else {", "  scf.yield %x : vector<64xf32>", "}", store("%l", "f32"),
        ],
        [
            MASK, "%z = arith.constant 3 : i16",
            "%i = ave.hir.vci %z, <INCREASE> : i16, vector<64xi16>",
            f"%g = ave.hir.vgather %c[%c0] [%i], %m : memref<1024xi16, {UB}>, vector<64xi16>, vector<64xi1> "
            "into vector<64xi16>", store("%g", "i16"),
        ],
        [
            MASK, load("%x", "i8", 64), load("%y", "f32"),
            "%p = ave.hir.vcmps <GT> %x, %k, %m8 : vector<64xi8>, i8, vector<64xi1> -> vector<64xi1>",
            store("%x", "i8", mask="%p"), store("%y", "f32"),
        ],
    ],
)  # fmt: skip
def test_programs_run_alike(lines: list[str], chip: str) -> None:
    extra = ["%k = arith.constant 5 : i8", "%m8 = ave.hir.pge <ALL> : vector<64xi1>"]
    result = run(kernel("\n".join([*extra, *lines])), chip)
    assert result.ok, [(item.code, item.message, item.notes) for item in result.diagnostics]
    assert result.verification is not None
    assert result.verification.runs == 4


VIEWS = f"""
#map = affine_map<(d0)[s0] -> (d0 * 256 + s0)>
func.func @f(%a: memref<1024xf32, strided<[1], offset: ?>, {UB}>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %base, %off, %size, %stride = memref.extract_strided_metadata %a :
    memref<1024xf32, strided<[1], offset: ?>, {UB}> -> memref<f32, {UB}>, index, index, index
  scf.for %i = %c0 to %c2 step %c1 {{
    %at = affine.apply #map(%i)[%off]
    %len = affine.min affine_map<(d0) -> (d0 + 64, 512)>(%i)
    %v = memref.reinterpret_cast %base to offset: [%at], sizes: [%len], strides: [1] :
      memref<f32, {UB}> to memref<?xf32, strided<[1], offset: ?>, {UB}>
    %w = memref.subview %a[64] [128] [1] : memref<1024xf32, strided<[1], offset: ?>, {UB}>
      to memref<128xf32, strided<[1], offset: ?>, {UB}>
    %x = ave.hir.vload <NORM> %v[%c0] : memref<?xf32, strided<[1], offset: ?>, {UB}> into vector<64xf32>
    %y = ave.hir.vload <NORM> %w[%c0] : memref<128xf32, strided<[1], offset: ?>, {UB}> into vector<64xf32>
    %z = ave.hir.vadd %x, %y, %m : vector<64xf32>, vector<64xi1>
    ave.hir.masked_store <NORM_B32> %v[%c0], %m, %z :
      memref<?xf32, strided<[1], offset: ?>, {UB}>, vector<64xi1>, vector<64xf32>
  }}
  return
}}
"""


def test_views_and_affine_maps_are_followed() -> None:
    result = run(VIEWS)
    assert result.ok, [(item.code, item.message, item.notes) for item in result.diagnostics]


def wrong(text: str, value: str, layout: str) -> Verification:
    """A program run with one value's layout changed in its solution."""
    result = solve_text(text, chip="ascend950")
    assert result.posed is not None
    assert result.solution is not None
    names = [known.id for known in result.posed.problem.values]
    layouts = list(result.solution.layouts)
    layouts[names.index(value)] = layout
    return check_solution(result.posed, result.solution._replace(layouts=tuple(layouts)))


def test_a_wrong_functiontype_is_said_with_bytes() -> None:
    text = kernel("\n".join([MASK, load("%x", "i8"), store("%x", "i8")]))
    result = solve_text(text, chip="ascend950")
    assert result.posed is not None
    assert result.solution is not None
    rows = list(result.solution.rows)
    for number, relation in enumerate(result.posed.problem.relations):
        if relation.op == "ave.hir.vload":
            rows[number] = 1
    found = check_solution(result.posed, result.solution._replace(rows=tuple(rows)))
    (said,) = found.diagnostics
    assert (said.code, said.severity) == ("LS0701", "error")
    assert (
        said.message == "`ave.hir.masked_store` leaves 32 other bytes after layout than before"
        or "other" in said.message
    )
    assert said.notes[0].startswith("element 1 of `%b`: expected ")
    assert said.notes[0].endswith("found ??")
    assert said.primary is not None
    assert said.primary.source.slice(said.primary.span) == "ave.hir.masked_store"
    assert [label.source.slice(label.span) for label in said.secondary] == ["ave.hir.vload"]


@pytest.mark.parametrize(
    ("lines", "code", "words"),
    [
        (["%p = arith.constant 1 : index", MASK, load("%x", "f32", at="%p"), store("%x", "f32")],
         "LS0702", "misaligned"),
        (["%p = arith.constant 1000 : index", MASK, load("%x", "f32"), store("%x", "f32", at="%p")],
         "LS0702", "bounds"),
        ([MASK, load("%x", "i16"), "%y = ave.hir.vsqrt %x, %m : vector<64xi16>, vector<64xi1>",
          store("%y", "i16")], "LS0703", "has no form for i16"),
        ([MASK, load("%x", "f32"), "%k = test.unknown %c0 : index", store("%x", "f32")], "LS0703", "test.unknown"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_said_with_its_place(lines: list[str], code: str, words: str) -> None:
    result = run(kernel("\n".join(lines)))
    (said,) = [item for item in result.diagnostics if item.severity == "error"]
    assert said.code == code
    assert words in said.message
    assert said.primary is not None


def test_an_undefined_value_decides_nothing() -> None:
    text = kernel("\n".join([
        MASK, "%one = ave.hir.pge <VL1> : vector<64xi1>", load("%x", "f32"),
        "%y = ave.hir.vabs %x, %one : vector<64xf32>, vector<64xi1>", store("%y", "f32"),
    ]))  # fmt: skip
    result = run(text)
    assert result.ok
    assert wrong(text, "%y", "b32").ok


def test_the_same_seed_gives_the_same_answer() -> None:
    text = kernel("\n".join([MASK, load("%x", "i8"), store("%x", "i8")]))
    first, second = (verify(SourceFile("t", text), rounds=2, seed=7) for _ in range(2))
    assert first.verification == second.verification


def test_vectors_of_64_bits_come_and_go_as_elements() -> None:
    buffer, vector = "memref<64xi64, #hivm.address_space<ub>>", "vector<64xi64>"
    text = f"""func.func @f(%v: {vector}, %d: {buffer}, %e: {buffer}) -> {vector} {{
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %e[%c0] : {buffer} into {vector}
  %y = ave.hir.vadd %x, %v, %m : {vector}, vector<64xi1>
  ave.hir.masked_store <NORM_B64> %d[%c0], %m, %y : {buffer}, vector<64xi1>, {vector}
  return %y : {vector}
}}
"""
    result = solve_text(text)
    assert result.posed is not None
    assert result.solution is not None
    found = check_solution(result.posed, result.solution)
    assert found.ok, found.diagnostics
    assert (found.bytes_compared, found.vectors_compared) == (4096, 4)


@pytest.mark.parametrize("chip", ["ascend950", "ascend310b4"])
@pytest.mark.parametrize("lanes", [64, 128, 256])
def test_predicates_are_stored_at_any_byte(lanes: int, chip: str) -> None:
    """More than 128 bits as two halves, one after the other."""
    mask, bits = f"vector<{lanes}xi1>", f"memref<1024xi1, {UB}>"
    lines = [
        f"%m = ave.hir.pge <ALL> : {mask}", "%k = arith.constant 5 : i8", "%c40 = arith.constant 40 : index",
        load("%x", "i8", lanes), f"%p = ave.hir.vcmps <GT> %x, %k, %m : vector<{lanes}xi8>, i8, {mask} -> {mask}",
        f"ave.hir.masked_store <NORM_B8> %d[%c40], %m, %p{UNALIGNED} : {bits}, {mask}, {mask}",
    ]  # fmt: skip
    result = run(kernel("\n".join(lines), f", %d: {bits}"), chip)
    assert result.ok, [(item.code, item.message, item.notes) for item in result.diagnostics]
