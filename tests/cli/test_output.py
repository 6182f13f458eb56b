from __future__ import annotations

import io
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from layoutsolver.cli import main as command
from tests.cli.running import FREE, PROGRAM, Run, write


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return write(tmp_path / "in.mlir", PROGRAM)


@pytest.fixture
def answer(program: Path, run: Run) -> str:
    return run("solve", program).out


def test_the_file_holds_what_would_be_printed(program: Path, answer: str, tmp_path: Path, run: Run) -> None:
    outcome = run("solve", program, "-o", tmp_path / "out.mlir")
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")
    assert (tmp_path / "out.mlir").read_text() == answer
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.mlir", "out.mlir"]


def test_a_new_file_gets_the_permissions_of_the_umask(program: Path, tmp_path: Path, run: Run) -> None:
    mask = os.umask(0o027)
    try:
        run("solve", program, "-o", tmp_path / "out.mlir")
    finally:
        assert os.umask(mask) == 0o027
    assert stat.S_IMODE((tmp_path / "out.mlir").stat().st_mode) == 0o640


def test_an_existing_file_keeps_its_permissions(program: Path, answer: str, tmp_path: Path, run: Run) -> None:
    target = write(tmp_path / "out.mlir", "old and longer than what comes\n" * 100)
    target.chmod(0o751)
    run("solve", program, "-o", target)
    assert target.read_text() == answer
    assert stat.S_IMODE(target.stat().st_mode) == 0o751


def test_the_input_can_be_the_output(program: Path, answer: str, run: Run) -> None:
    assert run("solve", program, "-o", program).status == 0
    assert program.read_text() == answer


def test_a_link_is_followed_and_stays(program: Path, answer: str, tmp_path: Path, run: Run) -> None:
    (tmp_path / "far").mkdir()
    target = write(tmp_path / "far" / "real.mlir", "old")
    link = tmp_path / "link.mlir"
    link.symlink_to(target)
    assert run("solve", program, "-o", link).status == 0
    assert link.is_symlink()
    assert target.read_text() == answer


def test_a_link_to_nowhere_makes_its_target(program: Path, answer: str, tmp_path: Path, run: Run) -> None:
    link = tmp_path / "link.mlir"
    link.symlink_to(tmp_path / "new.mlir")
    assert run("solve", program, "-o", link).status == 0
    assert (tmp_path / "new.mlir").read_text() == answer


def test_a_device_is_written_to_and_not_replaced(program: Path, run: Run) -> None:
    assert run("solve", program, "-o", "/dev/null").status == 0
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("verb", ["solve", "space"])
def test_what_cannot_be_written_is_a_usage_error(verb: str, program: Path, tmp_path: Path, run: Run) -> None:
    for target, why in ((tmp_path, "Is a directory"), (tmp_path / "none" / "out", "No such file or directory")):
        outcome = run(verb, program, "-o", target)
        assert (outcome.status, outcome.out) == (2, "")
        assert outcome.err == f"layoutsolver: error: cannot write {target}: {why}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["in.mlir"]


