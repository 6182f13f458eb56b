"""Whether a solution is one: orders kept, no two live banks on the same physical ones, nothing outside the chip."""

from __future__ import annotations

from layoutsolver_models.problems.banks import BankProblem, BankSolution


def solution_errors(problem: BankProblem, solution: BankSolution) -> list[str]:
    """What is wrong with a solution of a problem, in words; the peak is counted anew."""
    order = solution.order
    if sorted(order) != list(range(len(problem.ops))):
        return ["the order is no order of the operations"]
    at = {number: place for place, number in enumerate(order)}
    dropped = set(solution.dropped_fences)
    errors = [
        f"operation {edge.then} comes before operation {edge.first}"
        for edge in problem.orders
        if at[edge.first] > at[edge.then] and not (edge.why == "fence" and dropped & {edge.first, edge.then})
    ]
    errors += _regions(problem, at)
    errors += _lives(problem, solution, at)
    return errors + _places(problem, solution)


def _regions(problem: BankProblem, at: dict[int, int]) -> list[str]:
    errors = []
    for number, region in enumerate(problem.regions):
        inside = set(range(region.enter + 1, region.leave))
        placed = {op for op, place in at.items() if at[region.enter] < place < at[region.leave]}
        if inside != placed:
            errors.append(f"region {number} holds other operations than before")
    return errors


def uses_of(problem: BankProblem) -> list[list[int]]:
    """The operations that touch each bank, those that enter and leave a region around its uses among them."""
    users: list[set[int]] = [set() for _ in problem.banks]
    for number, op in enumerate(problem.ops):
        for bank in (*op.reads, *op.writes):
            users[bank].add(number)
            region = op.region
            while region != problem.banks[bank].region and region >= 0:
                users[bank] |= {problem.regions[region].enter, problem.regions[region].leave}
                region = problem.regions[region].outer
    return [sorted(of) for of in users]


def _lives(problem: BankProblem, solution: BankSolution, at: dict[int, int]) -> list[str]:
    """Every use lies within the life of its bank; a shared bank lives until the other one begins."""
    if solution.level in ("first_fit", "placement"):
        return []
    errors = []
    into = dict(solution.shared)
    for number, users in enumerate(uses_of(problem)):
        places = [at[user] for user in users]
        if places and (min(places) < solution.first[number] or max(places) > solution.last[number]):
            errors.append(f"bank {number} is used outside its life")
        if number in into and solution.first[into[number]] < solution.last[number]:
            errors.append(f"bank {number} is used when bank {into[number]} has taken its place")
    return errors


def _places(problem: BankProblem, solution: BankSolution) -> list[str]:
    fixed = solution.level in ("first_fit", "placement")
    contiguous = problem.model == "contiguous"
    into = dict(solution.shared)
    spans = []
    for number, bank in enumerate(problem.banks):
        life = (bank.alloc, bank.release) if fixed else (solution.first[number], solution.last[number] + 1)
        if number in into:
            life = (life[0], life[1] - 1)
        size = bank.size if contiguous else 1
        spans.append((life, solution.ids[number], solution.ids[number] + size, number))
    errors = []
    for life, low, high, number in spans:
        if low < 0 or low > problem.largest_id or (contiguous and high > problem.bank_num):
            errors.append(f"bank {number} lies at {low}, outside the chip")
        for other_life, other_low, other_high, other in spans[:number]:
            if life[0] < other_life[1] and other_life[0] < life[1] and low < other_high and other_low < high:
                errors.append(f"banks {other} and {number} lie on each other")
    points = {life[0] for life, *_ in spans}
    for point in points:
        load = sum(problem.banks[n].size for life, _, _, n in spans if life[0] <= point < life[1])
        if load > problem.bank_num:
            errors.append(f"{load} banks are live at {point}")
            break
    top = max((high for _, _, high, _ in spans), default=0)
    if contiguous and solution.peak < top:
        errors.append(f"the peak is {top}, not {solution.peak}")
    return errors
