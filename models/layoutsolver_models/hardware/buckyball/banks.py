"""Banks: physical SRAM, the table that says which bank id has which of it, and what is known of every byte."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from layoutsolver_models.targets.bank_chip import ROW_BYTES, BankChip

Bytes = npt.NDArray[np.uint8]
Known = npt.NDArray[np.bool_]


class Fault(Exception):
    """What the hardware refuses, or what it does not define; `kind` is a short name for the reason."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Banks:
    """The banks of a chip.

    `data[p, r]` are the 16 bytes of row r of physical bank p and `known` says of each whether anything determined it;
    `groups[id]` are the physical banks of an id, group by group; `columns[id]` is the number that `mset` was given.
    With `strict`, what the hardware leaves undefined is a fault: else it is as in the emulators.
    """

    def __init__(self, chip: BankChip, strict: bool = True) -> None:
        self.chip = chip
        self.strict = strict
        self.data: Bytes = np.zeros((chip.bank_num, chip.bank_entries, ROW_BYTES), np.uint8)
        self.known: Known = np.zeros(self.data.shape, np.bool_)
        self.groups: dict[int, list[int]] = {}
        self.columns: dict[int, int] = {}

    # -- the mapping table ------------------------------------------------------------------------------------

    def allocate(self, bank: int, columns: int, clear: bool) -> None:
        """Bind an id to the lowest free physical banks, one for each column (one for none)."""
        limit = self.chip.bank_num if not self.strict else self.chip.vbank_upper + 1
        if bank >= limit:
            raise Fault("bank_id_out_of_range", f"bank id {bank} is not below {limit}")
        if bank in self.groups:
            if self.strict:
                raise Fault("double_alloc", f"bank {bank} is allocated, and not free")
            self.free(bank)
        used = {physical for groups in self.groups.values() for physical in groups}
        mine = self.groups[bank] = []
        for _ in range(max(columns, 1)):
            free = next((p for p in range(self.chip.bank_num) if p not in used), None)
            if free is None:
                raise Fault("no_free_physical_bank", f"no physical bank is free for column {len(mine)} of bank {bank}")
            used.add(free)
            mine.append(free)
            if clear:
                self.data[free] = 0
            self.known[free] = clear
        self.columns[bank] = columns

    def free(self, bank: int) -> None:
        """Unbind an id; its bytes stay."""
        if bank not in self.groups and self.strict:
            raise Fault("bank_not_allocated", f"bank {bank} is freed, and not allocated")
        self.groups.pop(bank, None)
        self.columns.pop(bank, None)

    def columns_of(self, bank: int, kind: str = "bank_not_allocated") -> int:
        """The columns of an id that is allocated."""
        known = self.columns.get(bank)
        if known is None:
            raise Fault(kind, f"bank {bank} is not allocated")
        return known

    # -- contents ---------------------------------------------------------------------------------------------

    def read(self, bank: int, rows: int) -> Bytes:
        """The first virtual rows of a bank: rows by 16 times the columns. Every byte must be known."""
        data, known = self.peek(bank, rows)
        if not known.all():
            row = int(np.argmin(known.all(axis=1)))
            raise Fault("undefined", f"row {row} of bank {bank} is read, and nothing has written it")
        return data

    def peek(self, bank: int, rows: int) -> tuple[Bytes, Known]:
        """The first virtual rows of a bank, and what is known of them."""
        self.check_rows(bank, rows)
        groups = self.groups[bank]
        data = np.concatenate([self.data[p, :rows] for p in groups], axis=1)
        return data, np.concatenate([self.known[p, :rows] for p in groups], axis=1)

    def write(self, bank: int, data: Bytes, known: Known | None = None) -> None:
        """Set the first virtual rows of a bank."""
        self.check_rows(bank, len(data))
        for group, physical in enumerate(self.groups[bank]):
            part = slice(group * ROW_BYTES, (group + 1) * ROW_BYTES)
            self.data[physical, : len(data)] = data[:, part]
            self.known[physical, : len(data)] = True if known is None else known[:, part]

    def flat(self, bank: int) -> tuple[Bytes, Known]:
        """All bytes of the first column of a bank, to be read and written in place."""
        physical = self.groups[bank][0]
        return self.data[physical].reshape(-1), self.known[physical].reshape(-1)

    def check_rows(self, bank: int, rows: int) -> None:
        """Refuse rows that a bank does not have."""
        if rows > self.chip.bank_entries:
            entries = self.chip.bank_entries
            raise Fault("bank_range", f"{rows} rows of bank {bank}, which has {entries}")
