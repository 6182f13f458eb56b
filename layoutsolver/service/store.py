"""Answers kept: a table of SQLite from the hash of a request to the bytes of its answer.

Many processes may share a file. Every answer is one transaction in write-ahead mode, so that one that was kept is there
after a crash, and none is there in part. A key covers the request, the version and the code itself: no answer outlives
what computed it.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from importlib import import_module
from pathlib import Path

from layoutsolver import __version__
from layoutsolver.backends import backend_packages

SCHEMA = "create table if not exists answers (key blob primary key, answer blob not null) without rowid"


class StoreError(Exception):
    """The store cannot be used: no such folder, not a database, locked for too long, or a full disk."""


class Store:
    """A file of answers; raises `StoreError` where it cannot be opened, read or written.

    It is read over a connection of its own, so that nobody who reads waits for what is being written to the disk.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._code = code_hash()
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = _open(path)
            self._database.execute("pragma journal_mode = wal")
            self._database.execute("pragma synchronous = full")
            self._database.execute(SCHEMA)
            self._reader = _open(path)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{path}: {error}") from None

    def key(self, verb: str, request: bytes) -> bytes:
        """The key of a request; `request` is its canonical JSON."""
        parts = (b"layoutsolver/answer/1", __version__.encode(), self._code, verb.encode(), request)
        return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).digest()

    def get(self, key: bytes) -> bytes | None:
        """The answer of a key, None if there is none."""
        try:
            with self._reading:
                row = self._reader.execute("select answer from answers where key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from None
        return None if row is None else bytes(row[0])

    def put(self, key: bytes, answer: bytes) -> None:
        """Keep an answer; the first one of a key stays."""
        try:
            with self._lock:
                self._database.execute("insert or ignore into answers values (?, ?)", (key, answer))
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from None

    def __len__(self) -> int:
        """How many answers are kept, of all versions."""
        try:
            with self._reading:
                return int(self._reader.execute("select count(*) from answers").fetchone()[0])
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from None

    def close(self) -> None:
        """Close the file; the store is not to be used any more."""
        with self._lock, self._reading:
            self._reader.close()
            self._database.close()


def _open(path: Path) -> sqlite3.Connection:
    """A connection that any thread may use, one at a time."""
    return sqlite3.connect(path, timeout=10.0, isolation_level=None, check_same_thread=False)


def default_path() -> Path:
    """Where answers are kept unless another place is named: in the user's folder for what can be made again."""
    return Path.home() / ".cache" / "layoutsolver" / "answers.sqlite"


def code_hash() -> bytes:
    """A hash of the code and the tables of all packages that answers come from."""
    found = hashlib.sha256()
    for name in ("layoutsolver", "layoutsolver_models", *backend_packages()):
        root = Path(str(import_module(name).__file__)).parent
        for path in sorted(root.rglob("*")):
            if path.suffix in (".py", ".json"):
                shown = f"{name}/{path.relative_to(root)}".encode()
                found.update(hashlib.sha256(shown).digest() + hashlib.sha256(path.read_bytes()).digest())
    return found.digest()
