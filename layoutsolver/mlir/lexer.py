"""MLIR text as a list of pieces that, joined, are the text again.

One regular expression cuts the text; nothing is thrown away. A piece is a token or trivia (white space, a comment).
A string that is never closed is a token up to the end of its line, so that brackets in it count for nothing.
`2:4x8xf32` style shapes come out as `4`, `x8xf32`: types are put together again from their span.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import NamedTuple

_PIECE = re.compile(
    r"""
    [ \t\r\n\f\v]+
  | //[^\n]*
  | "(?:[^"\\\n]|\\[^\n])*"?
  | %[\w$.\-]+(?:\#[0-9]+)?
  | [#!](?:[A-Za-z_$][\w$.\-]*|[0-9]+)
  | [A-Za-z_][\w$.]*
  | 0x[0-9a-fA-F]+
  | [0-9]+(?:\.[0-9]*(?:[eE][+-]?[0-9]+)?)?
  | \^[\w$.\-]*
  | @(?:[\w$.\-]+|"(?:[^"\\\n]|\\[^\n])*")
  | ->|<=|>=|==|::|\{-\#|\#-\}
  | .
    """,
    re.VERBOSE | re.DOTALL,
)

_STRING = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"')
_TRIVIA_FIRST = frozenset(" \t\r\n\f\v/")


class TokenStream(NamedTuple):
    """The tokens of a text, index by index, and all pieces between which they stand.

    `texts[i]` is token i, which starts at offset `starts[i]` and is piece `piece_index[i]`; `line_first[i]` tells
    whether it is the first token on its line. A last empty token stands for the end of the text.
    """

    pieces: list[str]
    texts: list[str]
    starts: list[int]
    piece_index: list[int]
    line_first: list[bool]

    def end(self, index: int) -> int:
        """The offset behind token `index`."""
        return self.starts[index] + len(self.texts[index])

    def text_between(self, first: int, last: int) -> str:
        """Everything from token `first` up to, not including, token `last`, with the trivia before `last`."""
        return "".join(self.pieces[self.piece_index[first] : self.piece_index[last]])

    def range_text(self, first: int, last: int) -> str:
        """The text of tokens `[first, last)` without what follows the last of them, comments left out."""
        if last <= first:
            return ""
        if last == first + 1:
            return self.texts[first]
        pieces = self.pieces[self.piece_index[first] : self.piece_index[last - 1] + 1]
        text = "".join(pieces)
        if "//" not in text:
            return text
        return "".join(piece for piece in pieces if not piece.startswith("//"))


def is_unclosed_string(token: str) -> bool:
    r"""Whether a token begins a string that does not end on its line.

    >>> is_unclosed_string('"a'), is_unclosed_string('"a\\"'), is_unclosed_string('"a"'), is_unclosed_string("a")
    (True, True, False, False)
    """
    return token[:1] == '"' and _STRING.fullmatch(token) is None


def is_number(token: str) -> bool:
    """Whether a token is a decimal integer.

    >>> is_number("12"), is_number("1.5"), is_number("²"), is_number("")
    (True, False, False, False)
    """
    return token.isascii() and token.isdigit()


def tokenize(text: str) -> TokenStream:
    """The token stream of a text; never fails, a character that starts no token is a token of its own.

    >>> stream = tokenize("%a = x.y // note")
    >>> stream.texts
    ['%a', '=', 'x.y', '']
    >>> "".join(stream.pieces)
    '%a = x.y // note'
    """
    pieces: list[str] = _PIECE.findall(text)
    trivia = _TRIVIA_FIRST
    piece_index = [
        index
        for index, piece in enumerate(pieces)
        if piece[0] not in trivia or (piece[0] == "/" and not piece.startswith("//"))
    ]
    texts = [pieces[index] for index in piece_index]
    # A comment ends before a line break, so the piece in front of a token tells whether it is the first on its line.
    line_first = ["\n" in pieces[index - 1] for index in piece_index]
    line_first[:1] = [True]
    offsets = list(accumulate(map(len, pieces), initial=0))
    starts = [offsets[index] for index in piece_index]
    texts.append("")
    piece_index.append(len(pieces))
    line_first[len(piece_index) - 1 :] = [True]
    starts.append(len(text))
    return TokenStream(pieces, texts, starts, piece_index, line_first)
