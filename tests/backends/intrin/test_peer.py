"""The released compiler itself, where it can run: the same intrinsics from the same annotated text."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from layoutsolver.api import LowerOptions, SolveOptions, lower
from layoutsolver.source import SourceFile
from tests.backends.intrin.test_lower import ALL, MASK, RECAST, UB, ZERO, function, recast, stored_bits
from tests.support.compare_intrin import Comparison, compare_annotated, compare_solved, exemption, lowerable
from tests.support.compare_peer import program
from tests.support.fuzz_intrin import examine
from tests.support.intrin_cases import FAMILIES, cases
from tests.support.operation_programs import operation_programs
from tests.support.peer import accepts, analyze, peer_path, run

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(
        peer_path() is None, reason="ascendnpu-ir 1.2.0 is not installed or does not run here (CPython 3.11, x86-64)"
    ),
]

AGREE = ("equal", "both refuse")


@pytest.mark.parametrize("chip", ["", "ascend950"])
@pytest.mark.parametrize("family", FAMILIES)
def test_rows_equal_the_compilers(family: str, chip: str) -> None:
    """All rows that we lower as functions of one module, and the others one by one."""
    functions, apart = [], []
    for number, (_, text) in enumerate(cases(family)):
        if (
            lowerable(text, chip) == text
            and exemption(text, chip, Comparison("only they refuse", "bug report")) is None
        ):
            functions.append(text.replace("@f(", f"@f{number}(", 1))
        else:
            apart.append((text, compare_annotated(text, chip)))
    assert compare_annotated("".join(functions), chip) == Comparison("equal")
    assert len(functions) > len(apart)
    assert [item for text, item in apart if item.verdict not in AGREE and exemption(text, chip, item) is None] == []


@pytest.mark.parametrize("chip", ["", "ascend950"])
@pytest.mark.parametrize("family", FAMILIES)
def test_intrinsics_of_master_are_valid(family: str, chip: str) -> None:
    """The released compiler does not write them so, but it reads and verifies them."""
    functions = [text.replace("@f(", f"@f{number}(", 1) for number, (_, text) in enumerate(cases(family))]
    options = LowerOptions(dialect="master", solved=True, solving=SolveOptions(compat="upstream", chip=chip))
    lowered = [lower(SourceFile("p.mlir", text), options).text for text in functions]
    found = [text for text in lowered if text is not None]
    assert len(found) > len(functions) * 0.9
    assert accepts("".join(found))


def test_random_programs_equal_the_compilers() -> None:
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(examine, range(20000, 20100)))
    stages = [(outcome.seed, item, reason) for outcome in outcomes for item, reason in outcome.stages]
    assert [item for item in stages if item[1].verdict not in AGREE and not item[2]] == []
    assert sum(item[1].verdict == "equal" for item in stages) > 60


@pytest.mark.parametrize(("mask", "lines"), [("%p", ()), ("%m", (ALL,))])
def test_bits_at_any_address_equal_the_compilers(mask: str, lines: tuple[str, ...]) -> None:
    assert compare_solved(stored_bits(mask, *lines)) == Comparison("equal")


@pytest.mark.parametrize("kind", RECAST)
def test_bitcasts_of_bitcasts_equal_the_compilers(kind: str) -> None:
    assert compare_solved(recast(kind)) == Comparison("equal")


@pytest.mark.parametrize("taken", ["a loop", "a call", "nothing"])
def test_the_compiler_leaves_a_load_of_two_vectors_where_a_call_or_a_loop_takes_one(taken: str) -> None:
    """What takes it is why: the same load is lowered alike where an operation takes its vectors."""
    vector, norm = "vector<64xf32>", "{functionType = #ave.func_dist_type<norm>}"
    takes = {
        "a loop": f"%l = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %x) -> ({vector}) {{\n"
        f"  %s = ave.hir.vadd %acc, %acc, %m : {vector}, {MASK}\n  scf.yield %s : {vector}\n}}",
        "a call": f"%l = func.call @g(%x) : ({vector}) -> {vector}",
        "nothing": f"%l = ave.hir.vadd %x, %x, %m : {vector}, {MASK}",
    }
    memory = f"memref<1024xf32, {UB}>"
    text = function(
        ZERO, "%c1 = arith.constant 1 : index", "%c4 = arith.constant 4 : index",
        f"%m = ave.hir.pge <ALL> {{functionType = #ave.func_dist_type<pb32>}} : {MASK}",
        f"%x, %y = ave.hir.vload <DINTLV_B32> %a[%c0] {norm} : {memory} into {vector}, {vector}",
        takes[taken],
        *(f"ave.hir.masked_store <NORM_B32> %a[%c0], %m, {name} {norm} : {memory}, {MASK}, {vector}"
          for name in ("%l", "%y")),
        arguments=f"%a: {memory}",
    )  # fmt: skip
    if taken == "a call":
        attributes = "attributes {hivm.vector_function, no_inline}"
        text += f"func.func private @g(%v: {vector}) -> {vector} {attributes} {{\n  return %v : {vector}\n}}\n"
    found = compare_annotated(text)
    row = exemption(text, "", found)
    if taken == "nothing":
        assert (found, row) == (Comparison("equal"), None)
    else:
        assert (found.verdict, row is not None and "two vectors" in row.name) == ("only they refuse", True)


def test_default_choice_gives_text_that_the_compiler_reads() -> None:
    """Our own choice of layouts makes another program of it; the intrinsics are valid all the same."""
    read = 0
    for seed in range(20100, 20130):
        answer = analyze(program(seed))
        if answer.verdict == "solved":
            result = lower(SourceFile("p.mlir", lowerable(answer.stdout, "")))
            assert result.text is None or accepts(result.text), seed
            read += result.text is not None
    assert read >= 3


def test_the_compiler_reads_what_we_write() -> None:
    parts, names = [], []
    for number, (title, text) in enumerate(operation_programs()):
        made = lower(SourceFile("p.mlir", text), LowerOptions(dialect="1.2.0"))
        if made.text is not None:
            parts.append(made.text.replace("func.func @f(", f"func.func @f{number}("))
            names.append(title)
    assert len(parts) > 500
    code, printed, errors = run("\n".join(parts))
    assert code == 0, errors[:2000]
    assert printed.count("func.func @f") == len(names)
    assert "ave.hir." not in printed
