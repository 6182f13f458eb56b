"""Explore a candidate space: pin a layout, wish for one, change what is minimised, and see cost and picture change."""

import marimo

app = marimo.App(width="medium")


@app.cell
def _():
    import marimo as mo

    from layoutsolver.api_vmi import VmiOptions, annotate, solve
    from layoutsolver.pose.vmi.wishes import parse_wish
    from layoutsolver.service.examples import PACKED
    from layoutsolver.source import SourceFile
    from layoutsolver.view.candidates import space_picture
    from layoutsolver.view.dataflow import flow_picture
    from layoutsolver.view.of_vmi import flow_of, space_of

    return (
        PACKED, SourceFile, VmiOptions, annotate, flow_of, flow_picture, mo, parse_wish, solve, space_of, space_picture
    )  # fmt: skip


@app.cell
def _(PACKED, mo):
    text = mo.ui.code_editor(PACKED, language="cpp", label="the program")
    text
    return (text,)


@app.cell
def _(SourceFile, VmiOptions, solve, text):
    free = solve(SourceFile("kernel.pto", text.value), VmiOptions())
    values = {value.id: value.layouts for value in free.posed.problem.values if value.where is not None}
    return free, values


@app.cell
def _(mo, values):
    objective = mo.ui.dropdown(["pipes", "total", "registers"], value="pipes", label="minimise first")
    value = mo.ui.dropdown(list(values), value=next(iter(values)), label="value")
    mo.hstack([objective, value], justify="start")
    return objective, value


@app.cell
def _(mo, value, values):
    layout = mo.ui.dropdown(["any", *values[value.value]], value="any", label="its layout")
    weight = mo.ui.slider(0, 32, value=0, label="0: fixed; else what any other layout costs more", show_value=True)
    mo.hstack([layout, weight], justify="start")
    return layout, weight


@app.cell
def _(SourceFile, VmiOptions, layout, objective, parse_wish, solve, text, value, weight):
    wish = f"{value.value}={layout.value}"
    pins = (parse_wish(wish),) if layout.value != "any" and not weight.value else ()
    wishes = (parse_wish(f"{wish}:{weight.value}", weighted=True),) if layout.value != "any" and weight.value else ()
    result = solve(SourceFile("kernel.pto", text.value), VmiOptions(objective.value, pins, wishes))
    return (result,)


@app.cell
def _(free, mo, result):
    def cost(found):
        if not found.ok:
            return {"status": found.solution.status if found.solution else "invalid"}
        solution = found.solution
        pipes = dict(zip(found.posed.problem.pipes, solution.load, strict=True))
        counts = {"busiest": solution.busiest, "total": solution.total, "registers": solution.registers}
        return {"status": solution.status, **pipes, **counts}

    table = [{"": "free", **cost(free)}, {"": "as chosen", **cost(result)}]
    mo.ui.table(table, selection=None)
    return (table,)


@app.cell
def _(result, space_of, space_picture):
    space_picture(space_of(result))
    return


@app.cell
def _(flow_of, flow_picture, result):
    flow_picture(flow_of(result))
    return


@app.cell
def _(annotate, mo, result):
    mo.md(f"```\n{annotate(result)}\n```" if result.ok else "There are no layouts with this one fixed.")
    return


if __name__ == "__main__":
    app.run()
