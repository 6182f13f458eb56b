from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from layoutsolver.mlir.lexer import tokenize
from tests.cli.running import PROGRAM, UB, Run, write


def function(*body: str, arguments: str = "") -> str:
    """A function whose first body line is line 3."""
    head = [f"func.func @f({arguments or f'%a: memref<512xi8, {UB}>'}) {{", "  %c0 = arith.constant 0 : index"]
    return "\n".join([*head, *body, "  return", "}", ""])


def data(element: str, lanes: int, mask: int | None = None) -> str:
    """Load, add and store vectors of an element type, lines 4 to 6."""
    vector, predicate, memory = f"vector<{lanes}x{element}>", f"vector<{mask or lanes}xi1>", f"memref<512x{element}>"
    return function(
        f"  %m = ave.hir.pge <ALL> : {predicate}",
        f"  %x = ave.hir.vload <NORM> %a[%c0] : {memory} into {vector}",
        f"  %y = ave.hir.vadd %x, %x, %m : {vector}, {predicate}",
        f"  ave.hir.masked_store <NORM_B8> %a[%c0], %m, %y : {memory}, {predicate}, {vector}",
        arguments=f"%a: {memory}",
    )


def splat(vector: str) -> str:
    return function(
        "  %m = ave.hir.pge <ALL> : vector<64xi1>",
        f"  %x = ave.hir.scalar_broadcast %s : i32 -> {vector}",
        arguments="%s: i32",
    )


PGE = "  %m = ave.hir.pge <ALL> : vector<64xi1>"

