"""A text at any stage down to bank SSA -> the same program with its banks placed, or why they cannot be."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.buckyball.banks import BankError
from layoutsolver.buckyball.passes.builder import LowerError
from layoutsolver.buckyball.passes.pipeline import lower_code, stage_of
from layoutsolver.buckyball.passes.place import place_banks
from layoutsolver.buckyball.program import read_program
from layoutsolver.buckyball.stages import STAGES
from layoutsolver.buckyball.write import write_code
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.explain.banks import refusal
from layoutsolver.pose.banks import pose_banks
from layoutsolver.source import SourceFile, Span
from layoutsolver_models.banks.answer import solved_problem
from layoutsolver_models.banks.check import solution_errors
from layoutsolver_models.banks.solve import solve_banks
from layoutsolver_models.problems.banks import BankModel, BankProblem, BankSolution, Level
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.targets.bank_chip import BankChip


class BankOptions(NamedTuple):
    """What may be changed, how banks are mapped, whether arguments are different memory, and the solver's limits."""

    level: Level = "elide"
    model: BankModel = "contiguous"
    distinct_arguments: bool = False
    limits: Limits = Limits()


class PlacedFunction(NamedTuple):
    """A function with its problem and what was found."""

    name: str
    problem: BankProblem
    solution: BankSolution


class Banked(NamedTuple):
    """The text with numbered banks (None where there is an error), each function's answer, what is to be said."""

    text: str | None
    functions: list[PlacedFunction]
    diagnostics: list[Diagnostic]
    unreadable: bool = False
    limited: bool = False


def bank_text(source: SourceFile, chip: BankChip, options: BankOptions) -> Banked:
    """Place the banks of every function; of none, if those of one cannot be placed."""
    read = read_program(source)
    if read.code is None:
        return Banked(None, [], read.diagnostics, read.unreadable)
    code, said = read.code, list(read.diagnostics)
    stage = stage_of(code)
    if STAGES.index(stage) > STAGES.index("bank-ssa"):
        message = f"the program stands at `{stage}`: its banks have numbers already (`--check` looks at them)"
        return Banked(None, [], [*said, Diagnostic("LS1009", "error", message, Label(source, Span(0, 0)))])
    wrong = lower_code(code, chip, stage, "bank-ssa", deep=True)
    if wrong:
        return Banked(None, [], [*said, *wrong])
    found: list[PlacedFunction] = []
    limited = False
    for function in code.functions:
        if not function.blocks:
            continue
        name = function.text("symbol").lstrip("@")
        try:
            posed = pose_banks(code, function, chip, options.model, options.distinct_arguments)
            solution = solve_banks(posed.problem, options.level, options.limits)
            found.append(PlacedFunction(name, posed.problem, solution))
            if not solution.order and posed.problem.ops:
                limited |= solution.status == "unknown"
                said.append(_refused(source, found[-1], options))
                continue
            errors = solution_errors(posed.problem, solution)
            if errors:
                raise AssertionError("; ".join(errors))
            place_banks(posed, solved_problem(posed.problem, solution), solution, chip)
        except (BankError, LowerError) as error:
            code_of = error.code if isinstance(error, LowerError) else "LS1005"
            said.append(Diagnostic(code_of, "error", str(error), Label(source, error.span)))
            continue
        if solution.status == "feasible" and options.level != "first_fit":
            limited = True
            message = f"a limit was reached: the banks of `{name}` fit, but the answer is not proved the best"
            said.append(Diagnostic("LS0402", "warning", message, Label(source, function.span)))
    failed = any(item.severity == "error" for item in said)
    return Banked(None if failed else write_code(code), found, said, limited=limited)


def _refused(source: SourceFile, placed: PlacedFunction, options: BankOptions) -> Diagnostic:
    if placed.solution.status == "unknown":
        message = f"no banks were found for `{placed.name}` within the limits, and none were ruled out"
        return Diagnostic("LS1031", "error", message, Label(source, Span(0, 0)))
    return refusal(source, placed.name, placed.problem, options.level, options.limits)
