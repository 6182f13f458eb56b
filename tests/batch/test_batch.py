"""Batches: a line for each program, whatever happens in between."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from layoutsolver.cli.main import main
from layoutsolver.cli.parser import BATCH_VERBS
from layoutsolver.service.examples import BUFFERS, CONFLICT, PROGRAM, TEMPLATES
from layoutsolver.service.requests import VERBS, parse_request
from layoutsolver.service.run import answer
from tests.support.serving import COMMAND, processes_below


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def corpus(folder: Path, count: int) -> Path:
    """So many programs in folders; every third one has no layouts."""
    for number in range(count):
        path = folder / f"{number % 7}" / f"{number:04}.mlir"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"// {number}\n" + (CONFLICT if number % 3 == 2 else PROGRAM), encoding="utf-8")
    return folder


@pytest.fixture
def batch(tmp_path: Path) -> Any:
    def run(*arguments: str | Path) -> tuple[int, list[dict[str, Any]]]:
        out = tmp_path / "results.jsonl"
        status = main(["batch", *map(str, arguments), "-o", str(out), "--jobs", "2"])
        return status, lines_of(out) if out.exists() else []

    return run


def test_every_program_has_a_line_in_order(batch: Any, tmp_path: Path) -> None:
    folder = corpus(tmp_path / "in", 12)
    status, lines = batch(folder)
    assert status == 0
    assert [line["file"] for line in lines] == [str(path) for path in sorted(folder.rglob("*.mlir"))]
    expected = {2: "refused"}
    for line in lines:
        number = int(Path(line["file"]).stem)
        assert line["answer"]["outcome"] == expected.get(number % 3, "done"), line["file"]


def test_an_answer_is_the_one_of_the_service(batch: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    file.write_text(PROGRAM)
    _, (line,) = batch(file, "--set", "layouts=true", "--set", "compat=upstream")
    request = {"text": PROGRAM, "name": "a.mlir", "layouts": True, "compat": "upstream", "time_limit": 30.0}
    assert line["answer"] == json.loads(answer("solve", json.dumps(request).encode()))


def test_every_verb_of_the_service_may_be_asked(batch: Any, tmp_path: Path) -> None:
    assert set(BATCH_VERBS) == set(VERBS)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text(BUFFERS)
    status, (line,) = batch(
        tmp_path / "in", "--verb", "banks", "--set", "placement=true", "--set", "capacity=8192", "--suffix", ".csv"
    )
    assert (status, line["answer"]["outcome"]) == (0, "done")
    assert line["answer"]["text"].startswith("id,lower,upper,size,offset\nweights,")
    (tmp_path / "in" / "b.pto").write_text(TEMPLATES)
    status, (line,) = batch(tmp_path / "in", "--verb", "view", "--set", "show=fusion")
    assert (status, line["answer"]["text"][:4]) == (0, "<svg")


def test_what_cannot_be_read_has_its_line(batch: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.mlir").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "in" / "b.pto").write_text("func.func @f( {")
    (tmp_path / "in" / "c.txt").write_text("not a program")
    status, lines = batch(tmp_path / "in")
    assert status == 0
    assert [line["answer"]["outcome"] for line in lines] == ["unreadable", "unreadable"]
    assert [line["answer"]["diagnostics"][0]["code"] for line in lines] == ["LS0001", "LS0003"]


def test_parts_are_programs_and_messages_name_their_lines(batch: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    file.write_text(PROGRAM + "// -----\n" + CONFLICT)
    _, lines = batch(file, "--split-input-file", "--verb", "explain")
    assert [(line["part"], line["answer"]["outcome"]) for line in lines] == [(0, "done"), (1, "refused")]
    main(["explain", str(file), "--split-input-file", "--format", "json"])
    first = len(PROGRAM.splitlines()) + 1
    assert lines[1]["answer"]["diagnostics"][0]["primary"]["line"] > first


def test_what_the_verb_cannot_do_with_a_program_is_said_and_is_no_defect(batch: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    file.write_text(PROGRAM)
    status, (line,) = batch(file, "--verb", "why", "--set", "value=%nothing")
    assert status == 0
    assert line["refused"].startswith("no vector `%nothing`")


def test_a_folder_is_no_place_for_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", str(tmp_path), "-o", str(tmp_path)]) == 2
    assert "it is a folder" in capsys.readouterr().err


def test_a_limit_is_told_by_the_exit_status(batch: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    file.write_text(PROGRAM)
    status, (line,) = batch(file, "--verb", "verify", "--set", "rounds=2000000000", "--time-limit", "0.5")
    assert status == 70, "a program that does not end is killed"
    assert line["problem"].startswith("TimeoutError")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "nothing=1"], "it has no field `nothing`"),
        (["--set", "nothing"], "not NAME=VALUE"),
        (["--verb", "why"], "it needs --set value=..."),
        (["/does/not/exist"], "cannot use /does/not/exist: No such file"),
    ],
)
def test_what_the_verb_does_not_take_is_a_usage_error(
    arguments: list[str], message: str, batch: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, lines = batch(tmp_path, *arguments)
    assert (status, lines) == (2, [])
    assert message in capsys.readouterr().err


def test_a_batch_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    folder, out = corpus(tmp_path / "in", 60), tmp_path / "results.jsonl"
    command = [*COMMAND, "batch", str(folder), "-o", str(out), "--jobs", "1", "--verb", "explain"]
    partial = tmp_path / "results.jsonl.partial"
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not (partial.exists() and partial.read_bytes().count(b"\n") >= 10):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.kill()
    assert not out.exists()
    before = [line for line in partial.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    assert len(before) < 60, "there is something left to do"
    with partial.open("ab") as file:
        file.write(b'{"file": "cut o')
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert f"{len(before)} kept" in done.stderr
    assert not partial.exists()
    assert set(before) <= set(out.read_bytes().splitlines(keepends=True)), "what was answered is not answered again"
    whole = tmp_path / "whole.jsonl"
    subprocess.run([*command[:-6], str(folder), "-o", str(whole), *command[-4:]], check=True, capture_output=True)
    assert out.read_bytes() == whole.read_bytes()


def test_a_worker_that_is_killed_costs_its_program_a_second_run(tmp_path: Path) -> None:
    folder, out = corpus(tmp_path / "in", 40), tmp_path / "results.jsonl"
    command = [*COMMAND, "batch", str(folder), "-o", str(out), "--jobs", "1", "--verb", "verify", "--set", "rounds=200"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not (out.with_name("results.jsonl.partial").exists() and len(processes_below(process.pid)) >= 3):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(1.0)
        os.kill(processes_below(process.pid)[-1], signal.SIGKILL)
        assert process.stderr is not None
        said = process.stderr.read()
    failed = [line for line in lines_of(out) if "problem" in line]
    assert len(failed) <= 1, "the others are answered"
    assert process.returncode == (70 if failed else 0), said
    assert len(lines_of(out)) == 40


def test_what_failed_or_met_a_limit_is_tried_again(tmp_path: Path) -> None:
    from layoutsolver.batch.results import Results

    with Results(tmp_path / "r.jsonl") as results:
        results.add("a", {"answer": {"outcome": "done"}})
        results.add("b", {"problem": "died"})
        results.add("c", {"answer": {"outcome": "limit"}})
    with Results(tmp_path / "r.jsonl") as results:
        assert set(results.kept) == {"a"}


def test_a_part_stands_at_its_own_line(tmp_path: Path) -> None:
    from layoutsolver.batch.files import programs

    (tmp_path / "a.mlir").write_text("x\n// -----\ny\n")
    found = list(programs([str(tmp_path / "a.mlir")], {}, True, 1000))
    assert [json.loads(one.request)["text"] for one in found] == ["x\n", "\n\ny\n"]


def test_two_batches_do_not_write_the_same_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from layoutsolver.batch.results import Results

    folder, out = corpus(tmp_path / "in", 1), tmp_path / "results.jsonl"
    with Results(out):
        assert main(["batch", str(folder), "-o", str(out)]) == 2
    assert "another batch is writing" in capsys.readouterr().err


def test_an_interrupt_says_how_to_go_on_and_nothing_else(tmp_path: Path) -> None:
    folder, out = corpus(tmp_path / "in", 40), tmp_path / "results.jsonl"
    command = [*COMMAND, "batch", str(folder), "-o", str(out), "--jobs", "2", "--verb", "verify", "--set", "rounds=500"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        deadline = time.monotonic() + 60
        while not (out.with_name("results.jsonl.partial").exists() and len(processes_below(process.pid)) >= 4):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(1.0)
        os.killpg(process.pid, signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert "Traceback" not in said
    assert f"goes on with {out}.partial" in said


def test_any_file_name_becomes_one_that_a_request_may_have(tmp_path: Path) -> None:
    from layoutsolver.batch.files import find_files, programs

    names = [
        "ä ö.mlir",
        "+-x.mlir",
        "x" * 200 + ".mlir",
        "a;b'c.pto",
        "--.mlir",
        "no_suffix",
        "x.m~l i r",
        "x." + "y" * 30,
    ]
    for name in names:
        (tmp_path / name).write_text(PROGRAM)
    found = list(programs([str(tmp_path / name) for name in names], {}, False, 10_000))
    assert [json.loads(one.request)["name"] for one in found] == [
        "___.mlir", "x.mlir", "x" * 80 + ".mlir", "a_b_c.pto", "program.mlir", "no_suffix.mlir",
        "x.mlir", "x." + "y" * 10,
    ]  # fmt: skip
    for one in found:
        parse_request("solve", one.request)
    below = find_files([str(tmp_path), str(tmp_path / "no_suffix"), str(tmp_path / "a;b'c.pto")])
    programs_there = sorted(str(tmp_path / name) for name in names if name.endswith((".mlir", ".pto")))
    assert below == [*programs_there, str(tmp_path / "no_suffix")], "each once"
