"""Data to try things on: a text, a small design and a lexicon.

What comes with rescorla is free: the Gospel of Mark in the King James Version is in the public domain, and
`plants` and `plurals` were made for rescorla, under its licence.

Examples
--------
>>> import rescorla as rw
>>> verses = rw.datasets.king_james()
>>> len(verses), verses[0]
(678, 'The beginning of the gospel of Jesus Christ, the Son of God;')
>>> weights = rw.learn(
...     rw.corpus_events(verses, symbols="a-z"), alpha=0.1, beta=0.1
... )
>>> [cue for cue, _ in weights.top(outcome="kingdom", n=3)]
['ngd', 'gdo', 'dom']
"""

from rescorla.datasets._bible import king_james
from rescorla.datasets._plants import plants
from rescorla.datasets._plurals import plurals

__all__ = ["king_james", "plants", "plurals"]
