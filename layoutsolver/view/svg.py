"""Drawing SVG by shapes with classes; colours stand in one style sheet, for light and for dark surroundings.

A picture needs nothing from outside: no script, no font file, no network.
"""

from __future__ import annotations

from html import escape

LAYOUTS = 12
"""So many colours tell layouts apart; more layouts share them."""

_LIGHT = (
    "#ffd166", "#dcc9a3", "#f7a072", "#e3c5f5", "#b79ae0", "#9fd0f0",
    "#a5dcb0", "#f6b0c4", "#d9d9d9", "#7fc8bd", "#cfe08a", "#cdab8a",
)  # fmt: skip
_DARK = (
    "#8a6500", "#6b5a34", "#a3481f", "#6d4186", "#54399b", "#1f5f8b",
    "#2a6e3c", "#8f3a57", "#5a5a5a", "#0f6b5e", "#5f7016", "#6e5137",
)  # fmt: skip
APART = (5, 2, 6, 4, 0, 9, 7, 10, 3, 11, 1)
"""The colours of boxes that colours only tell apart, in an order in which neighbours differ most."""

_COLOURS = {
    "paper": ("#ffffff", "#15181c"), "ink": ("#1b1f24", "#e6e8ea"), "faint": ("#57606a", "#9aa4ae"),
    "rule": ("#d0d7de", "#3a424b"), "empty": ("#f3f4f6", "#20252b"), "bad": ("#c62828", "#ff6b6b"),
    "good": ("#1a7f37", "#57d364"), "chosen": ("#0b57d0", "#8ab4f8"),
}  # fmt: skip


def _style() -> str:
    """The style sheet: a variable for each colour, with its dark value where that is preferred."""

    def values(which: int) -> str:
        named = "".join(f"--{name}:{pair[which]};" for name, pair in _COLOURS.items())
        layouts = (_LIGHT, _DARK)[which]
        return named + "".join(f"--l{number}:{colour};" for number, colour in enumerate(layouts))

    layouts = "".join(f".l{number}{{fill:var(--l{number})}}" for number in range(LAYOUTS))
    return (
        f".ls{{{values(0)}}}@media(prefers-color-scheme:dark){{.ls{{{values(1)}}}}}"
        ".ls text{font:13px ui-sans-serif,system-ui,sans-serif;fill:var(--ink)}"
        ".ls .code{font-family:ui-monospace,monospace;font-size:12px}"
        ".ls .small{font-size:11px}.ls .key{font-size:12px}.ls .cell{font-size:11px}"
        ".ls .title{font-size:15px;font-weight:600}.ls .point{font-size:13px;font-weight:600}"
        ".ls .faint{fill:var(--faint)}.ls .bad{fill:var(--bad)}"
        ".ls .over{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}"
        ".ls .badfill{fill:var(--bad)}.ls .good{fill:var(--good)}"
        ".ls .paper{fill:var(--paper)}.ls .empty{fill:var(--empty);stroke:var(--rule)}"
        ".ls .box{stroke:var(--rule)}.ls .plain{fill:var(--paper);stroke:var(--faint)}"
        ".ls .void{fill:none}.ls .pad{fill:url(#hatch);stroke:var(--rule)}.ls .hatch{stroke:var(--faint)}"
        ".ls .frame,.ls .wrong,.ls .edge,.ls .badedge,.ls .turn{fill:none;stroke-width:2.5}"
        ".ls .frame{stroke:var(--chosen)}.ls .second{stroke:var(--good)}.ls .third{stroke:var(--faint)}"
        ".ls .fourth{stroke:var(--ink)}"
        ".ls .wrong,.ls .badedge{stroke:var(--bad)}.ls .turn{stroke:var(--ink)}"
        ".ls .edge{stroke:var(--faint);stroke-width:1.4}.ls .dim{stroke-opacity:.5}"
        ".ls .op{stroke:var(--faint)}.ls .lost{fill:var(--empty);stroke:var(--rule)}"
        ".ls .hollow{fill:url(#hatch);stroke:var(--bad)}"
        ".ls .back{stroke-dasharray:4 3}.ls .limit{stroke:var(--bad);stroke-dasharray:6 3}"
        f"{layouts}"
    )


