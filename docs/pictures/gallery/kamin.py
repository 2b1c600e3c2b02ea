"""Blocking

Two panels of curves: B stays at 0 in the blocking group and rises to one half
in the control group.

A predicts the outcome already, so B adds nothing (Kamin 1969). Dotted lines
are the equilibrium of each phase. See [classic
experiments](classic.md#blocking).
"""

import rescorla as rw

groups = rw.design(
    {
        "blocking": "A+ 40 | AB+ 40 | B?",
        "control": "C+ 40 | AB+ 40 | B?",
    }
)
learned = {
    name: rw.trajectories(events, alpha=0.3, beta=0.3)
    for name, events in groups.items()
}
ends = {
    name: rw.equilibrium(events, by="phase") for name, events in groups.items()
}
rw.plot.trajectories(learned, equilibrium=ends)
