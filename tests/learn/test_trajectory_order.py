"""Trajectories of so many outcomes that learning alone would change the places of events."""

import numpy as np
import rescorla as rw
from rescorla._shared.testing import asking

N_CUES, N_OUTCOMES, N_EVENTS = 60, 1100, 3000


def test_records_are_those_of_the_events_in_their_order() -> None:
    random = np.random.default_rng(1)
    cues = random.integers(N_CUES, size=(N_EVENTS, 3))
    outcomes = np.concatenate(
        [np.arange(N_OUTCOMES), random.integers(N_OUTCOMES, size=N_EVENTS - N_OUTCOMES)]
    )
    events = rw.read_events(
        [
            ([f"c{cue}" for cue in set(row)], [f"o{outcome}"])
            for row, outcome in zip(cues, outcomes, strict=True)
        ]
    )
    tokens = [1, 700, 1500, 2777]
    # Rows of 1,024 bytes and nine tiles: events change places where nothing is recorded.
    with asking(tile=128):
        stepped = rw.trajectories(events, every=700)
        assert stepped.tokens.tolist() == [0, 700, 1400, 2100, 2800, N_EVENTS]
        assert not stepped.values[0].any()
        for values, token in zip(stepped.values[1:], stepped.tokens[1:].tolist(), strict=True):
            learned = rw.learn(events.head(token), method="forward")
            np.testing.assert_array_equal(values, learned.values)
        found = rw.trajectories(events, cues=events.cues, outcomes=events.outcomes, at=tokens).values
        for values, token in zip(found[-len(tokens) :], tokens, strict=True):
            learned = rw.learn(events.head(token), method="forward")
            rows = [events.cues.index(cue) for cue in learned.cues]
            columns = [events.outcomes.index(outcome) for outcome in learned.outcomes]
            np.testing.assert_array_equal(values[np.ix_(rows, columns)], learned.values)
