"""64-bit elements as two vectors of words: the low ones of all, and the high ones."""

from __future__ import annotations

import numpy as np

from layoutsolver.verify.values import Elements
from layoutsolver_models.hardware.formats import FORMATS, Format

WORD = FORMATS["i32"]
_BITS = np.uint64(32)


def halves(elements: Elements) -> tuple[Elements, Elements]:
    """The low and the high words of 64-bit elements.

    >>> longs = Elements(FORMATS["i64"], np.array([1 << 32 | 7], np.uint64), np.array([True]))
    >>> [int(words.bits[0]) for words in halves(longs)]
    [7, 1]
    """
    wide = elements.bits.view(np.uint64)
    low, high = wide.astype(WORD.storage), (wide >> _BITS).astype(WORD.storage)
    return Elements(WORD, low, elements.defined), Elements(WORD, high, elements.defined)


def joined(fmt: Format | None, low: Elements, high: Elements) -> Elements:
    """The 64-bit elements of two vectors of words, defined where both words are.

    >>> longs = Elements(FORMATS["i64"], np.array([1 << 32 | 7], np.uint64), np.array([True]))
    >>> hex(int(joined(FORMATS["i64"], *halves(longs)).bits[0]))
    '0x100000007'
    """
    bits = low.bits.astype(np.uint64) | (high.bits.astype(np.uint64) << _BITS)
    return Elements(fmt, bits, low.defined & high.defined)