REJECTED: dict[str, tuple[str | bytes, int, tuple[str, str]]] = {
    "empty": ("", 3, ("LS0002", "")),
    "blank": (" \n\t\n\n", 3, ("LS0002", "")),
    "only a comment": ("// nothing here\n", 3, ("LS0002", "")),
    "only a byte order mark": (b"\xef\xbb\xbf", 3, ("LS0002", "")),
    "binary": (b"\x7fELF\x02\x01\x80\x90", 3, ("LS0001", "1:7")),
    "NUL bytes": (b"func.func @f() {\n  ret\0urn\n}\n", 3, ("LS0001", "2:6")),
    "not UTF-8 after valid lines": ("// é is fine\n  // é ".encode() + b"\xff\n", 3, ("LS0001", "2:8")),
    "not UTF-8 after a byte order mark": (b"\xef\xbb\xbfx\n\xe9", 3, ("LS0001", "2:1")),
    "UTF-8 that breaks off": ("// é".encode()[:-1], 3, ("LS0001", "1:4")),
    "undefined value": (
        function(PGE, "  %y = ave.hir.vabs %x, %m : vector<64xf32>, vector<64xi1>"), 1, ("LS0201", "4:21"),
    ),
    "redefinition": (function(PGE, PGE), 1, ("LS0202", "4:3")),
    "wrong type": (
        function(PGE, "  %x = ave.hir.scalar_broadcast %c0 : index -> vector<64xi32>",
                 "  %y = ave.hir.vabs %x, %m : vector<64xf32>, vector<64xi1>"), 1, ("LS0203", "5:21"),
    ),
    "4-bit elements": (data("i4", 64), 1, ("LS0306", "4:3")),
    "f64 elements": (data("f64", 32), 1, ("LS0306", "4:3")),
    "65 elements of 64 bits": (splat("vector<65xi64>"), 1, ("LS0304", "4:3")),
    "300 elements of 8 bits": (data("i8", 300, 256), 1, ("LS0304", "4:3")),
    "2049 elements of 1 bit": (splat("vector<2049xi1>"), 1, ("LS0304", "4:3")),
    "two dimensions": (splat("vector<8x8xf32>"), 1, ("LS0305", "4:3")),
    "unknown operation on vectors": (
        function(PGE, "  %x = foo.bar %m : (vector<64xi1>) -> vector<64xi1>"), 1, ("LS0301", "4:8"),
    ),
    "unknown operation of the dialect": (function(PGE, "  %x = ave.hir.nope %m : vector<64xi1>"), 1, ("LS0208", "4:8")),
    "regions 10000 deep": ("test.op {\n" * 10_000 + "}\n" * 10_000, 3, ("LS0006", "129:9")),
    "generic regions 10000 deep": ('"test.op"() ({\n' * 10_000 + "}) : () -> ()\n" * 10_000, 3, ("LS0006", "129:14")),
    "10000 open brackets": (function("  test.op " + "(" * 10_000), 3, ("LS0003", "3:10010")),
    "a vector type 10000 deep": (
        function("  %m = ave.hir.pge <ALL> : " + "vector<" * 10_000 + "f32" + ">" * 10_000), 1, ("LS0306", "3:3"),
    ),
    "error behind tabs and CRLF": (
        function(PGE).replace("\n", "\r\n").replace("  ", "\t").replace("%c0 =", "%c0 = %c0 ="), 3, ("LS0004", "2:8"),
    ),
    "undefined value behind CRLF": (
        function(PGE, "  %y = ave.hir.vabs %x, %m : vector<64xf32>, vector<64xi1>").replace("\n", "\r\n"),
        1, ("LS0201", "4:21"),
    ),
    "undefined value behind tabs": (
        function(PGE, "\t%y = ave.hir.vabs\t%x, %m : vector<64xf32>, vector<64xi1>"), 1, ("LS0201", "4:20"),
    ),
    "undefined value behind a byte order mark": (
        b"\xef\xbb\xbf" + b"%y = ave.hir.vabs %x, %m : vector<64xf32>, vector<64xi1>\n", 1, ("LS0201", "1:19"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("verb", ["solve", "space"])
@pytest.mark.parametrize("name", REJECTED)
def test_a_fault_is_reported_at_its_place_and_nothing_is_written(
    name: str, verb: str, tmp_path: Path, run: Run
) -> None:
    content, status, first = REJECTED[name]
    file = write(tmp_path / "in.mlir", content)
    target = tmp_path / "out.mlir"
    plain, into = run(verb, file), run(verb, file, "-o", target)
    assert plain.found[0] == first
    assert plain.status == into.status == status
    assert plain.out == into.out == ""
    assert plain.err == into.err
    assert [path.name for path in tmp_path.iterdir()] == ["in.mlir"]


@pytest.mark.parametrize("name", [name for name, (_, status, _) in REJECTED.items() if status == 1])
def test_a_fault_of_the_program_is_in_the_json_report(name: str, tmp_path: Path, run: Run) -> None:
    content, status, (code, place) = REJECTED[name]
    outcome = run("solve", write(tmp_path / "in.mlir", content), "--format", "json")
    line, column = place.split(":")
    assert outcome.status == status
    assert outcome.err == ""
    assert '"status":"invalid"' in outcome.out
    assert f'"code":"{code}"' in outcome.out
    assert f'"line":{line},"column":{column}' in outcome.out


ACCEPTED = {
    "64-bit elements": data("i64", 64),
    "32 elements of 64 bits": data("i64", 32),
    "300 elements of 1 bit": splat("vector<300xi1>"),
    "no dimension": splat("vector<i32>"),
    "a vector constant": function(PGE, "  %x = arith.constant dense<1.0> : vector<64xf32>",
                                  "  %y = ave.hir.vabs %x, %m : vector<64xf32>, vector<64xi1>"),
    "a scatter": function(PGE, "  %x = ave.hir.scalar_broadcast %s : i32 -> vector<64xi32>",
                          f"  ave.hir.vscatter %a[%c0] [%i], %m, %x : memref<64xi32, {UB}>, vector<64xindex>, "
                          "vector<64xi1>, vector<64xi32>",
                          arguments=f"%s: i32, %a: memref<64xi32, {UB}>, %i: vector<64xindex>"),
    "a function that returns vectors": "func.func @f(%v: vector<64xf16>, %p: vector<64xi1>) -> (vector<64xf16>, "
                                       "vector<64xi1>) {\n  return %v, %p : vector<64xf16>, vector<64xi1>\n}\n",
    "regions 128 deep": "test.op {\n" * 128 + "test.a\n" + "}\n" * 128,
    "brackets 10000 deep": function("  test.op " + "(" * 10_000 + ")" * 10_000),
    "brackets of all kinds, 4000 deep": function("  test.op {a = " + "([<{" * 1000 + "}>])" * 1000 + "}"),
    "a function type 10000 deep": "func.func private @f(" + "() -> " * 10_000 + "())\n",
    "CRLF": PROGRAM.replace("\n", "\r\n"),
    "tabs": PROGRAM.replace("  ", "\t").replace(" : ", "\t:\t"),
    "no line break at the end": PROGRAM.rstrip("\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTED)
def test_unusual_but_sound_text_is_solved_and_kept(name: str, tmp_path: Path, run: Run) -> None:
    content = ACCEPTED[name]
    target = tmp_path / "out.mlir"
    outcome = run("solve", write(tmp_path / "in.mlir", content), "-o", target)
    assert (outcome.status, outcome.out) == (0, "")
    assert {code for code, _ in outcome.found} <= {"LS0307"}  # some of these texts have no vector
    written = target.read_bytes().decode()
    assert re.sub(r" \{functionType = [^,}]*\}|functionType = [^,]*, ", "", written) == content


def test_64_bit_elements_are_decided_like_32_bit_ones(tmp_path: Path, run: Run) -> None:
    outcome = run("solve", write(tmp_path / "in.mlir", data("i64", 64)), "--layouts")
    assert outcome.status == 0
    assert outcome.out.count("vector<64xi64, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>") == 3


def test_a_byte_order_mark_is_no_part_of_the_program(tmp_path: Path, run: Run) -> None:
    plain = run("solve", write(tmp_path / "a.mlir", PROGRAM))
    marked = run("solve", write(tmp_path / "b.mlir", b"\xef\xbb\xbf" + PROGRAM.encode()))
    assert (marked.status, marked.out) == (0, plain.out)


def test_a_file_that_does_not_exist(tmp_path: Path, run: Run) -> None:
    outcome = run("solve", tmp_path / "none.mlir", "-o", tmp_path / "out.mlir")
    assert (outcome.status, outcome.found, outcome.out) == (3, [("LS0001", "")], "")
    assert "No such file or directory" in outcome.err
    assert not list(tmp_path.iterdir())


def test_a_directory_in_place_of_a_file(tmp_path: Path, run: Run) -> None:
    outcome = run("solve", tmp_path)
    assert (outcome.status, outcome.found, outcome.out) == (3, [("LS0001", "")], "")
    assert "Is a directory" in outcome.err


def test_a_file_that_may_not_be_read(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "in.mlir", PROGRAM)

    def deny(name: object, *rest: Any, **more: Any) -> Any:
        if name == str(file):
            raise PermissionError(13, "Permission denied")
        return open(str(name), *rest, **more)  # noqa: PTH123 (stands for the built-in function)

    monkeypatch.setattr("layoutsolver.cli.inputs.open", deny, raising=False)
    outcome = run("solve", file)
    assert (outcome.status, outcome.found) == (3, [("LS0001", "")])
    assert "Permission denied" in outcome.err


def test_a_file_of_50_megabytes_is_not_read(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", PROGRAM)
    os.truncate(file, 50 << 20)
    outcome = run("solve", file)
    assert (outcome.status, outcome.found, outcome.out) == (3, [("LS0008", "")], "")
    assert f"{50 << 20} bytes" in outcome.err
    assert f"{32 << 20} that" in outcome.err


def test_max_bytes_is_the_size_up_to_which_a_file_is_read(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", PROGRAM)
    size = file.stat().st_size
    assert run("solve", file, "--max-bytes", size).status == 0
    short = run("solve", file, "--max-bytes", size - 1)
    assert (short.status, short.found, short.out) == (3, [("LS0008", "")], "")


CUT = (
    "  %y = ave.hir.vextsi %x, %m {pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8>, vector<64xi32>, vector<64xi1>",
    f"  ave.hir.masked_store <NORM_B8> %a[%c0], %m, %x : memref<64xi8, {UB}>, vector<64xi1>, vector<64xi8>",
    f"  ave.hir.store_with_stride %a[%c0], %c0, %m, %x : memref<64xi8, {UB}>, vector<64xi1>, vector<64xi8>",
)
BEFORE = "".join(PROGRAM.splitlines(keepends=True)[:5])
CUTS = [(op, at) for op in CUT for at in tokenize(op).starts[1:-1]]
CUT_IDS = [op[:at].split()[-1] + f"|{at}" for op, at in CUTS]


@pytest.mark.parametrize(("op", "at"), CUTS, ids=CUT_IDS)
def test_a_file_that_ends_within_an_operation_is_unreadable(op: str, at: int, tmp_path: Path, run: Run) -> None:
    text = BEFORE + op[:at].rstrip()
    outcome = run("solve", write(tmp_path / "in.mlir", text), "-o", tmp_path / "out.mlir")
    assert (outcome.status, outcome.out) == (3, "")
    assert {code for code, _ in outcome.found} <= {"LS0003", "LS0004", "LS0005"}
    assert {int(place.split(":")[0]) for _, place in outcome.found} <= {2, 6}
    assert not (tmp_path / "out.mlir").exists()


@pytest.mark.parametrize(("op", "at"), CUTS, ids=CUT_IDS)
def test_an_operation_that_breaks_off_before_the_next_is_reported_on_its_line(
    op: str, at: int, tmp_path: Path, run: Run
) -> None:
    text = BEFORE + op[:at].rstrip() + "\n  return\n}\n"
    outcome = run("solve", write(tmp_path / "in.mlir", text), "-o", tmp_path / "out.mlir")
    assert outcome.status in (1, 3)
    assert outcome.out == ""
    assert outcome.found
    opened_region = op[:at].rstrip().endswith("{") or op[:at].rstrip().endswith("{pp")
    lines = {int(place.split(":")[0]) for _, place in outcome.found}
    assert lines <= ({2, 6} if opened_region else {5, 6, 7})
    assert not (tmp_path / "out.mlir").exists()


def test_more_than_fifty_diagnostics_are_counted(tmp_path: Path, run: Run) -> None:
    text = function(*[f"  test.use %u{number}" for number in range(60)])
    outcome = run("solve", write(tmp_path / "in.mlir", text))
    assert outcome.found == [("LS0201", f"{number + 3}:12") for number in range(50)]
    assert outcome.err.endswith("... and 10 more\n")


def test_a_file_name_that_is_not_utf8_can_be_reported(tmp_path: Path, run: Run) -> None:
    name = os.fsdecode(os.fsencode(tmp_path / "in") + b"\xff.mlir")
    try:
        Path(name).write_text(PROGRAM)
    except OSError:  # macOS and some network file systems
        pytest.skip("the file system takes UTF-8 names only")  # there is then nothing to report
    outcome = run("solve", name, "--format", "json")
    assert outcome.status == 0
    assert "in\\\\udcff.mlir" in outcome.out
