"""A tour: from the text of a kernel to layouts, to what contradicts, to a repair, and to the proof."""

import marimo

app = marimo.App(width="medium")


@app.cell
def _():
    import marimo as mo

    from layoutsolver.api import SolveOptions, annotate, repaired, solve
    from layoutsolver.diagnostics.text import render
    from layoutsolver.source import SourceFile
    from layoutsolver.view.candidates import space_picture
    from layoutsolver.view.dataflow import flow_picture
    from layoutsolver.view.of_ave import flow_of, space_of

    return (
        SolveOptions, SourceFile, annotate, flow_of, flow_picture, mo, render, repaired, solve, space_of, space_picture
    )  # fmt: skip


@app.cell
def _(mo):
    mo.md(
        """
        # From text to layouts

        A kernel loads 64 numbers of 32 bits, narrows them to 16 bits, and stores every row of 16 with a stride. One mask
        governs both the conversion and the store.
        """
    )
    return


@app.cell
def _():
    text = """\
func.func @narrow(%src: memref<64xf32, #hivm.address_space<ub>>, %dst: memref<4x16xf16, #hivm.address_space<ub>>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %all = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %src[%c0] : memref<64xf32, #hivm.address_space<ub>> into vector<64xf32>
  %h = ave.hir.vtruncf %x, <rint>, false, <part_even>, %all : vector<64xf32>, vector<64xf16>, vector<64xi1>
  ave.hir.store_with_stride %dst[%c0, %c0], %c16, %all, %h : memref<4x16xf16, #hivm.address_space<ub>>, vector<64xi1>, vector<64xf16>
  return
}
"""
    return (text,)


@app.cell
def _(SolveOptions, SourceFile, mo, render, solve, text):
    result = solve(SourceFile("narrow.mlir", text), SolveOptions())
    mo.md(f"It has no layouts, and this is why:\n```\n{render(result.diagnostics)}\n```")
    return (result,)


@app.cell
def _(flow_of, flow_picture, result):
    flow_picture(flow_of(result))
    return


@app.cell
def _(mo):
    mo.md("## The cheapest repair\n\nThe mask is made once more, in the granularity that the store needs.")
    return


@app.cell
def _(SolveOptions, annotate, mo, repaired, result):
    after = repaired(result, SolveOptions())
    mo.md(f"```\n{annotate(after, layouts=True)}\n```")
    return (after,)


@app.cell
def _(after, space_of, space_picture):
    space_picture(space_of(after))
    return


@app.cell
def _(SolveOptions, SourceFile, after, mo):
    from layoutsolver.verify.run import verify

    proof = verify(SourceFile("repaired.mlir", after.module.source.text), SolveOptions(), rounds=2)
    mo.md(f"On the model of the hardware it {'agrees' if proof.ok else 'does not agree'} with what the program means.")
    return (proof,)


if __name__ == "__main__":
    app.run()
