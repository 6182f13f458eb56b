"""A program as one HTML page: its text with what was said beside the lines, and its pictures. It needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from layoutsolver.diagnostics.hunks import changed_lines

if TYPE_CHECKING:
    from layoutsolver.diagnostics.diagnostic import Diagnostic, Fix, Label
    from layoutsolver.source import SourceFile
    from layoutsolver.view.svg import Picture

STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1b1f24;--faint:#57606a;--rule:#d0d7de;--error:#c62828;--fix:#1a7f37;--warning:#9a6700;--note:#0b57d0;--mark:#fff3bf}
@media(prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e6e8ea;--faint:#9aa4ae;--rule:#3a424b;--error:#ff6b6b;--fix:#57d364;--warning:#e3b341;--note:#8ab4f8;--mark:#4a3f12}}
body{margin:0 auto;max-width:110rem;padding:1.5rem;background:var(--paper);color:var(--ink);font:15px/1.45 ui-sans-serif,system-ui,sans-serif}
h1{font-size:1.3rem}h2{font-size:1.05rem;margin-top:2rem}figure{margin:1rem 0;overflow-x:auto}
.program{border:1px solid var(--rule);border-radius:6px;font:12.5px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.line{display:grid;grid-template-columns:4rem minmax(0,auto)}.line>.number{color:var(--faint);text-align:right;padding-right:1rem;user-select:none}
.code{padding-left:8ch;text-indent:-8ch}
.said{grid-column:2;font:14px/1.45 ui-sans-serif,system-ui,sans-serif;white-space:normal;border-left:3px solid;padding:.2rem .8rem;margin:.2rem 0 .4rem}
.error{color:var(--error);border-color:var(--error)}.warning{color:var(--warning);border-color:var(--warning)}.note{color:var(--note);border-color:var(--note)}
.said .rest{color:var(--ink)}.said ul{margin:.2rem 0;padding-left:1.2rem}.fix{margin:.4rem 0}
.change{margin:.2rem 0;font:12.5px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}.change>div{padding-left:12ch;text-indent:-12ch}
.removed{color:var(--error)}.added{color:var(--fix)}.has{background:var(--mark)}.faint{color:var(--faint)}
"""  # noqa: E501


def page(
    title: str,
    source: SourceFile,
    diagnostics: Sequence[Diagnostic],
    pictures: Sequence[tuple[str, Picture]],
    answer: str = "",
    summary: str = "",
) -> str:
    """The page: `summary` in one line, the program, the pictures under their headings, the answer if there is one."""
    parts = [f"<h1>{escape(title)}</h1>"]
    if summary:
        parts.append(f"<p>{escape(summary)}</p>")
    parts.append(program(source, diagnostics))
    for number, (heading, picture) in enumerate(pictures):
        parts.append(f"<h2>{escape(heading)}</h2><figure>{picture.svg(number)}</figure>")
    if answer:
        parts.append(f"<h2>The answer</h2><div class=program>{_lines(answer, {})}</div>")
    body = "\n".join(parts)
    head = f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style>'
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"{head}</head><body>\n{body}\n</body></html>\n"
    )


def program(source: SourceFile, diagnostics: Sequence[Diagnostic]) -> str:
    """The text with a number before each line, and what is said of a line under it; what has no line comes first."""
    below: dict[int, list[str]] = {}
    for item in diagnostics:
        below.setdefault(_line(item.primary, source), []).append(_said(item))
        for label in item.secondary:
            at = _line(label, source)
            if label.text and at:
                text = f'<div class="said note">{escape(label.text)} <span class=faint>({item.code})</span></div>'
                below.setdefault(at, []).append(text)
    first = "".join(below.pop(0, []))
    return f"<div class=program>{first}{_lines(source.text, below, source.first_line)}</div>"


def _line(label: Label | None, source: SourceFile) -> int:
    """The line of a label, 0 if it has none in this text."""
    if label is None or label.source is not source or not source.text:
        return 0
    return source.position(label.span.start).line


def _lines(text: str, below: dict[int, list[str]], first: int = 1) -> str:
    out = []
    for number, line in enumerate(text.splitlines(), first):
        said = "".join(below.get(number, []))
        kind = " has" if said else ""
        shown = f"<span class=number>{number}</span><span class=code>{escape(line) or ' '}</span>{said}"
        out.append(f'<div class="line{kind}">{shown}</div>')
    return "".join(out)


def _said(item: Diagnostic) -> str:
    """A message with its notes and its fixes."""
    label = f" ({escape(item.primary.text)})" if item.primary is not None and item.primary.text else ""
    listed = "".join(f"<li>{escape(text)}</li>" for text in item.notes)
    more = f"<div class=rest><ul>{listed}</ul></div>" if listed else ""
    fixes = "".join(_fix(item, fix) for fix in item.fixes)
    message = f"<b>{item.severity}[{item.code}]</b>: {escape(item.message)}{label}"
    return f'<div class="said {item.severity}">{message}{more}{fixes}</div>'


def _fix(item: Diagnostic, fix: Fix) -> str:
    """A change that helps, with the lines that it changes."""
    cost = "" if fix.cost is None else f" (cost {fix.cost})"
    title = f"<b>help</b>: {escape(fix.title)}{cost}"
    if item.primary is None or not fix.edits:
        return f"<div class='fix rest'>{title}</div>"
    rows = []
    for sign, line, text in changed_lines(item.primary.source, fix.edits):
        if sign == "...":
            rows.append("<div class=faint>…</div>")
        else:
            kind = {"-": "removed", "+": "added"}.get(sign, "faint")
            rows.append(f"<div class={kind}>{line:>4} {sign.replace('|', ' ')} {escape(text)}</div>")
    return f"<div class='fix rest'>{title}<div class=change>{''.join(rows)}</div></div>"
