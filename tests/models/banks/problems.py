"""The one-tile program as a problem, without a text."""

from __future__ import annotations

from layoutsolver_models.problems.banks import Bank, BankOp, BankProblem, Before, Chain

SIZES = {"aF": 4, "bF": 4, "a8": 1, "b8": 1, "aT": 1, "cI": 4, "cF": 4}
OPS = (
    BankOp("mvin A", "loader", 64, (), (0,), reload=0),
    BankOp("mvin B", "loader", 64, (), (1,), reload=1),
    BankOp("fp2int A", "fp2int", 64, (0,), (2,)),
    BankOp("fp2int B", "fp2int", 64, (1,), (3,)),
    BankOp("transpose", "transpose", 4096, (2,), (4,)),
    BankOp("mul", "vec", 1024, (4, 3, 5), (5,), True),
    BankOp("int2fp", "int2fp", 16, (5,), (6,), in_place=((5, 6),)),
    BankOp("mvout", "storer", 16, (6,), ()),
    BankOp("buckyball.fence", "", 1),
)


def bank_orders(ops: tuple[BankOp, ...]) -> list[Before]:
    """What the banks themselves put in order."""
    found = []
    for then, other in enumerate(ops):
        for first, one in enumerate(ops[:then]):
            if set(one.writes) & {*other.reads, *other.writes} or set(one.reads) & set(other.writes):
                found.append(Before(first, then, "bank"))
    return found


def tile(bank_num: int, largest_id: int = 15) -> BankProblem:
    """The seed's listing: seven allocations, the operations, seven releases."""
    banks = tuple(Bank(name, 1, col, place, 16 + place, 64) for place, (name, col) in enumerate(SIZES.items()))
    orders = (*bank_orders(OPS), Before(7, 8, "fence"))
    return BankProblem(OPS, banks, orders, tuple(range(7, 16)), bank_num=bank_num, largest_id=largest_id)


def mixed(bank_num: int) -> BankProblem:
    """Sixteen narrow banks, four of which make room for a wide one."""
    banks = [Bank(f"n{n}", 1, 1, n, 20 if n in (1, 5, 9, 13) else 60 + n) for n in range(16)]
    banks.append(Bank("wide", 1, 4, 30, 50))
    ops = tuple(BankOp("relu", "relu", 16, (n,), (n,)) for n in range(17))
    return BankProblem(ops, tuple(banks), (), tuple(16 + n // 16 * 20 for n in range(17)), bank_num=bank_num)


def deep_tile(bank_num: int, entries: int = 32) -> BankProblem:
    """The one-tile program on banks of fewer rows than its K = 64, all of which can be cut."""
    names = ("mvin", "mvin", "fp2int", "fp2int", "transpose", "mul_warp16", "int2fp", "mvout")
    ops = tuple(op._replace(name=f"buckyball.bank_{name}") for op, name in zip(OPS, names, strict=False)) + OPS[8:]
    rows = (64, 64, 64, 64, 64, 16, 16)
    whole = tile(bank_num)
    banks = tuple(bank._replace(rows=count) for bank, count in zip(whole.banks, rows, strict=True))
    chain = Chain((0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 4), 64, (0,))
    return whole._replace(ops=ops, banks=banks, bank_entries=entries, chains=(chain,))


def kept_through() -> BankProblem:
    """A bank that is loaded at the start and needed at the end, around a large need in between."""
    ops = (
        BankOp("mvin", "loader", 16, (), (0,), reload=0),
        BankOp("relu", "relu", 16, (0,), (1,)),
        BankOp("mvin", "loader", 16, (), (2,), reload=2),
        BankOp("relu", "relu", 16, (1, 2), (3,)),
        BankOp("relu", "relu", 16, (3, 0), (4,)),
    )
    banks = tuple(Bank(name, 1, 2, 0, 9, 16) for name in "abcde")
    return BankProblem(ops, banks, tuple(bank_orders(ops)), tuple(range(1, 6)), bank_num=6)


def stored_through() -> BankProblem:
    """The same, with a bank that is computed instead of loaded."""
    ops = list(kept_through().ops)
    ops[0] = BankOp("relu", "relu", 16, (0,), (0,))
    return kept_through()._replace(ops=tuple(ops), orders=tuple(bank_orders(tuple(ops))))


def two_stores(loose: bool) -> BankProblem:
    """Two loads that are stored, a fence behind each store; the first one is loose if it is said so."""
    ops = (
        BankOp("mvin", "loader", 16, (), (0,), reload=0), BankOp("mvout", "storer", 16, (0,), ()),
        BankOp("buckyball.fence", "", 1),
        BankOp("mvin", "loader", 16, (), (1,), reload=1), BankOp("mvout", "storer", 16, (1,), ()),
        BankOp("buckyball.fence", "", 1),
    )  # fmt: skip
    fences = [Before(a, b, "fence") for a, b in ((0, 2), (1, 2), (2, 3), (2, 4), (2, 5), (3, 5), (4, 5))]
    banks = (Bank("a", 1, 1, 0, 9, 16), Bank("b", 1, 1, 1, 10, 16))
    return BankProblem(ops, banks, (*bank_orders(ops), *fences), tuple(range(2, 8)), loose_fences=(2,) if loose else ())


def deep_rows(entries: int) -> BankProblem:
    """A product of two loads of 80 rows, on banks of fewer."""
    ops = (
        BankOp("buckyball.bank_mvin", "loader", 80, (), (0,), reload=0),
        BankOp("buckyball.bank_mvin", "loader", 80, (), (1,), reload=1),
        BankOp("buckyball.bank_mul_warp16", "vec", 1280, (0, 1, 2), (2,), True),
        BankOp("buckyball.bank_mvout", "storer", 16, (2,), ()),
    )
    banks = tuple(Bank(name, 1, col, n, 9 + n, rows) for n, (name, col, rows) in
                  enumerate((("l", 1, 80), ("r", 1, 80), ("c", 4, 16))))  # fmt: skip
    chain = Chain((0, 1, 2), (0, 1), 80)
    places = tuple(range(4, 8))
    return BankProblem(ops, banks, tuple(bank_orders(ops)), places, bank_entries=entries, chains=(chain,))
