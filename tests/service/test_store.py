"""Answers that are kept: what a key covers, many processes, full disks, broken files."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from layoutsolver.service.store import Store, StoreError, code_hash


def test_an_answer_is_there_again_after_a_new_start(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "answers.sqlite"
    first = Store(path)
    key = first.key("solve", b"{}")
    assert first.get(key) is None
    first.put(key, b"answer")
    first.close()
    assert Store(path).get(key) == b"answer"


def test_the_first_answer_of_a_key_stays(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    store.put(b"k", b"first")
    store.put(b"k", b"second")
    assert store.get(b"k") == b"first"
    assert len(store) == 1


def test_a_key_covers_the_verb_and_the_request(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    keys = {store.key("solve", b"ab"), store.key("solve", b"a"), store.key("explain", b"ab"), store.key("solv", b"eab")}
    assert len(keys) == 4
    assert store.key("solve", b"ab") == Store(tmp_path / "b.sqlite").key("solve", b"ab")


def test_a_key_covers_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Store(tmp_path / "a.sqlite").key("solve", b"{}")
    monkeypatch.setattr("layoutsolver.service.store.code_hash", lambda: b"other")
    assert Store(tmp_path / "a.sqlite").key("solve", b"{}") != before


def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_text("no database at all, but long enough to be read as one" * 50)
    with pytest.raises(StoreError, match=r"a\.sqlite: file is not a database"):
        Store(path)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        Store(tmp_path / "file" / "a.sqlite")


def test_a_full_disk_is_said_and_earlier_answers_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    store = Store(path)
    store.put(b"small", b"x")
    store._database.execute("pragma max_page_count = 20")
    with pytest.raises(StoreError, match="full"):
        store.put(b"large", b"x" * 200_000)
    assert store.get(b"small") == b"x"
    assert store.get(b"large") is None
    store._database.execute("pragma max_page_count = 1000")
    store.put(b"large", b"y" * 200_000)
    assert Store(path).get(b"large") == b"y" * 200_000


WRITER = """
import sys
from pathlib import Path
from types import SimpleNamespace
from layoutsolver.service.store import Store
store = Store(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    store.put(f"{sys.argv[2]} {number}".encode(), sys.argv[2].encode() * 3000)
    print(number, flush=True)
"""


def writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_many_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    writers = [writer(path, name, 20) for name in "abcd"]
    for process in writers:
        process.communicate(timeout=60)
        assert process.returncode == 0
    store = Store(path)
    assert len(store) == 80
    assert store.get(b"c 19") == b"c" * 3000


def test_a_process_that_is_killed_loses_nothing_that_it_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    process = writer(path, "a", 100_000)
    assert process.stdout is not None
    kept = [int(process.stdout.readline()) for _ in range(30)]
    process.kill()
    rest = process.communicate(timeout=30)[0].split()
    last = int(rest[-1]) if rest else kept[-1]
    store = Store(path)
    assert all(store.get(f"a {number}".encode()) == b"a" * 3000 for number in range(last + 1))
    assert len(store) in (last + 1, last + 2), "at most one more was written and not yet told"
    with sqlite3.connect(path) as database:
        assert database.execute("pragma integrity_check").fetchone() == ("ok",)


def test_the_hash_of_the_code_covers_code_and_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = SimpleNamespace(__file__=str(tmp_path / "__init__.py"))
    monkeypatch.setattr("layoutsolver.service.store.import_module", lambda name: package)
    monkeypatch.setattr("layoutsolver.service.store.backend_packages", list)
    (tmp_path / "a.py").write_text("one")
    (tmp_path / "b.json").write_text("{}")
    seen = [code_hash()]
    for name, text in (("a.py", "two"), ("b.json", "[]"), ("c.json", "[]")):
        (tmp_path / name).write_text(text)
        seen.append(code_hash())
    assert len(set(seen)) == 4
    (tmp_path / "notes.txt").write_text("no code")
    assert code_hash() == seen[-1]


def test_who_reads_does_not_wait_for_who_writes(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    store.put(b"k", b"answer")
    begun, over = threading.Event(), threading.Event()

    def slow() -> int:
        begun.set()
        over.wait(timeout=20)
        return 0

    store._database.set_progress_handler(slow, 1)
    writer = threading.Thread(target=store.put, args=(b"new", b"x"))
    writer.start()
    assert begun.wait(timeout=20)
    found: list[bytes | None] = []
    reader = threading.Thread(target=lambda: found.append(store.get(b"k")))
    reader.start()
    reader.join(timeout=5)
    assert (found, writer.is_alive()) == ([b"answer"], True)
    over.set()
    writer.join(timeout=20)
    assert store.get(b"new") == b"x"
    store.close()
    with pytest.raises(StoreError):
        store.get(b"k")
