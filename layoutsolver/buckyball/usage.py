"""Whether a program with numbered banks allocates and releases them as it must: each where it is free, none left.

Reports what the released checker reports (buckyball 6.4), for banks in bodies of loops as well, and uses of banks that
are not allocated. Where ids are mapped by the hardware, a bank of several columns has one id, and lies anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.buckyball.ir import Code, Op, Value
from layoutsolver.buckyball.roles import instruction_of, mnemonic, operands_by_role
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.ops.buckyball import INTRINSIC
from layoutsolver_models.buckyball.encoding import BANK_FIELDS, MASK, RS1, RS2, decode
from layoutsolver_models.buckyball.instructions import ALIASES, BY_FUNCT7, INSTRUCTIONS
from layoutsolver_models.problems.banks import BankModel
from layoutsolver_models.targets.bank_chip import BankChip


class Event(NamedTuple):
    """An allocation or release: its bank, shape, and how many banks are in use behind it."""

    kind: str
    bank: int
    row: int
    col: int
    used: int


class Usage(NamedTuple):
    """What a function does with banks."""

    function: str
    peak: int
    allocs: int
    releases: int
    leaked: int
    events: tuple[Event, ...]


def bank_usage(
    code: Code, chip: BankChip, model: BankModel = "contiguous"
) -> tuple[list[Usage], list[Diagnostic]]:  # fmt: skip
    """The use of banks in each function, and LS1032 for everything that is wrong with it."""
    found, said = [], []
    for function in code.functions:
        if function.blocks:
            walk = _Walk(code, function, chip, model)
            found.append(walk.run())
            said += walk.said
    return found, said


class _Walk:
    def __init__(self, code: Code, function: Op, chip: BankChip, model: BankModel) -> None:
        self.code, self.function, self.chip = code, function, chip
        self.contiguous = model == "contiguous"
        self.known: dict[Value, int] = {}
        self.live: dict[int, tuple[int, int, Op]] = {}
        self.said: list[Diagnostic] = []
        self.events: list[Event] = []
        self.peak = 0

    def run(self) -> Usage:
        for op in self.function.walk():
            text = str(op.attrs.get("value", ""))
            if op.name == "arith.constant" and text.lstrip("-").isdecimal():
                self.known[op.result] = int(text)
        for op in self.function.walk():
            self.visit(op)
        for bank, (row, col, op) in sorted(self.live.items()):
            self.fault(op, f"bank {bank} ({row * col} of them) is never released")
        counts = [sum(event.kind == kind for event in self.events) for kind in ("alloc", "release")]
        return Usage(
            self.function.text("symbol").lstrip("@"),
            self.peak,
            counts[0],
            counts[1],
            len(self.live),
            tuple(self.events),
        )

    def fault(self, op: Op, message: str) -> None:
        self.said.append(Diagnostic("LS1032", "error", message, Label(self.code.source, op.span)))

    def visit(self, op: Op) -> None:
        name = mnemonic(op)
        row = instruction_of(op)
        if op.name == f"{INTRINSIC}mset":
            self.packed(op)
        elif name == "mset":
            bank = self.number(op, op.operands[0])
            if bank is not None:
                shape = (op.number("row", 1), op.number("col", 1))
                self.set(op, bank, *shape, alloc=bool(op.attrs.get("alloc", True)))
        elif op.name.startswith(INTRINSIC):
            self.registers(op)
        elif row is not None:
            roles = operands_by_role(op)
            for role in dict.fromkeys((*row.reads, *row.writes)):
                bank = self.number(op, roles[role])
                if bank is not None and bank not in self.live:
                    self.fault(op, f"bank {bank} is used, but not allocated here")

    def registers(self, op: Op) -> None:
        """The banks that an instruction names in its first register."""
        name = op.name.removeprefix(INTRINSIC)
        named = INSTRUCTIONS.get(ALIASES.get(name, name))
        row = named or INSTRUCTIONS.get(BY_FUNCT7.get(op.number("funct7", -1), ""))
        banks = () if row is None else (*row.reads, *row.writes)
        if not banks:
            return
        register = self.known.get(op.operands[0])
        if register is None:
            self.fault(op, "banks whose numbers are not constant")
            return
        fields = decode(RS1, register & MASK)
        for bank in dict.fromkeys(fields[BANK_FIELDS[role]] for role in banks):
            if bank not in self.live:
                self.fault(op, f"bank {bank} is used, but not allocated here")

    def packed(self, op: Op) -> None:
        """An mset whose fields are in its registers."""
        first, second = (self.known.get(value) for value in op.operands)
        if first is None or second is None:
            self.fault(op, "a bank whose number is not constant")
            return
        fields = decode(RS2["mset"], second & MASK)
        self.set(op, decode(RS1, first & MASK)["bank0"], fields["row"], fields["col"], alloc=bool(fields["alloc"]))

    def number(self, op: Op, value: Value) -> int | None:
        bank = self.known.get(value)
        if bank is None:
            self.fault(op, f"the bank `%{value.name}` is not constant")
        return bank

    def set(self, op: Op, bank: int, row: int, col: int, alloc: bool) -> None:
        if not alloc:
            if self.live.pop(bank, None) is None:
                self.fault(op, f"bank {bank} is released, but not allocated here")
                return
            self.events.append(Event("release", bank, row, col, self.used()))
            return
        if row <= 0 or col <= 0:
            self.fault(op, f"bank {bank} is allocated with {row} rows and {col} columns")
            return
        top = bank + (row * col if self.contiguous else 1)
        outside = self.contiguous and top > self.chip.bank_num
        if bank < 0 or bank > self.chip.vbank_upper or outside:
            self.fault(op, f"banks {bank} to {top - 1} are outside the {self.chip.bank_num} of `{self.chip.name}`")
        if bank in self.live:
            self.fault(op, f"bank {bank} is allocated twice")
            return
        for other, (rows, cols, _) in self.live.items():
            if self.contiguous and bank < other + rows * cols and other < top:
                self.fault(op, f"banks {bank} to {top - 1} overlap bank {other}, which is allocated here")
        self.live[bank] = (row, col, op)
        self.peak = max(self.peak, self.used())
        if not self.contiguous and self.used() > self.chip.bank_num:
            self.fault(op, f"{self.used()} banks are allocated here, `{self.chip.name}` has {self.chip.bank_num}")
        self.events.append(Event("alloc", bank, row, col, self.used()))

    def used(self) -> int:
        return sum(row * col for row, col, _ in self.live.values())


def usage_text(usage: Usage, chip: BankChip, verbose: bool) -> str:
    """The line of a function as the released checker prints it, and one for each event."""
    lines = []
    if verbose:
        lines = [
            f"evt={number} {event.kind} b{event.bank} row={event.row} col={event.col} cur={event.used}/{chip.bank_num}"
            for number, event in enumerate(usage.events)
        ]
    head = (
        f"[bank-usage] {usage.function} peak={usage.peak}/{chip.bank_num} alloc={usage.allocs} "
        f"release={usage.releases} leaked={usage.leaked}"
    )
    return "\n".join([head, *lines]) + "\n"
