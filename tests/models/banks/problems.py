"""The one-tile program as a problem, without a text."""

from __future__ import annotations

from layoutsolver_models.problems.banks import Bank, BankOp, BankProblem, Before

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
