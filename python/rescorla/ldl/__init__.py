"""Linear discriminative learning: words as n-grams and as vectors, comprehension, production, measures.

A lexicon has for each word its n-grams and its vector. Comprehension is the matrix F from n-grams to vectors,
production the matrix G from vectors to n-grams, each the equilibrium of learning or what `widrow_hoff` has
learned. JudiLing (Julia) and discriminative_lexicon_model (Python) do the same; where their measures differ,
``convention=`` chooses.

References
----------
Baayen, R. H., Chuang, Y.-Y., Shafaei-Bajestan, E. and Blevins, J. P. (2019). The discriminative lexicon: a
unified computational model for the lexicon and lexical processing in comprehension and production grounded
not in (de)composition but in linear discriminative learning. Complexity 2019, 4895891.

Examples
--------
>>> import rescorla as rw
>>> words = ["cat", "rat", "hat"]
>>> vectors = [[1.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
>>> lexicon = rw.ldl.lexicon(words, vectors)
>>> F, G = rw.ldl.comprehension(lexicon), rw.ldl.production(lexicon)
>>> rw.ldl.accuracy(lexicon, F), rw.ldl.accuracy(lexicon, G)
(1.0, 1.0)
>>> rw.ldl.produce(lexicon, "rat", F, G).form
'rat'
"""

from rescorla.ldl._accuracy import accuracy
from rescorla.ldl._lexicon import Lexicon, lexicon
from rescorla.ldl._mappings import comprehension, predicted, production
from rescorla.ldl._measures import (
    density,
    functional_load,
    measures,
    support,
    uncertainty,
)
from rescorla.ldl._produce import Produced, produce
from rescorla.ldl._split import careful_split
from rescorla.ldl._vectors import read_vectors, simulated_vectors

__all__ = [
    "Lexicon",
    "Produced",
    "accuracy",
    "careful_split",
    "comprehension",
    "density",
    "functional_load",
    "lexicon",
    "measures",
    "predicted",
    "produce",
    "production",
    "read_vectors",
    "simulated_vectors",
    "support",
    "uncertainty",
]

# Pickles, messages and help show the public name, wherever the code lies.
for _name in __all__:
    globals()[_name].__module__ = "rescorla.ldl"