def test_a_directory_that_may_not_be_written_to_is_a_usage_error(program: Path, tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o555)
    if os.access(folder, os.W_OK):
        folder = Path("/proc/self")  # nobody may make a file there, not even root
    outcome = run("solve", program, "-o", folder / "out.mlir")
    assert outcome.status == 2
    assert outcome.err.startswith(f"layoutsolver: error: cannot write {folder / 'out.mlir'}: ")
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_is_interrupted_leaves_the_old_file(
    error: BaseException, program: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> NoReturn:
        raise error

    target = write(tmp_path / "out.mlir", "old")
    monkeypatch.setattr(os, "fsync", fail)
    outcome = run("solve", program, "-o", target)
    if isinstance(error, OSError):
        assert (outcome.status, outcome.err) == (
            2, f"layoutsolver: error: cannot write {target}: No space left on device\n",
        )  # fmt: skip
    else:
        assert (outcome.status, outcome.err) == (130, "interrupted\n")
    assert target.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.mlir", "out.mlir"]


def test_the_file_is_on_disk_before_it_takes_its_name(
    program: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    sync, move = os.fsync, Path.replace

    def synced(descriptor: int) -> None:
        steps.append("sync")
        sync(descriptor)

    def moved(source: Path, target: Path) -> Path:
        steps.append("move")
        return move(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", moved)
    run("solve", program, "-o", tmp_path / "out.mlir")
    assert steps == ["sync", "move"]


def test_closed_standard_output_is_a_usage_error(program: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    outcome = run("solve", program)
    assert outcome.status == 2
    assert outcome.err == "layoutsolver: error: cannot write standard output: standard output is closed\n"


@pytest.mark.parametrize("verb", ["solve", "space", "ops"])
def test_a_reader_that_is_gone_gives_the_status_of_a_broken_pipe(
    verb: str, program: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Gone(io.StringIO):
        def write(self, _: str) -> NoReturn:
            raise BrokenPipeError(32, "Broken pipe")

    silenced: list[bool] = []
    monkeypatch.setattr(sys, "stdout", Gone())
    monkeypatch.setattr(command, "_silence_stdout", lambda: silenced.append(True))
    outcome = run(verb, *([program] if verb != "ops" else []))
    assert (outcome.status, outcome.err, silenced) == (141, "", [True])


# -- in a process of its own --------------------------------------------------------------------------------------

COMMAND = f"{sys.executable} -m layoutsolver"


def shell(script: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {script}"], capture_output=True, check=False, timeout=60,
        env={**os.environ, **environment},
    )  # fmt: skip


def test_a_reader_that_stops_early_causes_no_message(tmp_path: Path) -> None:
    file = write(tmp_path / "in.mlir", FREE + f"// {'x' * 8_000_000}\n")  # more than a pipe holds
    for script in (f"{COMMAND} solve {file} | head -1", f"{COMMAND} ops --format json | head -1"):
        done = shell(script)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.count(b"\n") == 1


def test_messages_that_nobody_reads_cause_no_traceback(tmp_path: Path) -> None:
    file = write(tmp_path / "in.mlir", "test.use %m\n" * 50)
    done = shell(f"{COMMAND} solve {file} 2>&1 >/dev/null | head -1")
    assert b"Traceback" not in done.stdout + done.stderr
    assert done.stdout.startswith(b"error[LS0201]")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("verb", ["solve", "space", "ops", "schema", "explain"])
def test_a_full_disk_behind_standard_output_is_reported(verb: str, program: Path) -> None:
    arguments = {"solve": program, "space": program, "schema": "solve-report", "explain": "LS0101"}
    done = shell(f"{COMMAND} {verb} {arguments.get(verb, '')} > /dev/full")
    assert done.returncode == 2
    assert done.stderr == b"layoutsolver: error: cannot write standard output: No space left on device\n"


def test_answers_are_utf8_whatever_the_locale_says(tmp_path: Path) -> None:
    file = write(tmp_path / "in.mlir", f"// größer als 你好\r\n{FREE}")
    done = shell(f"{COMMAND} solve {file}", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.startswith("// größer als 你好\r\n".encode())


def test_messages_are_ascii_where_the_terminal_has_no_more(tmp_path: Path) -> None:
    file = write(tmp_path / "in.mlir", "test.use %m // größer\n")
    done = shell(f"{COMMAND} solve {file}", PYTHONIOENCODING="ascii")
    assert done.returncode == 1
    assert done.stderr.isascii()
    assert b"gr??er" in done.stderr


def test_closed_streams_cause_no_traceback(program: Path) -> None:
    for closed, status in ((">&-", 2), ("2>&-", 0), ("<&-", 0)):
        done = shell(f"{COMMAND} solve {program} {closed}")
        assert (done.returncode, b"Traceback" in done.stderr) == (status, False)
