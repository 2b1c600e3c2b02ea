"""What each trial did

Each of the last ten trials, light without food, takes .036 away; to leave out a
trial with the tone changes almost nothing.

First the light comes with food 20 times, then light and tone with food, then
the light alone. Blue: what a trial added to the weight that is left. Orange:
the change of the weight if the trial is left out. See
[influence](howto/influence.md).
"""

import rescorla as rw

trials = [("light", "food")] * 20 + [("light_tone", "food")] * 20
trials += [("light", "")] * 10
events = rw.read_events(trials)
found = rw.influence(events, "light", "food", alpha=1.0, beta=0.1)
rw.plot.influence(found)
