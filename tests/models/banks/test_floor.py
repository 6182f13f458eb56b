"""What a single operation needs at least."""

from __future__ import annotations

from layoutsolver_models.banks.floor import capacity_floor
from layoutsolver_models.problems.banks import Bank, BankOp, BankProblem
from tests.models.banks.problems import tile


def one_op(op: BankOp, *columns: int) -> BankProblem:
    banks = tuple(Bank(str(number), 1, col, number, 9 + number) for number, col in enumerate(columns))
    return BankProblem((op,), banks, (), (5,))


def test_what_one_operation_needs() -> None:
    problem = tile(16)
    assert capacity_floor(problem, in_place=False) == (6, 8)
    assert capacity_floor(problem, in_place=True) == (5, 6)
    assert capacity_floor(problem._replace(ops=()), in_place=True) == (-1, 0)


def test_a_bank_that_is_read_and_written_counts_once() -> None:
    problem = one_op(BankOp("mul", "vec", 1, (0, 1, 2), (2,), accumulates=True), 1, 1, 4)
    assert capacity_floor(problem, in_place=True).size == 6


def test_of_two_ways_to_convert_in_place_only_one_is_taken() -> None:
    """Both operands could become the result; it takes the place of one of them, and their rest stays."""
    problem = one_op(BankOp("add", "vec", 1, (0, 1), (2,), in_place=((0, 2), (1, 2))), 4, 4, 4)
    assert capacity_floor(problem, in_place=True).size == 8
    assert capacity_floor(problem, in_place=False).size == 12


def test_all_conversions_in_place_that_go_together_are_counted() -> None:
    op = BankOp("both", "vec", 1, (0, 1), (2, 3), in_place=((0, 2), (0, 3), (1, 3)))
    assert capacity_floor(one_op(op, 1, 1, 1, 1), in_place=True).size == 2
    assert capacity_floor(one_op(op, 1, 4, 1, 4), in_place=True).size == 5
    assert capacity_floor(one_op(op._replace(in_place=((0, 3), (1, 2))), 1, 4, 1, 4), in_place=True).size == 10
    assert capacity_floor(one_op(op._replace(accumulates=True), 1, 1, 1, 1), in_place=True).size == 4


def test_the_first_of_equal_operations_is_named_and_a_larger_later_one_too() -> None:
    problem = one_op(BankOp("first", "vec", 1, (0,), ()), 4, 4, 5)
    ops = (*problem.ops, BankOp("equal", "vec", 1, (1,), ()), BankOp("larger", "vec", 1, (2,), ()))
    assert capacity_floor(problem._replace(ops=ops[:2]), in_place=False) == (0, 4)
    assert capacity_floor(problem._replace(ops=ops), in_place=False) == (2, 5)