class Picture:
    """A drawing that grows: shapes are added, and the size is what they need."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._parts: list[str] = []
        self._width = 0.0
        self._height = 0.0
        if title:
            self.text(MARGIN, 22, title, "title")

    def rect(
        self, x: float, y: float, width: float, height: float, kind: str, hint: str = "", round_: float = 2
    ) -> None:
        """A rectangle of the class `kind`; `hint` is shown where a pointer rests on it."""
        self._add(
            x + width,
            y + height,
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round_:g}" class="{kind}"',
            hint,
        )

    def diamond(self, x: float, y: float, radius: float, kind: str, hint: str = "") -> None:
        """A diamond around a point."""
        points = f"{x:g},{y - radius:g} {x + radius:g},{y:g} {x:g},{y + radius:g} {x - radius:g},{y:g}"
        self._add(x + radius, y + radius, f'<polygon points="{points}" class="{kind}"', hint)

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str, hint: str = "") -> None:
        """A straight line."""
        self._add(
            max(x1, x2), max(y1, y2), f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" class="{kind}"', hint
        )

    def curve(self, x1: float, y1: float, x2: float, y2: float, kind: str, hint: str = "") -> None:
        """A curve that leaves the first point downwards and comes to the second from above."""
        bend = max(14.0, abs(y2 - y1) / 2)
        path = f"M{x1:g},{y1:g} C{x1:g},{y1 + bend:g} {x2:g},{y2 - bend:g} {x2:g},{y2:g}"
        self._add(max(x1, x2), max(y1, y2), f'<path d="{path}" class="{kind}"', hint)

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start", hint: str = "") -> None:
        """A line of text whose baseline is at `y`."""
        width = width_of(text, kind)
        right = x + (width if anchor == "start" else width / 2 if anchor == "middle" else 0)
        place = f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" class="{kind}">'
        inner = f"{escape(text)}{_hint(hint)}</text>"
        self._grow(right, y + 4)
        self._parts.append(place + inner)

    def lines(self, x: float, y: float, text: str, kind: str, width: float, step: float = 17) -> float:
        """A text in as many lines as it takes; the baseline of what may come next."""
        for line in wrapped(text, kind, width):
            self.text(x, y, line, kind)
            y += step
        return y

    def svg(self, number: int = 0) -> str:
        """The picture as the text of an SVG document; `number` tells its hatching from that of others on a page."""
        width, height = self._width + MARGIN, self._height + MARGIN
        hatch = (
            f'<defs><pattern id="hatch{number}" width="6" height="6" patternUnits="userSpaceOnUse" '
            'patternTransform="rotate(45)">'
            '<line x1="0" y1="0" x2="0" y2="6" class="hatch"/></pattern></defs>'
        )
        style = f"<style>{_style().replace('#hatch', f'#hatch{number}')}</style>"
        body = "\n".join(self._parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="ls" role="img" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}">{style}{hatch}<title>{escape(self.title)}</title>'
            f'<rect x="0" y="0" width="{width:g}" height="{height:g}" class="paper"/>\n{body}\n</svg>\n'
        )

    def _repr_svg_(self) -> str:
        """What notebooks show."""
        return self.svg(id(self) % 100_000)

    def _add(self, right: float, bottom: float, start: str, hint: str) -> None:
        self._grow(right, bottom)
        name = start[1 : start.index(" ")]
        self._parts.append(f"{start}>{_hint(hint)}</{name}>" if hint else f"{start}/>")

    def _grow(self, right: float, bottom: float) -> None:
        self._width, self._height = max(self._width, right), max(self._height, bottom)


MARGIN = 12
CHARACTER = 7.3
"""About as wide as a character is, in units of the picture."""
_NARROWER = {"small": 6.2, "key": 6.3, "cell": 6.7, "code": 7.3, "title": 9.2, "point": 7.7}
"""The same by the class of a text."""


def width_of(text: str, kind: str = "") -> float:
    """About as wide as a line of text of some classes is.

    >>> width_of("ab") == 2 * width_of("a")
    True
    >>> width_of("ab", "small over") < width_of("ab", "key") < width_of("ab", "title")
    True
    """
    return len(text) * next((_NARROWER[name] for name in kind.split() if name in _NARROWER), CHARACTER)


def wrapped(text: str, kind: str, width: float) -> list[str]:
    """A text in lines that are about so wide.

    >>> wrapped("one two three", "", 60)
    ['one two', 'three']
    """
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and width_of(longer, kind) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _hint(text: str) -> str:
    return f"<title>{escape(text)}</title>" if text else ""
