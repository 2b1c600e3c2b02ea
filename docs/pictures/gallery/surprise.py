"""Surprise within an experiment

Curves of surprisal over trials: that of nonwords falls, that of words stays
low.

Forty people go on learning, each in an order of his own. See [predictors for
reaction times](howto/people.md).
"""

import numpy as np
import pandas as pd
import rescorla as rw

random = np.random.default_rng(1)
text = rw.corpus_events(rw.datasets.king_james(), symbols="a-z")
read = rw.read_events((e.cues, ["word"], e.frequency) for e in text)
words = text.counts("outcomes").index[:60]
items = [*((w, "word") for w in words), *((w[::-1], "nonword") for w in words)]
trials = pd.DataFrame(
    [(who, *items[i]) for who in range(40) for i in random.permutation(120)],
    columns=["who", "item", "outcomes"],
)
trials["cues"] = rw.ortho_coding(trials["item"], 3)
learned = rw.learn_each(
    trials,
    by="who",
    choices=["word", "nonword"],
    beta=0.4,
    theta=3.0,
    initial=rw.learn(read, alpha=0.01, beta=0.1),
).to_pandas()
blocks = learned.groupby([(learned["trial"] - 1) // 10 * 10 + 5, "outcomes"])
ax = blocks["surprisal"].mean().unstack().plot(style="o-", ylim=(0, None))
ax.set(xlabel="trial", ylabel="surprisal (bits)")
