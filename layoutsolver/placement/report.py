"""What is said of a placement: overloads, limits, and faults of given offsets, at the lines of the file."""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.placement.csv import PlacementFile
from layoutsolver.source import Span
from layoutsolver_models.placement.check import Fault
from layoutsolver_models.problems.placement import Overload, PlacementSolution

SHOWN = 8
"""So many buffers are marked in the file; the rest are counted."""


def refusal(file: PlacementFile, solution: PlacementSolution) -> Diagnostic:
    """Why there is no placement, or none yet: LS1021, LS1022 or LS1023."""
    peak, capacity = solution.peak, file.problem.capacity
    label = Label(file.source, Span(0, 0))
    if solution.status == "unknown":
        return Diagnostic(
            "LS1023", "error", "no placement was found within the time limit, and none was ruled out", label
        )
    if peak is not None and capacity is not None and peak.load > capacity:
        return _overload(file, peak, capacity)
    notes = []
    if peak is not None:
        notes.append(f"at most {peak.load} bytes are live at once, in [{peak.lower}, {peak.upper}): they would fit")
    notes.append(f"proved by {solution.method}: every way to place the buffers was ruled out")
    return Diagnostic("LS1022", "error", f"no placement fits into {capacity} bytes", label, notes=tuple(notes))


def _overload(file: PlacementFile, peak: Overload, capacity: int) -> Diagnostic:
    buffers = file.problem.buffers
    largest = sorted(peak.live, key=lambda number: (-buffers[number].size, number))[:SHOWN]
    labels = tuple(
        Label(file.source, file.rows[number].line, f"{buffers[number].size} bytes") for number in sorted(largest)
    )
    notes = [f"{len(peak.live)} buffers are live there: at least {peak.load} bytes are needed"]
    if len(peak.live) > SHOWN:
        notes.append(f"the {SHOWN} largest are shown")
    message = f"{peak.load} bytes are live in [{peak.lower}, {peak.upper}), {peak.load - capacity} more than {capacity}"
    return Diagnostic("LS1021", "error", message, labels[0], labels[1:], tuple(notes))


def not_lowest(file: PlacementFile, solution: PlacementSolution) -> Diagnostic:
    """The placement that was found may not be the lowest one: LS0402."""
    gap = solution.height - solution.bound
    text = f"a limit was reached: the height {solution.height} may be up to {gap} above the least one"
    return Diagnostic("LS0402", "warning", text, Label(file.source, Span(0, 0)))


def fault_messages(file: PlacementFile, faults: list[Fault]) -> list[Diagnostic]:
    """What is wrong with given offsets: LS1024 for overlaps, LS1025 for single buffers."""
    buffers = file.problem.buffers
    said = []
    for fault in faults:
        name = buffers[fault.buffer].id
        low, high = fault.bytes
        label = Label(file.source, file.rows[fault.buffer].line)
        if fault.kind == "overlap":
            other = buffers[fault.other].id
            message = (
                f"buffers `{other}` and `{name}` both have bytes {low} to {high} "
                f"in [{fault.time[0]}, {fault.time[1]})"
            )  # fmt: skip
            marked = (Label(file.source, file.rows[fault.other].line),)
            said.append(Diagnostic("LS1024", "error", message, label, marked))
            continue
        words = {
            "outside": f"ends at {high}, outside the {file.problem.capacity} bytes of the memory",
            "alignment": f"begins at {low}, no multiple of {buffers[fault.buffer].alignment}",
            "moved": f"begins at {low} instead of {buffers[fault.buffer].offset}",
        }
        if fault.kind == "outside" and low < 0:
            words["outside"] = f"begins at {low}, below the memory"
        said.append(Diagnostic("LS1025", "error", f"buffer `{name}` {words[fault.kind]}", label))
    return said
