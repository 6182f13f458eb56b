"""Programs whose types state layouts, as they stand: what fits, what does not and where, and what is left open."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutsolver.api_vmi import annotate, solve
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.pose import PosedVmi, pose_vmi
from layoutsolver.source import SourceFile
from layoutsolver.vmi.stated import choice_as_stated, states_layouts
from layoutsolver_models.solve.layout import Limits
from tests.cli.running import Run, write
from tests.pose.vmi.facts import FOLDER
from tests.support.vmi_programs import random_kernel


def read_posed(text: str) -> PosedVmi:
    graph, errors = build_graph(read(SourceFile("k.pto", text)))
    assert not errors
    assert states_layouts(graph)
    return pose_vmi(graph)


NAMES = ("009-fp4-e1m2-128.pto", "004-quant-f32-e4m3.pto", "260-mask.pto", "179-mask.pto", "134-scale.pto")
TEXTS = [
    *((FOLDER / name).read_text(encoding="utf-8") for name in NAMES),
    *(text for seed in range(20) if solve(SourceFile("k.pto", text := random_kernel(seed, 6))).ok),
]


@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_what_is_written_stands_as_it_was_decided(number: int) -> None:
    result = solve(SourceFile("k.pto", TEXTS[number]))
    assert result.solution is not None
    posed = read_posed(annotate(result))
    found, wrong = choice_as_stated(posed, Limits())
    assert (wrong, posed.diagnostics) == ([], [])
    assert found is not None
    assert found.load == result.solution.load


T = "!pto.vmi.vreg<128x{}{}>"
C, D2, D4 = (f", #pto.vmi.layout<{name}>" for name in ("contiguous", "deinterleaved = 2", "deinterleaved = 4"))


def widening(source: str, result: str, between: str = "") -> str:
    """A load, a cast and a store, with the layouts of the two vectors; `between` is put behind the cast."""
    narrow, wide = T.format("f16", source), T.format("f32", result)
    stored = ("%z", T.format("f32", C)) if between else ("%y", wide)
    return (
        "func.func @k(%p: !pto.ptr<f16, ub>, %q: !pto.ptr<f32, ub>, %o: index) {\n"
        f"  %x = pto.vmi.vload %p[%o] : !pto.ptr<f16, ub> -> {narrow}\n"
        f"  %y = pto.vmi.vcvt %x : {narrow} -> {wide}\n{between}"
        f"  pto.vmi.vstore {stored[0]}, %q[%o] : {stored[1]}, !pto.ptr<f32, ub>\n"
        "  return\n}\n"
    )


ENSURE = f"  %z = pto.vmi.ensure_layout %y : {T.format('f32', D2)} -> {T.format('f32', C)}\n"


@pytest.mark.parametrize(
    ("text", "conversions"), [(widening(C, D2), 0), (widening(D2, D4), 0), (widening(C, D2, ENSURE), 1)]
)
def test_layouts_that_fit_are_taken_as_they_are(text: str, conversions: int, tmp_path: Path, run: Run) -> None:
    found, wrong = choice_as_stated(read_posed(text), Limits())
    assert found is not None
    assert (wrong, len(found.conversions)) == ([], conversions)
    outcome = run("verify", write(tmp_path / "k.pto", text))
    assert (outcome.status, outcome.err) == (0, "")
    assert "agrees with its layouts as written in 4 runs" in outcome.out


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (widening(C, C), 3, "no rule of `extf` takes and makes what the types state: %x:c -> %y:c"),
        (widening(D2, C), 3, "no rule of `extf` takes and makes what the types state: %x:d2 -> %y:c"),
        (widening(C, D4), 3, "no rule of `extf` takes and makes what the types state: %x:c -> %y:d4"),
        (
            widening(C, D2, ENSURE.replace("<contiguous>", "<block_deinterleaved = 2>")).replace(
                "vstore %z, %q[%o] : " + T.format("f32", C),
                "vstore %z, %q[%o] : " + T.format("f32", ", #pto.vmi.layout<block_deinterleaved = 2>"),
            ),
            4,
            "there is no conversion as the types of `ensure_layout` state it: %y:d2 -> %z:bd2",
        ),
    ],
)
def test_layouts_that_do_not_fit_are_said_at_their_operation(
    text: str, line: int, said: str, tmp_path: Path, run: Run
) -> None:
    path = write(tmp_path / "k.pto", text)
    outcome = run("verify", path)
    assert (outcome.status, outcome.out) == (1, "")
    assert ("LS0808", f"{line}:") in [(code, place.partition(":")[0] + ":") for code, place in outcome.found]
    assert f"VMI-LAYOUT-CONTRACT: {said}" in outcome.err
    assert "agrees" not in outcome.out


def test_every_operation_that_does_not_fit_is_said() -> None:
    one, other = T.format("f32", C), T.format("f32", D2)
    text = widening(C, C).replace("  pto.vmi.vstore", f"  %w = pto.vmi.vexp %y : {one} -> {other}\n  pto.vmi.vstore")
    text = text.replace("  return", f"  pto.vmi.vstore %w, %q[%o] : {other}, !pto.ptr<f32, ub>\n  return")
    _, wrong = choice_as_stated(read_posed(text), Limits())
    assert [item.message.partition("`")[2].partition("`")[0] for item in wrong] == ["extf", "exp"]


def test_a_type_that_says_nothing_follows_where_the_rules_leave_one_layout() -> None:
    found, wrong = choice_as_stated(read_posed(widening(C, "")), Limits())
    assert found is not None
    assert wrong == []
    posed = read_posed(widening("", D2))
    found, wrong = choice_as_stated(posed, Limits())
    assert found is not None
    assert wrong == []


def test_what_the_rules_leave_open_is_said() -> None:
    text = widening(C, D2).replace(
        "  return",
        f"  %a = pto.vmi.vload %q[%o] : !pto.ptr<f32, ub> -> {T.format('f32', '')}\n"
        f"  pto.vmi.vstore %a, %q[%o] : {T.format('f32', '')}, !pto.ptr<f32, ub>\n  return",
    )
    found, (wrong,) = choice_as_stated(read_posed(text), Limits())
    assert found is None
    assert wrong.code == "LS0705"
    assert wrong.message == "the file does not say how `%a` lies: the rules leave c, ls2, d2, d4"


def test_control_flow_that_joins_two_layouts_is_said() -> None:
    one, other = T.format("f32", C), T.format("f32", D2)
    text = (
        "func.func @k(%p: !pto.ptr<f32, ub>, %c: i1, %o: index) {\n"
        f"  %x = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {one}\n"
        f"  %y = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {other}\n"
        f"  %r = scf.if %c -> ({one}) {{\n    scf.yield %x : {one}\n  }} else {{\n    scf.yield %y : {other}\n  }}\n"
        f"  pto.vmi.vstore %r, %p[%o] : {one}, !pto.ptr<f32, ub>\n  return\n}}\n"
    )
    _, wrong = choice_as_stated(read_posed(text), Limits())
    assert [item.code for item in wrong] == ["LS0808"]
    assert "control flow makes these one, and their types state %x:c %y:d2 -> %r:c" in wrong[0].message


WIDE = "!pto.vmi.vreg<128xf32, #pto.vmi.layout<{}>>"


@pytest.mark.parametrize(
    ("attribute", "said"),
    [
        ("deinterleaved = 3", "is no layout: a vector is deinterleaved into 2 or 4 parts, not 3"),
        ("bogus", "is no layout: `bogus` is not understood"),
        ("block_deinterleaved = 2, lane_stride = 2", "is no layout: "),
        (
            "contiguous, lane_stride = 3",
            "is a layout that no rule speaks of: there are `contiguous`, `contiguous, lane",
        ),
        ("num_groups = 4, slots = 8", "has 4 groups, and the type has 128 elements: there is one for each group"),
        ("num_groups = 128, slots = 3", "is a layout that no rule speaks of: there are `num_groups = 128, slots = 1`"),
        ("b32", "is no layout of VMI"),
    ],
)
def test_a_wrong_attribute_is_named(attribute: str, said: str, tmp_path: Path, run: Run) -> None:
    type_ = WIDE.format(attribute)
    text = (
        "func.func @k(%p: !pto.ptr<f32, ub>, %o: index) {\n"
        f"  %x = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {type_}\n"
        f"  pto.vmi.vstore %x, %p[%o] : {type_}, !pto.ptr<f32, ub>\n  return\n}}\n"
    )
    path = write(tmp_path / "k.pto", text)
    for verb in ("solve", "verify", "space"):
        outcome = run(verb, path)
        assert (outcome.status, outcome.out) == (1, "")
        assert [code for code, _ in outcome.found] == ["LS0807"]
        lead = "VMI-UNSUPPORTED: " if "no rule speaks of" in said else ""
        assert f"error[LS0807]: {lead}`#pto.vmi.layout<{attribute}>` of `%x` {said}" in outcome.err
        column = text.split("\n")[1].index("#pto.vmi.layout") + 1
        assert outcome.found[0][1] == f"2:{column}"


@pytest.mark.parametrize(
    ("type_", "said"),
    [
        ("!pto.vmi.vreg<2xf32, #pto.vmi.layout<deinterleaved = 4>>", "has 4 parts, and there are only 2 elements"),
        (
            "!pto.vmi.mask<64xb32, #pto.vmi.layout<contiguous, lane_stride = 2>>",
            "would be a mask of 64-bit lanes, and masks govern lanes of at most 32 bits",
        ),
    ],
)
def test_an_attribute_that_a_type_cannot_have_says_why(type_: str, said: str) -> None:
    text = f"func.func @k(%x: {type_}, %c: i1) {{\n  return\n}}\n"
    graph, _ = build_graph(read(SourceFile("k.pto", text)))
    (found,) = pose_vmi(graph).diagnostics
    assert found.code == "LS0807"
    assert said in found.message


def test_a_layout_that_the_operation_does_not_make_says_which_it_makes() -> None:
    type_ = WIDE.format("contiguous, lane_stride = 4")
    text = (
        "func.func @k(%p: !pto.ptr<f32, ub>, %o: index) {\n"
        f"  %x = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {type_}\n"
        f"  pto.vmi.vstore %x, %p[%o] : {type_}, !pto.ptr<f32, ub>\n  return\n}}\n"
    )
    (found,) = solve(SourceFile("k.pto", text)).diagnostics
    assert found.code == "LS0802"
    assert "`#pto.vmi.layout<contiguous, lane_stride = 4>`" in found.message
    assert "`load` makes it in c, ls2, d2, d4, and no conversion leads to ls4" in found.notes
    assert "not VMI.LOAD.LS4: needs so many bits: 8" in found.notes


FROM_FILE = ("lower", "--to", "vpto", "--layouts-from-file")


def test_lower_keeps_the_layouts_of_the_file(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "k.pto", widening(C, D2))
    for compat in ((), ("--compat", "upstream")):
        outcome = run(*FROM_FILE, *compat, path)
        assert (outcome.status, outcome.err) == (0, "")
        assert [outcome.out.count(f'part = "{part}"') for part in ("EVEN", "ODD")] == [1, 1]


def test_lower_adds_no_conversion_to_the_layouts_of_the_file(run: Run, tmp_path: Path) -> None:
    outcome = run(*FROM_FILE, write(tmp_path / "k.pto", widening(C, C)))
    assert (outcome.status, outcome.out) == (1, "")
    assert "error[LS0808]: VMI-LAYOUT-CONTRACT: no rule of `extf` takes and makes what the types state" in outcome.err


def test_a_conversion_of_ours_is_refused_by_the_released_compiler(run: Run, tmp_path: Path) -> None:
    between = f"  %z = pto.vmi.ensure_layout %y : {T.format('f32', D4)} -> {T.format('f32', C)}\n"
    narrow = T.format("f16", D2)
    path = write(tmp_path / "k.pto", widening(D2, D4, between))
    assert narrow in Path(path).read_text(encoding="utf-8")
    assert run(*FROM_FILE, path).status == 0
    outcome = run(*FROM_FILE, "--compat", "upstream", path)
    assert (outcome.status, outcome.out) == (1, "")
    said = "error[LS0803]: the released compiler refuses the program: VMI-LAYOUT-CONTRACT: pto.vmi.store operand #0"
    assert said in outcome.err
    assert "pto.vmi.ensure_layout has no registered materialization support" in outcome.err
    assert ":5:3" in outcome.err


def test_the_released_compiler_lowers_no_vector_without_a_layout(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "k.pto", widening(C, ""))
    outcome = run(*FROM_FILE, "--compat", "upstream", path)
    assert (outcome.status, outcome.out) == (1, "")
    assert "VMI-PASS-INVARIANT: layout-assigned VMI IR requires every vector and mask to have a layout" in outcome.err
    assert ":3:8" in outcome.err


def test_a_layout_in_a_signature_is_refused_by_the_released_driver(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "k.pto", f"func.func @k(%a: {T.format('f32', C)}) {{\n  return\n}}\n")
    outcome = run("solve", "--compat", "upstream", path)
    assert outcome.status == 1
    assert "VMI-PASS-INVARIANT: VMI producer boundary requires surface types" in outcome.err
    assert ":1:1" in outcome.err
