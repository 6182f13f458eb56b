"""`layoutsolver banks --placement`: static memory placement, and the check of a placement."""

from __future__ import annotations

import argparse

from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import read_inputs
from layoutsolver.cli.main import EXIT_INPUT, EXIT_LIMIT, EXIT_OK, EXIT_PROGRAM
from layoutsolver.cli.messages import print_diagnostics
from layoutsolver.cli.output import deliver
from layoutsolver.placement.csv import PlacementFile, read_placement, write_placement
from layoutsolver.placement.report import fault_messages, not_lowest, refusal
from layoutsolver_models.placement.check import check_placement
from layoutsolver_models.placement.solve import solve_placement
from layoutsolver_models.problems.placement import PlacementProblem, PlacementSolution
from layoutsolver_models.solve.layout import Limits


def run(options: argparse.Namespace) -> int:
    """Solve or check the problem in a file."""
    source = read_inputs(options).sources[0]
    file = read_placement(source, options.capacity)
    if file.errors:
        print_diagnostics(options, file.errors)
        return EXIT_INPUT
    if options.check:
        return _check(options, file)
    solution = solve_placement(file.problem, Limits(options.time_limit, options.workers, options.seed))
    return _answer(options, file, solution)


def _check(options: argparse.Namespace, file: PlacementFile) -> int:
    given = [buffer.offset for buffer in file.problem.buffers]
    offsets = [offset for offset in given if offset is not None]
    if len(offsets) < len(given) or not file.has_offsets:
        raise UsageError(f"`{options.file}` has no offset for every buffer to be checked")
    free = PlacementProblem(tuple(buffer._replace(offset=None) for buffer in file.problem.buffers), options.capacity)
    faults = fault_messages(file, check_placement(free, offsets))
    print_diagnostics(options, faults)
    if faults:
        return EXIT_PROGRAM
    height = max((at + buffer.size for at, buffer in zip(offsets, free.buffers, strict=True)), default=0)
    within = "" if options.capacity is None else f" of {options.capacity}"
    return deliver(options.output, f"{len(offsets)} buffers, no overlap, height {height}{within}\n")


def _answer(options: argparse.Namespace, file: PlacementFile, solution: PlacementSolution) -> int:
    found = solution.status in ("optimal", "feasible")
    proved = solution.status == "optimal" or options.capacity is not None
    if found and check_placement(file.problem, solution.offsets):
        raise AssertionError("the placement found is none")
    if not found:
        print_diagnostics(options, [refusal(file, solution)])
    elif not proved:
        print_diagnostics(options, [not_lowest(file, solution)])
    if found:
        status = EXIT_OK if proved else EXIT_LIMIT
    else:
        status = EXIT_PROGRAM if solution.status == "infeasible" else EXIT_LIMIT
    if options.format == "json":
        from layoutsolver_models.problems.json import to_json

        return deliver(options.output, to_json(solution) + "\n", status)
    return deliver(options.output, write_placement(file, solution.offsets), status) if found else status
