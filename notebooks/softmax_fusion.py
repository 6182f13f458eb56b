"""A softmax as seven templates behind each other: six loops become two, and most loads and stores go."""

import marimo

app = marimo.App(width="medium")


@app.cell
def _():
    from pathlib import Path

    import marimo as mo

    from layoutsolver.api_fusion import FuseOptions, fuse
    from layoutsolver.fusion.measure import measure
    from layoutsolver.source import SourceFile
    from layoutsolver.view.fusion import fusion_picture, view_of

    return FuseOptions, Path, SourceFile, fuse, fusion_picture, measure, mo, view_of


@app.cell
def _(Path, SourceFile):
    path = Path(__file__).resolve().parents[1] / "examples" / "column_softmax.pto"
    source = SourceFile(path.name, path.read_text(encoding="utf-8"))
    return (source,)


@app.cell
def _(mo):
    unread = mo.ui.checkbox(value=True, label="stores go if nobody reads them any more when the function ends")
    unread
    return (unread,)


@app.cell
def _(FuseOptions, fuse, source, unread):
    result = fuse(source, FuseOptions(exit_dse=unread.value))
    return (result,)


@app.cell
def _(measure, mo, result):
    rows = [
        {"stage": name, **measure(code, result.assumed_turns)._asdict()}
        for name, code in (("start", result.start), *result.stages.items())
    ]
    mo.ui.table(rows, selection=None)
    return (rows,)


@app.cell
def _(fusion_picture, result, view_of):
    fusion_picture(view_of(result))
    return


@app.cell
def _(mo, result):
    mo.accordion({"The fused program": mo.md(f"```\n{result.text}\n```")})
    return


if __name__ == "__main__":
    app.run()
