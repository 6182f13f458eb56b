"""Packed 4-bit floats: the optimum, what the released compiler does, and the wrong parts that lose half of the data."""

import marimo

app = marimo.App(width="full")


@app.cell
def _():
    import marimo as mo

    from layoutsolver.api import graph_of, read_source
    from layoutsolver.api_vmi import solve
    from layoutsolver.service.examples import PACKED
    from layoutsolver.source import SourceFile
    from layoutsolver.view.dataflow import flow_picture
    from layoutsolver.view.lanes import lane_picture
    from layoutsolver.view.of_vmi import flow_of
    from layoutsolver.view.of_vpto import lanes_of

    return PACKED, SourceFile, flow_of, flow_picture, graph_of, lane_picture, lanes_of, mo, read_source, solve


@app.cell
def _(mo):
    mo.md("# 128 packed pairs of 4-bit floats to bf16\n\nThe layouts decide how many instructions that takes.")
    return


@app.cell
def _(PACKED, SourceFile, solve):
    result = solve(SourceFile("widen.pto", PACKED))
    return (result,)


@app.cell
def _(mo, result):
    problem, chosen, released = result.posed.problem, result.solution, result.released.issued
    rows = [
        {"": name, **dict(zip(problem.pipes, value.load, strict=True)), "busiest": value.busiest, "total": value.total}
        for name, value in (("optimum", chosen), ("released compiler", released))
    ]
    mo.ui.table(rows, selection=None)
    return


@app.cell
def _(flow_of, flow_picture, result):
    flow_picture(flow_of(result))
    return


@app.cell
def _(mo):
    mo.md(
        """
        ## Two lowerings of the same load

        `UNPK_B8` puts the pairs into every second byte. A conversion of part P1 reads bytes 1, 5, 9, …, where there is
        nothing: framed in red. `UNPK4_B8` leaves four bytes for each pair, and part P0 reads all of them.
        """
    )
    return


@app.cell
def _(mo):
    dist = mo.ui.dropdown(["UNPK_B8", "UNPK4_B8", "NORM"], value="UNPK_B8", label="dist of the load")
    parts = mo.ui.multiselect(["P0", "P1", "P2", "P3"], value=["P0", "P1"], label="parts that are converted")
    mo.hstack([dist, parts], justify="start")
    return dist, parts


@app.cell
def _(SourceFile, dist, graph_of, lane_picture, lanes_of, parts, read_source):
    conversions = "\n".join(
        f'    %r{part} = pto.vcvt %x, %all {{part = "{part}"}} : '
        "!pto.vreg<256x!pto.f4E2M1x2>, !pto.mask<b8> -> !pto.vreg<128xbf16>"
        for part in parts.value
    )
    vpto = f"""\
func.func @k(%src: !pto.ptr<!pto.f4E2M1x2, ub>) {{
  %c0 = arith.constant 0 : index
  pto.vecscope {{
    %all = pto.pset_b8 "PAT_ALL" : !pto.mask<b8>
    %x = pto.vlds %src[%c0] {{dist = "{dist.value}"}} : !pto.ptr<!pto.f4E2M1x2, ub> -> !pto.vreg<256x!pto.f4E2M1x2>
{conversions}
  }}
  return
}}
"""
    graph, said = graph_of(read_source(SourceFile("lowered.vpto", vpto)))
    lanes = lane_picture("what the conversions read", lanes_of(graph))
    lanes
    return graph, lanes, said


if __name__ == "__main__":
    app.run()
