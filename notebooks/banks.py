"""Banks of a tile of matrix multiplication: nineteen in program order, six when order and reuse are decided together."""

import marimo

app = marimo.App(width="medium")


@app.cell
def _():
    from pathlib import Path

    import marimo as mo

    from layoutsolver.buckyball.banking import BankOptions, bank_text
    from layoutsolver.diagnostics.text import render
    from layoutsolver.source import SourceFile
    from layoutsolver.view.memory import memory_picture
    from layoutsolver.view.of_memory import map_of_banks
    from layoutsolver_models.problems.banks import LEVELS
    from layoutsolver_models.targets.bank_chip import load_bank_chip

    return (
        BankOptions, LEVELS, Path, SourceFile, bank_text, load_bank_chip, map_of_banks, memory_picture, mo, render
    )  # fmt: skip


@app.cell
def _(Path, SourceFile):
    path = Path(__file__).resolve().parents[1] / "examples" / "bank_tile.mlir"
    source = SourceFile(path.name, path.read_text(encoding="utf-8"))
    return (source,)


@app.cell
def _(BankOptions, LEVELS, bank_text, load_bank_chip, mo, source):
    chip = load_bank_chip("seed")
    tried = {level: bank_text(source, chip, BankOptions(level=level)) for level in LEVELS}
    rows = [
        {
            "level": level, "status": found.functions[0].solution.status, "peak": found.functions[0].solution.peak,
            "cycles": found.functions[0].solution.makespan, "msets": found.functions[0].solution.msets,
        }
        for level, found in tried.items()
    ]  # fmt: skip
    mo.ui.table(rows, selection=None)
    return chip, rows, tried


@app.cell
def _(LEVELS, mo):
    level = mo.ui.dropdown(list(LEVELS), value="elide", label="what may be changed")
    banks = mo.ui.slider(4, 24, value=16, label="banks", show_value=True)
    mo.hstack([level, banks], justify="start")
    return banks, level


@app.cell
def _(BankOptions, bank_text, banks, chip, level, source):
    found = bank_text(source, chip._replace(bank_num=banks.value), BankOptions(level=level.value))
    one = found.functions[0]
    return found, one


@app.cell
def _(found, map_of_banks, memory_picture, mo, one, render):
    placed = one.solution.status in ("optimal", "feasible")
    shown = (
        memory_picture(map_of_banks("banks over time", one.problem, one.solution))
        if placed
        else mo.md(f"```\n{render(found.diagnostics)}\n```")
    )
    shown
    return placed, shown


if __name__ == "__main__":
    app.run()
