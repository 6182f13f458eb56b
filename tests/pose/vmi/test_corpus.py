"""The table over a folder of VMI tests: what counts, and what is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutsolver.source import SourceFile
from tests.support.vmi_corpus import files_of, is_of_kind, kind_of, main, outcomes, released, report


def vector(shape: str) -> str:
    return f"!pto.vmi.vreg<{shape}, #pto.vmi.layout<contiguous>>"


def mask(lanes: int) -> str:
    return f"!pto.vmi.mask<{lanes}xb32, #pto.vmi.layout<contiguous>>"


_LOAD = "%v = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf32>"
GOOD = f"""// RUN: tool %s | check
// CHECK: pto.vlds
func.func @f(%p: !pto.ptr<f32, ub>, %o: index) {{
  {_LOAD}
  pto.vmi.vstore %v, %p[%o] : !pto.vmi.vreg<64xf32>, !pto.ptr<f32, ub>
  return
}}
"""
BAD = GOOD.replace("64xf32>, !pto.ptr", "32xf32>, !pto.ptr")


def test_valid_files_pass_every_stage_and_invalid_ones_are_refused(tmp_path: Path) -> None:
    (tmp_path / "good.pto").write_text(GOOD, encoding="utf-8")
    (tmp_path / "bad_invalid.pto").write_text(BAD, encoding="utf-8")
    (tmp_path / "unrelated.pto").write_text(GOOD.replace("CHECK", ""), encoding="utf-8")
    paths = files_of(tmp_path)
    assert [path.name for path in paths] == ["bad_invalid.pto", "good.pto"]
    assert report(paths, [outcomes(path) for path in paths]).splitlines() == [
        "1 valid files: 1 read, 1 posed, 1 solved, 1 lowered, 1 verified "
        "(0 of these compute nothing that could be compared)",
        "1 invalid files: 0 ended by a defect of ours, 0 nothing said of, 0 only warned of, "
        "0 solved and verified, refused as released, 1 refused",
        "1 with messages of the expected kind: 1 in our messages, 0 in those of the released compiler's passes",
    ]


def test_what_is_not_as_it_should_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "fine_invalid.pto").write_text(GOOD, encoding="utf-8")
    (tmp_path / "broken.pto").write_text(BAD, encoding="utf-8")
    paths = files_of(tmp_path)
    lines = report(paths, [outcomes(path) for path in paths]).splitlines()
    assert lines[0].startswith("broken.pto: nothing passed: 5:")
    assert lines[1].startswith("fine_invalid.pto: nothing")
    assert lines[-3].startswith("1 valid files: 0 read")
    assert "1 nothing said of" in lines[-2]
    assert lines[-1].startswith("0 with messages of the expected kind: ")


ASSIGNED = f"""// RUN: not tool %s -vmi-to-vpto | check
// CHECK: VMI{{{{-}}}}UNSUPPORTED{{{{:}}}} pto.vmi.gather
func.func @f(%p: !pto.ptr<f32, ub>, %i: {vector("32xi32")}, %m: {mask(32)}) {{
  %g = pto.vmi.vgather %p, %i, %m : !pto.ptr<f32, ub>, {vector("32xi32")}, {mask(32)} -> {vector("32xf32")}
  return
}}
"""


def test_a_part_with_a_solution_must_be_refused_as_the_released_passes_do(tmp_path: Path) -> None:
    (tmp_path / "tail_invalid.pto").write_text(ASSIGNED, encoding="utf-8")
    full = ASSIGNED.replace("<32x", "<64x")
    (tmp_path / "whole_invalid.pto").write_text(full, encoding="utf-8")
    paths = files_of(tmp_path)
    lines = report(paths, [outcomes(path) for path in paths]).splitlines()
    assert lines[0].startswith("tail_invalid.pto: solved and verified, refused as released: VMI-UNSUPPORTED: ")
    assert lines[4].startswith("whole_invalid.pto: nothing said of")
    assert lines[-1] == "  1 files of those: it has a solution here, which is verified"
    assert lines[-3].endswith(
        "1 nothing said of, 0 only warned of, 1 solved and verified, refused as released, 0 refused"
    )
    assert lines[-2].startswith("1 with messages of the expected kind: 0 in our messages, 1 in those")


STATED = f"""// RUN: not tool %s {{passes}} | check
// CHECK: {{kind}}
func.func @f(%a: {vector("128xf32")}) {{{{
  %x = pto.vmi.vcvt %a {{{{saturate = "SAT"}}}} : {vector("128xf32")} -> {vector("128xf16")}
  return
}}}}
"""


@pytest.mark.parametrize(
    ("passes", "kind", "why"),
    [
        ("-vmi-to-vpto", "VMI-UNSUPPORTED", "no row has the layouts that the types state"),
        ("-pto-validate-vmi-layout-ir", "VMI-LAYOUT-CONTRACT", ""),
        ("-vmi-to-vpto", "VMI-RESIDUAL-OP", "no row has the layouts"),
    ],
)
def test_why_a_message_is_of_another_kind_is_told(passes: str, kind: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "a_invalid.pto").write_text(STATED.format(passes=passes, kind=kind), encoding="utf-8")
    paths = files_of(tmp_path)
    lines = report(paths, [outcomes(path) for path in paths], every=True).splitlines()
    told = [line for line in lines if line.startswith("    ours differs: ")]
    assert [line.partition(": ")[2][: len(why)] for line in told] == ([why] if why else [])
    assert (main([str(tmp_path)]) == 0) == (kind != "VMI-RESIDUAL-OP")


@pytest.mark.parametrize(
    ("passes", "kind"),
    [
        ("-vmi-to-vpto", "VMI-UNSUPPORTED"),
        ("-pto-validate-vmi-layout-ir", ""),
        ("-pto-validate-vmi-ir", "VMI-PASS-INVARIANT"),
        ("-other-pass", ""),
    ],
)
def test_each_pass_has_its_own_verdict(passes: str, kind: str) -> None:
    assert released(SourceFile("t.pto", ASSIGNED), f"tool %s {passes} 2>&1").kind == kind


@pytest.mark.parametrize(
    ("quoted", "message", "same"),
    [
        ("// CHECK: VMI{{-}}UNSUPPORTED{{:}} pto.vmi.store", "VMI-UNSUPPORTED: no", True),
        ("// CHECK: VMI{{-}}UNSUPPORTED{{:}} pto.vmi.store", "`pto.vmi.store` has", False),
        ("// CHECK: 'pto.vmi.store' op requires", "`pto.vmi.store` has", True),
        ("// CHECK: pto.vmi.store takes what lies in a row", "VMI-UNSUPPORTED: no", True),
        ("// CHECK: pto.vmi.store takes what lies in a row", "`pto.vmi.store` has", False),
        ("// CHECK: VMI boundary takes surface types", "VMI-PASS-INVARIANT: no", True),
        ("// CHECK: pto.vmi.store", "`pto.vmi.store` has", True),
    ],
)
def test_what_is_quoted_without_its_prefix_is_of_some_pass(quoted: str, message: str, same: bool) -> None:
    assert is_of_kind(message, kind_of(quoted)) == same


def test_a_refusal_of_another_kind_is_named(tmp_path: Path) -> None:
    text = BAD.replace("// CHECK: pto.vlds", "// CHECK: VMI-LAYOUT-CONTRACT")
    (tmp_path / "other_invalid.pto").write_text(text, encoding="utf-8")
    paths = files_of(tmp_path)
    lines = report(paths, [outcomes(path) for path in paths]).splitlines()
    assert lines[0].startswith("other_invalid.pto: refused: 5:")
    assert lines[2].startswith("    the released passes: ")
    assert lines[-1].startswith("0 with messages of the expected kind: ")


def test_parts_that_expect_an_error_are_held_to_it(tmp_path: Path) -> None:
    bad = BAD.replace("  pto.vmi.vstore", "  // expected-error@+1 {{elements}}\n  pto.vmi.vstore")
    text = GOOD.replace("tool %s", "tool %s -split-input-file -verify-diagnostics") + "// -----\n" + bad
    (tmp_path / "mixed.pto").write_text(text, encoding="utf-8")
    found = outcomes(tmp_path / "mixed.pto")
    assert [(one.refused, one.said) for one in found] == [(False, ""), (True, "error")]
