"""Two causes that come together, and only one of which works."""

from __future__ import annotations

from rescorla._events.events import Events
from rescorla._events.read import read_events

# The cues, the outcome, and how many plants.
_PLANTS = (
    *(("pots_red_blue", "flower", 9), ("pots_red_blue", "bare", 3)),
    *(("pots_red", "flower", 3), ("pots_red", "bare", 1)),
    *(("pots_blue", "flower", 1), ("pots_blue", "bare", 3)),
    *(("pots", "flower", 3), ("pots", "bare", 9)),
)


def plants() -> Events:
    """Give 32 plants in pots, with a red fertiliser, a blue one, both or neither: do they flower?

    The two fertilisers, and the pots that are always there, are from Danks' example of an equilibrium; the
    frequencies were made for rescorla, so that the weights come out round:

        cues              flower  bare
        pots, red, blue        9     3
        pots, red              3     1
        pots, blue             1     3
        pots                   3     9

    Of the plants with blue, 10 in 16 flower; of those without, 6 in 16. Yet blue does nothing: three times in
    four it comes with red. With red, 3 in 4 flower, and without it 1 in 4, whether blue is there or not. The
    equilibrium says so: to "flower" the weights are 1/4 of pots, 1/2 of red and 0 of blue.

    Returns
    -------
    Events
        8 events, 32 tokens; the cue "pots" is always there. The order is that of the table, cell by cell; to
        learn as an experiment goes, take ``plants().shuffled(seed=1)``.

    References
    ----------
    Danks, D. (2003). Equilibria of the Rescorla-Wagner model. Journal of Mathematical Psychology 47, 109-121.

    Examples
    --------
    >>> import rescorla as rw
    >>> weights = rw.equilibrium(rw.datasets.plants())
    >>> {cue: round(abs(weights[cue, "flower"]), 6) for cue in weights.cues}
    {'pots': 0.25, 'red': 0.5, 'blue': 0.0}
    """
    return read_events(_PLANTS, progress=False)
