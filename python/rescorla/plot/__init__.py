"""Pictures of learning, drawn with matplotlib.

Every function draws into the Axes it is given, or into those of a new figure, and returns them. None shows or
saves anything or changes matplotlib's settings: that is the caller's.

    trajectories    weights over tokens, with the equilibrium they tend to
    spectrum        how fast learning is in each direction, and the bounds of the rate
    weights         a heat map of cues and outcomes
    network         the strongest associations as lines between cues and outcomes
    activations     how activations are distributed
    influence       what each event added to a weight, and what the weight would be without it

Colours are those of Okabe and Ito, which the colour-blind can tell apart, and blue and red around white.
"""

from rescorla.plot._curves import trajectories
from rescorla.plot._graph import network
from rescorla.plot._heatmap import weights
from rescorla.plot._histogram import activations
from rescorla.plot._influence import influence
from rescorla.plot._rates import spectrum

__all__ = ["activations", "influence", "network", "spectrum", "trajectories", "weights"]
