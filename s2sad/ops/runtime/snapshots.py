"""The schedule of checkpointed loops: of which steps the state is kept.

A loop of l steps is reversed with s snapshots of its state. The reverse sweep takes the
last snapshot, runs the loop again from there to the step that is to be reversed, and
keeps further snapshots on the way where some are free::

    kept = first_snapshots(range(n), s)      forward: keep the state before these
    for t in reversed(range(n)):
        start = kept[-1]                     take the last snapshot from the stack
        kept = snapshots_between(kept, t, s)
        for k in range(start, t): ...        again: keep the state before those in kept
        ...                                  step t, and its reverse

Where the number of steps is known, the steps run again are as few as can be: t(l, s) =
r l - beta(s + 1, r - 1) with beta(s, r) = C(s + r, s) and beta(s, r - 1) < l <=
beta(s, r). Source: Griewank and Walther, Algorithm 799: Revolve (2000), and Evaluating
Derivatives (2nd ed.), section 12.3. Where it isn't, the forward sweep thins its
snapshots out as it goes: Wang, Moin and Iaccarino, Minimal repetition dynamic
checkpointing algorithm for unsteady adjoint calculation (2009).
"""

from collections.abc import Sequence


def first_snapshots(steps: Sequence[int], snapshots: int) -> list[int]:
    """The steps before which the forward sweep keeps the state of a loop over
    ``steps``: by the binomial schedule, and the last step, with which the reverse sweep
    starts. Raises ValueError for fewer than one snapshot.

    >>> first_snapshots(range(10), 3)
    [0, 4, 7, 9]
    >>> first_snapshots(range(0), 3)
    []
    """
    if snapshots < 1:
        raise ValueError(f"a checkpointed loop needs at least 1 snapshot: {snapshots}")
    if not steps:
        return []
    kept = binomial_snapshots(len(steps), snapshots)
    return [*(steps[place] for place in kept), steps[-1]]


def snapshots_between(
    kept: list[int], stop: int, snapshots: int, step: int = 1
) -> list[int]:
    """The steps whose state is kept when step ``stop`` is to be reversed: ``kept``
    without its last, which is used now, and those of the steps from there to ``stop``
    that the binomial schedule keeps on the way.

    >>> snapshots_between([0, 4, 7, 9], 9, 3)
    [0, 4, 7]
    >>> snapshots_between([0, 4, 7], 8, 3)
    [0, 4, 7]
    >>> snapshots_between([0], 5, 3)
    [0, 1, 3]
    """
    *others, start = kept
    length = (stop - start) // step + 1
    again = binomial_snapshots(length, snapshots - len(others))
    return [*others, *(start + step * place for place in again)]


def binomial_snapshots(length: int, snapshots: int) -> list[int]:
    """The steps, counted from 0, before which the state is kept on the way to the last
    of ``length`` steps, which is reversed next.

    >>> binomial_snapshots(10, 3), binomial_snapshots(1, 3)
    ([0, 4, 7], [])
    """
    start, kept = 0, []
    while length > 1:
        # with so many repetitions, `most` steps can be reversed
        repetitions, most = 0, 1
        while most < length:
            repetitions += 1
            most = most * (snapshots + repetitions) // repetitions
        whole = snapshots + repetitions
        right = most * snapshots // whole  # behind the next snapshot, at most
        left = most * repetitions * (repetitions - 1) // (whole * (whole - 1))
        advance = max(1, left, length - right)
        kept.append(start)
        start, length, snapshots = start + advance, length - advance, snapshots - 1
    return kept


def with_next_snapshot(
    levels: dict[int, int], step: int, snapshots: int
) -> tuple[dict[int, int], int]:
    """The kept steps, with their levels, where the number of steps isn't known; and the
    place of the snapshot that makes room for that of ``step``, counted from the end, 0
    where none has to. Raises ValueError for fewer than one snapshot.

    A snapshot that is older than one of a higher level is dispensable. Where none is,
    the last gives way, and the next has a higher level.

    >>> levels, dropped = {}, []
    >>> for step in range(8):
    ...     levels, place = with_next_snapshot(levels, step, 3)
    ...     dropped.append(place)
    >>> dropped, levels
    ([0, 0, 0, 0, -1, -2, -3, -1], {0: 0, 4: 1, 5: 0, 7: 1})
    """
    if snapshots < 1:
        raise ValueError(f"a checkpointed loop needs at least 1 snapshot: {snapshots}")
    steps = list(levels)
    if len(steps) <= snapshots:
        return {**levels, step: 0}, 0
    highest, place, level = 0, -1, levels[steps[-1]] + 1
    for distance in range(1, len(steps)):  # the first is always kept
        own = levels[steps[-distance]]
        if own < highest:
            place, level = -distance, 0
            break
        highest = max(highest, own)
    left = {known: own for known, own in levels.items() if known != steps[place]}
    return {**left, step: level}, place
