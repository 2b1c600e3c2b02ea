"""Samples of names from all bands of frequency."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rescorla._shared.checks import Seed, generator, only_names, shown, whole

if TYPE_CHECKING:
    import pandas


def bandsample(
    counts: Mapping[str, int] | pandas.Series[int], size: int = 50_000, *, cutoff: int = 5, seed: Seed
) -> dict[str, int]:
    """Draw names so that every band of frequency is there: the frequent names, and some of the rare ones.

    The names stand in a row by rising count, equally frequent ones in random order. Counts are summed up
    along the row. Whenever the sum reaches

        step = (sum of all counts) / size

    the name is drawn and the step is taken off the sum; as long as what is left still reaches the step, the
    nearest earlier name not yet drawn is drawn too, and the step is taken off again. So every name as
    frequent as the step is drawn, a rarer one stands for those like it, and the sample follows the
    distribution of tokens.

    Parameters
    ----------
    counts : mapping from str to int, or pandas.Series
        How often each name occurs, 0 or more: what ``events.counts("outcomes")`` gives, a dict, a Counter.
    size : int, default 50000
        About how many names to draw: a few fewer where the sum leaves a remainder, one fewer where rounding
        leaves it just below the last step, and never more than there are.
    cutoff : int, default 5
        Names that occur less often are not drawn, nor counted.
    seed : int, numpy.random.Generator or numpy.random.SeedSequence
        Where the random order comes from. The same seed and counts give the same names. A Generator goes on
        from where it is.

    Returns
    -------
    dict
        The count of each name that was drawn, in the order of `counts`; `Events.filter` takes it as a list of
        names.

    Raises
    ------
    ValueError
        When `size` is less than 1, or a count, `cutoff` or the seed is negative.
    TypeError
        When a count is no whole number, or the seed is of a wrong type.

    Notes
    -----
    This is the algorithm of pyndl's ``preprocess.bandsample``, sums and comparisons in the same order, so
    that counts which are all different give the same sample. pyndl's has no working seed.

    See Also
    --------
    Events.counts : how often the names of events occur.
    Events.filter : takes the sample as ``keep_outcomes`` or ``keep_cues``.

    Examples
    --------
    >>> import rescorla as rw
    >>> counts = {f"word{n}": n for n in range(1, 101)}
    >>> list(rw.bandsample(counts, 10, seed=1).values())
    [32, 45, 55, 64, 71, 78, 84, 90, 95, 100]
    """
    if not hasattr(counts, "items"):
        raise TypeError(f"counts must be a mapping or a Series of counts by name, not {shown(counts)}")
    size = whole("size", size, 1)
    least, random = whole("cutoff", cutoff), generator(seed)
    given = dict(counts.items())
    names = only_names("counts must be of names", given)
    known = {name: whole(f"counts of {name!r}", given[name]) for name in names}
    names = [name for name, count in known.items() if count >= least]
    # Shuffled, then sorted by a sort that leaves equal ones as they are.
    row = [names[i] for i in random.permutation(len(names))]
    row.sort(key=known.__getitem__)
    step = sum(known[name] for name in row) / size
    drawn, left, owed = set(), [], 0.0
    for name in row:
        owed += known[name]
        if owed < step:
            left.append(name)
            continue
        drawn.add(name)
        owed -= step
        while owed >= step and left:
            drawn.add(left.pop())
            owed -= step
    return {name: count for name, count in known.items() if name in drawn}
