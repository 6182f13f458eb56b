"""Whether accesses may meet. Source: fusion spec 2.4, 4.1."""

from __future__ import annotations

from layoutsolver.fusion.access import UNKNOWN_ROOT, Access
from layoutsolver.fusion.affine import Spread
from layoutsolver.fusion.roots import Root


def conflicts(one: Access, other: Access) -> bool:
    """Whether one of them writes and they are not known to be apart."""
    return (one.is_write or other.is_write) and may_meet(one, other)


def may_meet(one: Access, other: Access) -> bool:
    """Whether two accesses are not known to be apart, in one iteration of whatever they depend on.

    Where both places are known these decide; an access whose place is not known stays within its allocation.
    """
    near, far = _reach(one), _reach(other)
    if near.base == far.base and near.start.terms == far.start.terms:
        return not roots_apart(near, far)
    return not (roots_apart(one.root, other.root) or _spread_apart(one, other))


def _spread_apart(one: Access, other: Access) -> bool:
    """Whether two accesses are apart in whatever turns of the loops that they depend on."""
    if one.at is None or other.at is None or one.root.base != other.root.base or one.root.base == UNKNOWN_ROOT.base:
        return False
    if one.span is None or other.span is None:
        return False
    mine = one.spread or Spread(one.at.terms, one.at.constant, one.at.constant)
    theirs = other.spread or Spread(other.at.terms, other.at.constant, other.at.constant)
    if mine.terms != theirs.terms:
        return False
    return mine.high + one.span <= theirs.low or theirs.high + other.span <= mine.low


def _reach(access: Access) -> Root:
    """The bytes that an access may touch: its own if their place is known, else those of its root."""
    if access.at is None or access.span is None:
        return access.root
    return Root(access.root.space, access.root.base, access.at, access.span)


def roots_apart(one: Root, other: Root) -> bool:
    """Whether two allocations surely have no byte in common.

    What has no known extent reaches from its start to the end of memory.

    >>> from layoutsolver.fusion.affine import Affine
    >>> low, high = Root("ub", -1, Affine(0), 256), Root("ub", -1, Affine(256))
    >>> roots_apart(low, high), roots_apart(low._replace(extent=None), high)
    (True, False)
    """
    if one.space and other.space and one.space != other.space:
        return True
    if one.base != other.base or one.base == UNKNOWN_ROOT.base or one.start.terms != other.start.terms:
        return False
    low, high = sorted((one, other), key=lambda root: root.start.constant)
    if low.extent == 0 or high.extent == 0:
        return True
    return low.extent is not None and low.start.constant + low.extent <= high.start.constant
