"""Diagnostics as text, compared with golden files: made-up ones for each feature, and real ones of small programs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from layoutsolver.api import SolveOptions, solve
from layoutsolver.diagnostics.codes import CODES
from layoutsolver.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from layoutsolver.diagnostics.text import WINDOW, Style, render
from layoutsolver.source import SourceFile, Span, split_input
from tests.conftest import GOLDEN

Golden = Callable[[str, str], None]

INPUTS = sorted((GOLDEN / "diagnostics" / "inputs").glob("*.mlir"))
WIDEST = 2 * WINDOW

PROGRAM = SourceFile(
    "add.mlir",
    """\
func.func @add(%a: vector<64xi32>) {
  %m = ave.hir.pge <ALL> : vector<64xi1>

  // far away
  %x = ave.hir.vadd %a, %b, %m : vector<64xi32>, vector<64xi1>

  return
}
""",
)


def at(source: SourceFile, quoted: str, text: str = "", nth: int = 0) -> Label:
    """A label on the nth occurrence of a piece of the source."""
    start = -1
    for _ in range(nth + 1):
        start = source.text.index(quoted, start + 1)
    return Label(source, Span(start, start + len(quoted)), text)


def error(primary: Label | None, *secondary: Label, message: str = "something is wrong") -> Diagnostic:
    return Diagnostic("LS0101", "error", message, primary, secondary)


def test_single_label_is_underlined_and_followed_by_its_text(golden: Golden) -> None:
    golden("diagnostics/single_label.txt", render([error(at(PROGRAM, "%b", "nobody defines this"))]))


def test_labels_on_one_line_hang_from_stems_except_the_last(golden: Golden) -> None:
    two = error(at(PROGRAM, "%b", "second"), at(PROGRAM, "vadd", "first"))
    three = error(at(PROGRAM, "%a", "of these", 1), at(PROGRAM, "%b", "one is"), at(PROGRAM, "vadd", "operands"))
    silent = error(at(PROGRAM, "%b"), at(PROGRAM, "vadd", "in this operation"))
    golden("diagnostics/labels_on_one_line.txt", render([two, three, silent]))


def test_labels_on_one_place_are_all_shown(golden: Golden) -> None:
    same = error(at(PROGRAM, "%b", "the main thing"), at(PROGRAM, "%b", "another thing"))
    nested = error(at(PROGRAM, "%a, %b", "both"), at(PROGRAM, "%b", "only this"))
    silent = error(at(PROGRAM, "%b"), at(PROGRAM, "%b", "has a text"))
    golden("diagnostics/labels_on_one_place.txt", render([same, nested, silent]))


def test_lines_between_distant_labels_are_left_out(golden: Golden) -> None:
    far = error(at(PROGRAM, "vadd", "used here"), at(PROGRAM, "%a", "defined here"), at(PROGRAM, "pge", "and this"))
    golden("diagnostics/labels_on_distant_lines.txt", render([far]))


def test_single_line_between_labels_is_shown(golden: Golden) -> None:
    source = SourceFile("gap.mlir", f"first\n{'middle ' * 30}\nlast\n")
    golden("diagnostics/single_line_between.txt", render([error(at(source, "last"), at(source, "first"))]))


def test_labels_in_another_file_stand_under_its_name(golden: Golden) -> None:
    other = SourceFile("library/callee.mlir", "\n" * 11 + "func.func private @add(vector<64xf32>)\n")
    label = at(other, "vector<64xf32>", "declared with another type")
    golden("diagnostics/labels_in_two_files.txt", render([error(at(PROGRAM, "@add", "defined here"), label)]))


def test_chunk_of_a_split_file_has_the_line_numbers_of_the_file(golden: Golden) -> None:
    chunk = split_input(SourceFile("many.mlir", "first\n// -----\n" * 6 + "test.op %x\n"))[-1]
    whole = Label(chunk, Span(0, 0))
    golden("diagnostics/chunk_of_a_file.txt", render([error(at(chunk, "%x", "here")), error(whole)]))


def test_long_line_is_shown_around_its_labels(golden: Golden) -> None:
    line = "test.op " + ", ".join(f"%value{number}" for number in range(100))
    source = SourceFile("long.mlir", f"{line}\n")
    found = [
        error(at(source, "%value0", "at the start")),
        error(at(source, "%value50", "in the middle"), at(source, "%value52", "beside it")),
        error(at(source, "%value99", "at the end")),
        error(at(source, "%value90", "late"), at(source, "test.op", "early")),
        error(at(source, line, "all of it")),
        error(Label(source, Span(len(line), len(line)), "behind it")),
    ]
    text = render(found)
    golden("diagnostics/long_line.txt", text)
    assert max(map(len, text.splitlines())) < WIDEST


def test_tabs_are_four_columns(golden: Golden) -> None:
    source = SourceFile("tabs.mlir", "\t%x =\ttest.op\t%y\n")
    golden("diagnostics/tabs.txt", render([error(at(source, "%y", "here"), at(source, "%x", "and here"))]))


def test_east_asian_characters_are_two_columns(golden: Golden) -> None:
    source = SourceFile("宽.mlir", '%x = test.op {说明 = "向量布局"} %y, %z\n')
    found = error(at(source, "%y", "结果"), at(source, "向量布局", "宽字符"), message="没有布局")
    golden("diagnostics/wide_characters.txt", render([found]))


def test_combining_characters_take_no_column(golden: Golden) -> None:
    source = SourceFile("marks.mlir", '%x = test.op "e\u0301a\u0308\u20dd\ufe0f", %y\n')
    golden("diagnostics/combining_characters.txt", render([error(at(source, "%y", "here"))]))


def test_empty_span_at_the_end_of_a_file_has_a_caret(golden: Golden) -> None:
    with_break = error(Label(PROGRAM, Span(len(PROGRAM.text), len(PROGRAM.text)), "expected more"))
    source = SourceFile("cut.mlir", "test.op %x")
    without = error(Label(source, Span(10, 10), "expected more"))
    golden("diagnostics/end_of_file.txt", render([with_break, without]))


def test_label_of_a_whole_file_shows_no_line(golden: Golden) -> None:
    noted = error(Label(PROGRAM, Span(0, 0)))._replace(notes=("a note",))
    found = [error(Label(SourceFile("missing.mlir", ""), Span(0, 0))), noted, error(None)]
    golden("diagnostics/whole_file.txt", render(found))


def test_span_of_several_lines_is_marked_on_its_first_line(golden: Golden) -> None:
    start, end = PROGRAM.text.index("ave.hir.pge"), PROGRAM.text.index(" %b")
    found = [error(Label(PROGRAM, Span(start, end), "from here")), error(Label(PROGRAM, Span(start, end)))]
    golden("diagnostics/several_lines.txt", render(found))


def test_windows_line_breaks_are_not_shown(golden: Golden) -> None:
    source = SourceFile("dos.mlir", PROGRAM.text.replace("\n", "\r\n"))
    fix = Fix("rename it", (edit_at(source, "%b", "%a"),))
    text = render([error(at(source, "%b", "here"), at(source, "%m", "there"))._replace(fixes=(fix,))])
    golden("diagnostics/windows_line_breaks.txt", text)
    assert "\r" not in text


def edit_at(source: SourceFile, quoted: str, new_text: str, nth: int = 0) -> Edit:
    return Edit(at(source, quoted, nth=nth).span, new_text)


def insertion(before: str, new_text: str) -> Edit:
    start = PROGRAM.text.index(before)
    return Edit(Span(start, start), new_text)


def test_fix_is_shown_as_lines_taken_away_and_added(golden: Golden) -> None:
    fixes = (
        Fix("use `%a` twice", (edit_at(PROGRAM, "%b", "%a"),)),
        Fix("load it", (insertion("  %x", "  %b = test.load\n  %c = test.op\n"),), cost=3, verified=True),
        Fix(
            "make a mask of its own", (insertion("\n\n  // far", "\n  %n = test.mask"), edit_at(PROGRAM, "%m", "%n", 1))
        ),
        Fix("remove the operation", (Edit(at(PROGRAM, PROGRAM.text.splitlines()[4] + "\n").span, ""),)),
        Fix("remove all of it", (Edit(Span(PROGRAM.text.index("  %m"), PROGRAM.text.index("  return")), ""),)),
        Fix("think about it"),
    )
    golden("diagnostics/fixes.txt", render([error(at(PROGRAM, "%b", "undefined"))._replace(fixes=fixes)]))


def test_conflict_that_was_not_minimised_says_so(golden: Golden) -> None:
    found = error(at(PROGRAM, "%b", "here"))._replace(notes=("the first note", "the second"), minimal=False)
    golden("diagnostics/not_minimal.txt", render([found]))


def everything() -> list[Diagnostic]:
    """Each coloured part once, with characters outside of ASCII everywhere."""
    long = SourceFile("größe.mlir", "x" * 200 + ' "é" %y, %z\t%w ' + "x" * 200 + "\n")
    fix = Fix("ändern", (edit_at(long, "é", "e"),), cost=1)
    labels = (at(long, "é", "schön"), at(long, "%z", "hier → dort"))
    warning = Diagnostic("LS0104", "warning", "größer als 10 µm", at(long, "%y", "da"), labels, ("ß",), (fix,), False)
    return [warning, error(at(PROGRAM, "%b", "nothing special"), at(PROGRAM, "%a"))]


def test_colours_follow_severity_and_role(golden: Golden) -> None:
    golden("diagnostics/colour.txt", render(everything(), Style(color=True)).replace("\x1b", "␛"))


def test_colours_change_nothing_but_colours() -> None:
    assert re.sub("\x1b\\[[0-9;]*m", "", render(everything(), Style(color=True))) == render(everything())


def test_ascii_only_output_is_ascii(golden: Golden) -> None:
    text = render(everything(), Style(ascii_only=True))
    golden("diagnostics/ascii_only.txt", text)
    assert text.isascii()


def test_control_characters_of_the_input_do_not_reach_the_terminal(golden: Golden) -> None:
    source = SourceFile("evil\x1b[2J.mlir", "test.op \x1b[31m%x\n")
    found = Diagnostic("LS0004", "error", "found `\x1b[31m`", at(source, "%x", "\x07"), notes=("two\n  lines",))
    text = render([found])
    golden("diagnostics/control_characters.txt", text)
    assert all(char.isprintable() for line in text.splitlines() for char in line)


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_diagnostics_of_a_program_read_as_before(path: Path, golden: Golden) -> None:
    name = path.stem
    result = solve(read_input(name), options_for(name))
    text = render(result.diagnostics)
    golden(f"diagnostics/{name}.txt", text)
    assert text


def read_input(name: str) -> SourceFile:
    path = GOLDEN / "diagnostics" / "inputs" / f"{name}.mlir"
    return SourceFile(path.name, path.read_text(encoding="utf-8"))


def options_for(name: str) -> SolveOptions:
    return SolveOptions(compat="upstream" if name.startswith("compat") else "")


def test_programs_cover_all_codes_that_a_text_can_have() -> None:
    found = {item.code for path in INPUTS for item in solve(read_input(path.stem), options_for(path.stem)).diagnostics}
    no_small_text = {"LS0001", "LS0006", "LS0008", "LS0401", "LS0402", "LS0403", "LS0404", "LS0501"}
    only_after_a_repair = {"LS0105"}
    of_other_verbs = {code for code in CODES if code > "LS06"}
    assert found == set(CODES) - no_small_text - only_after_a_repair - of_other_verbs
