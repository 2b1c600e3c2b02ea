"""Mistakes that new users make: each is answered with what is wrong, where, and what to do."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
import rescorla as rw
from rescorla import classify, cli, estimators
from sklearn.datasets import load_wine

# What type checkers refuse, too.
lib: Any = rw
EVENTS = rw.read_events([("god_earth", "god", 2), ("earth_light", "heaven", 3), ("light", "earth")])
WEIGHTS = rw.learn(EVENTS)
TEXT = "In the beginning God created the heaven and the earth.\nAnd the earth was without form\n"
TABLE = "cues\toutcomes\n#h_ha\thand\n#l_la\tland\n"
VERBS = {"Verb": ["give", "send", "give"], "Theme": ["new", "given", "new"], "Length": [2, 7, 3]}


class Mistake(NamedTuple):
    """A call in a folder of files, and parts of the answer."""

    name: str
    call: Callable[[], Any]
    what: str
    where: str
    cure: str


@dataclass
class Command:
    """Arguments of the command line."""

    told: str

    def __call__(self) -> None:
        cli.main(self.told.split(" "))


def diverging() -> None:
    rows = np.ones((200, 20))
    estimators.RescorlaWagnerClassifier(beta=0.3, passes=3).fit(rows, np.arange(200) % 2)


def two_rates() -> None:
    lib.learn(EVENTS, beta=(0.1, 0.2), method="adjoint")


READING = [
    Mistake(
        "a list of the name of a text",
        lambda: lib.corpus_events(["kjv.txt"]),
        "corpus must be the lines of a text",
        "'kjv.txt' is the name of a file",
        "use pathlib.Path",
    ),
    Mistake(
        "text for a table",
        lambda: lib.read_events("kjv.txt"),
        "found running text",
        "kjv.txt",
        "corpus_events",
    ),
    Mistake(
        "a table for text", lambda: lib.corpus_events("events.tab"), "looks like", "events.tab", "read_events"
    ),
    Mistake("weights for events", lambda: lib.read_events("w.npz"), "found weights", "w.npz", "load_weights"),
    Mistake(
        "an empty file", lambda: lib.read_events("empty.tab"), "found an empty file", "empty.tab", "give"
    ),
    Mistake("a picture", lambda: lib.read_events("picture.png"), "found a picture", "picture.png", "give"),
    Mistake("UTF-16", lambda: lib.read_events("utf16.tab"), "UTF-16", "utf16.tab", "UTF-8"),
    Mistake(
        "a table with other headers",
        lambda: lib.read_events("other.tab"),
        "looks like a table",
        "other.tab",
        'columns={"cues"',
    ),
    Mistake(
        "the same on the command line",
        Command("learn other.tab"),
        "looks like a table",
        "other.tab",
        "--columns cues=1,outcomes=2",
    ),
    Mistake(
        "a misspelt column",
        lambda: lib.read_events("events.tab", columns={"cue": 0, "outcomes": 1}),
        "columns tells of cues, outcomes and frequency",
        "'cue'",
        "did you mean 'cues'?",
    ),
    Mistake(
        "a column freq",
        lambda: lib.read_events("freq.tab"),
        "is not read",
        "freq",
        "frequency",
    ),
    Mistake(
        "rows with other keys",
        lambda: lib.read_events([{"cue": "a", "outcome": "x"}]),
        "expected a mapping with the keys cues, outcomes",
        "event 0",
        "rename them",
    ),
    Mistake(
        "blanks between cues",
        lambda: lib.read_events([("light tone", "shock")]),
        "blanks and no _",
        "'light tone'",
        "write 'light_tone'",
    ),
    Mistake(
        "an empty name",
        lambda: lib.read_events([("light__tone", "shock")]),
        "expected a name, found an empty one",
        "event 0",
        "join names by one _ each",
    ),
    Mistake(
        "a design in place of its events",
        lambda: lib.learn("A+ 40 | AB+ 40"),
        "a str is the path of events",
        "no such file: 'A+ 40 | AB+ 40'",
        "rw.learn(rw.design(text))",
    ),
    Mistake(
        "all groups of a design",
        lambda: lib.learn(lib.design({"blocking": "A+ 4 | AB+ 4", "control": "C+ 4 | AB+ 4"})),
        "events must be those of one group at a time",
        "not of 2",
        "rw.learn(groups['blocking'])",
    ),
    Mistake(
        "a file of weights of no format",
        lambda: lib.load_weights("weights.bin"),
        "expected a file name that ends in one of .npz, .npy, .nc, .zarr",
        "weights.bin",
        "give weights the name of their format",
    ),
    Mistake(
        "frequencies that are no whole numbers",
        lambda: lib.read_events([("a", "x", 1.5)]),
        "expected a whole number as frequency",
        "event 0",
        "found 1.5",
    ),
]
CORPORA = [
    Mistake(
        "capitals",
        lambda: lib.corpus_events("kjv.txt", symbols="A-Z"),
        "leaves no word of the text",
        "symbols 'A-Z'",
        "the text is lower-cased first",
    ),
    Mistake(
        "brackets",
        lambda: lib.corpus_events("kjv.txt", symbols="[a-z]"),
        "without the brackets",
        "symbols '[a-z]'",
        "write 'a-z'",
    ),
    Mistake(
        "brackets that exclude",
        lambda: lib.corpus_events("kjv.txt", symbols="[^0-9]"),
        "says which do not",
        "'[^0-9]'",
        "name those that do",
    ),
    Mistake(
        "a vocabulary of capitals",
        lambda: lib.corpus_events("kjv.txt", vocabulary=["God", "Heaven"]),
        "leaves no word of the text",
        "'God', 'Heaven' do not occur",
        "write small letters",
    ),
    Mistake(
        "stop words of capitals",
        lambda: lib.corpus_events("kjv.txt", stop_words=["THE"]),
        "takes no word out of the text",
        "'THE' does not occur",
        "write small letters",
    ),
    Mistake(
        "a number as a str",
        lambda: lib.corpus_events("kjv.txt", window="2"),
        "window must be a whole number",
        "not '2'",
        "write 2",
    ),
    Mistake(
        "words that are unknown",
        lambda: lib.corpus_events(["dog cat"], outcomes_from={"dog": "DOG_SG"}),
        'the word "cat" is not in the table',
        "outcomes",
        'add it, or let unknown words give nothing ("ignore")',
    ),
    Mistake(
        "an empty name in a map",
        lambda: lib.corpus_events(["dog"], outcomes_from={"dog": "DOG__SG"}),
        "a name is empty",
        "maps 'dog' to 'DOG__SG'",
        "join names by one _ each",
    ),
    Mistake(
        "a file of a map as a str",
        lambda: EVENTS.filter(cue_map="map.tab"),  # type: ignore[arg-type]
        "cue_map must be a mapping or a pathlib.Path",
        "not the str 'map.tab'",
        "write pathlib.Path('map.tab')",
    ),
    Mistake(
        "a misspelt choice",
        lambda: lib.corpus_events("kjv.txt", context="sentences"),
        "context must be 'line' or",
        "not 'sentences'",
        "did you mean 'sentence'?",
    ),
]
DERIVING = [
    Mistake(
        "names that no event has",
        lambda: EVENTS.filter(keep_cues=["God", "Light"]),
        "names no cue of the events",
        "keep_cues",
        "did you mean 'god'?",
    ),
    Mistake(
        "names to remove that no event has",
        lambda: EVENTS.filter(remove_outcomes=["hand"]),
        "'hand' is none of the 3 outcomes",
        "remove_outcomes",
        "compare the spelling",
    ),
    Mistake(
        "a map of other names",
        lambda: EVENTS.filter(cue_map={np.str_("GOD"): "g"}),
        "'GOD' is none of the 3 cues",
        "cue_map",
        "compare the spelling",
    ),
    Mistake(
        "a binary file under the name of a table",
        lambda: EVENTS.save("events.csv"),
        "binary",
        "events.csv",
        "to_table",
    ),
    Mistake(
        "a folder that is not there",
        lambda: EVENTS.save("nowhere/events.rw"),
        "no folder nowhere",
        "nowhere/events.rw",
        "make it first",
    ),
    Mistake(
        "a misspelt column of factors",
        lambda: lib.factor_events(VERBS, "Verb", ["theme"]),
        "factors names the column 'theme'",
        "none of ['Verb', 'Theme', 'Length']",
        "did you mean 'Theme'?",
    ),
    Mistake(
        "levels that pandas takes for missing",
        lambda: lib.factor_events(pd.DataFrame(VERBS | {"Theme": ["a", None, "a"]}), "Verb"),
        "entries are missing and give no cue",
        "1 of 'Theme'",
        "keep_default_na=False",
    ),
    Mistake(
        "levels to ignore that are not there",
        lambda: lib.factor_events(VERBS, "Verb", ignore=["New"]),
        "ignore names no level of the factors",
        "'New'",
        "did you mean 'new'?",
    ),
]
LEARNING = [
    Mistake(
        "weights for events in learn",
        lambda: lib.learn(WEIGHTS),
        "events must be Events",
        "found weights",
        "learn(events, initial=weights)",
    ),
    Mistake(
        "a file of weights in learn", lambda: lib.learn("w.npz"), "found weights", "w.npz", "load_weights"
    ),
    Mistake(
        "threads as a str",
        lambda: lib.learn(EVENTS, threads="2"),
        "threads must be a whole number",
        "not '2'",
        "of 1 or more",
    ),
    Mistake(
        "a rate that overshoots",
        lambda: lib.learn(EVENTS, alpha=1.0, beta=1.5),
        "may overshoot",
        "beta = 1.5",
        "lower beta or alpha",
    ),
    Mistake(
        "two rates",
        two_rates,
        "changes the weights to all outcomes at one rate",
        "beta must be one learning rate for the adjoint method, not 0.1 and 0.2",
        "use the forward method",
    ),
    Mistake(
        "outcomes that are unknown",
        lambda: lib.learn(EVENTS, outcomes=["God"]),
        "outcomes names 'God'",
        "none of the 3 outcomes",
        "did you mean 'god'?",
    ),
    Mistake(
        "saliences of names that are no cues",
        lambda: lib.learn(EVENTS, alpha={"god": 0.1, "earth": 0.1, "light": 0.1, "hand": 0.2}),
        "alpha has entries",
        "'hand'",
        "correct the names",
    ),
    Mistake(
        "pairs of names that are unknown",
        lambda: lib.trajectories(EVENTS, pairs=[("God", "god")]),
        "pairs names 'God'",
        "none of the 3 cues",
        "did you mean 'god'?",
    ),
    Mistake(
        "vectors of the word nan",
        lambda: lib.widrow_hoff(EVENTS, eta=0.1, outcome_vectors=pd.DataFrame([[1.0]], index=[np.nan])),
        "outcome_vectors must have a name for each row",
        "nan is no name",
        "keep_default_na=False",
    ),
    Mistake(
        "vectors whose names are numbers",
        lambda: lib.widrow_hoff(EVENTS, eta=0.1, cue_vectors={1: [1.0]}),
        "cue_vectors must have a name for each row",
        "1 is no name",
        "write '1'",
    ),
    Mistake(
        "a file of vectors",
        lambda: lib.widrow_hoff(EVENTS, eta=0.1, outcome_vectors="vectors.txt"),
        "outcome_vectors must be an array or a data frame",
        "not the file 'vectors.txt'",
        "read it first, as by pandas.read_csv(",
    ),
    Mistake(
        "a rate of numpy's that is negative",
        lambda: lib.learn(EVENTS, beta=np.float64(-0.5)),
        "beta must be 0 or more",
        "not -0.5",
        "0 or more",
    ),
    Mistake(
        "initial weights of other names",
        lambda: lib.learn(EVENTS, initial=lib.Weights([[0.5]], ["hand"], ["foot"])),
        "initial shares no name with the events",
        "'hand'",
        "give weights that were learned from such events",
    ),
    Mistake(
        "tokens that are no numbers",
        lambda: lib.trajectories(EVENTS, at=[0.5]),
        "at must be whole numbers of tokens from 0 to 6",
        "not 0.5",
        "write [6] for the last",
    ),
    Mistake(
        "steps that are too long",
        lambda: lib.trajectories(EVENTS, every=1000),
        "is more than the number of tokens, 6",
        "every = 1000",
        "give a smaller number, or tokens as at",
    ),
    Mistake(
        "an outcome for a cue",
        lambda: lib.trajectories(EVENTS)["heaven", "light"],
        "'heaven' is none of the 3",
        "the cue",
        "write [cue, outcome]",
    ),
    Mistake(
        "activations of a cue that was not recorded",
        lambda: lib.trajectories(EVENTS, cues=["light"]).activations("heaven"),
        "'heaven', which is none of the 1 that were recorded",
        "cues",
        "record it, trajectories(..., cues=[..., 'heaven'])",
    ),
]
WEIGHING = [
    Mistake(
        "weights[outcome, cue]",
        lambda: WEIGHTS["heaven", "light"],
        "'heaven' is an outcome",
        "weights",
        "weights[cue, outcome]",
    ),
    Mistake("a misspelt cue", lambda: WEIGHTS["God", "god"], "'God'", "cue", "did you mean 'god'?"),
    Mistake(
        "an outcome with a blank",
        lambda: WEIGHTS.top(outcome="heaven "),
        "'heaven ' is none of the 3",
        "outcome",
        "did you mean 'heaven'?",
    ),
    Mistake(
        "a long table for a wide one",
        lambda: lib.Weights.from_pandas(pd.DataFrame({"cue": ["a"], "outcome": ["x"], "weight": [0.5]})),
        "frame must have numbers in all columns",
        "'cue'",
        'pivot(index="cue", columns="outcome", values="weight")',
    ),
    Mistake(
        "levels that are missing from a classifier's table",
        lambda: classify.NDLClassifier().fit(pd.DataFrame({"a": ["x", None, "y"]}), [0, 1, 0]),
        "entries are missing and give no cue",
        "1 of 'a'",
        "keep_default_na=False",
    ),
    Mistake(
        "classes that are missing",
        lambda: classify.NDLClassifier().fit(
            pd.DataFrame(VERBS), np.array(["give", None, "send"], dtype=object)
        ),
        "y must have a class for each row",
        "row 1 has None or NaN",
        "leave such rows out",
    ),
    Mistake(
        "features of different scales",
        lambda: estimators.RescorlaWagnerClassifier().fit(*load_wine(return_X_y=True)),
        "stopped at its limit of 20 passes",
        "differ in scale by a factor of",
        "StandardScaler() before it",
    ),
    Mistake(
        "weights of an event file", lambda: lib.load_weights("events.rw"), "found", "events.rw", "open_events"
    ),
    Mistake(
        "weights before events",
        lambda: lib.activations(WEIGHTS, EVENTS),
        "events must be Events",
        "found weights",
        "activations(events, weights)",
    ),
    Mistake(
        "a str of cues",
        lambda: lib.activations("god_earth", WEIGHTS),
        "a str is",
        "'god_earth'",
        "write ['god_earth']",
    ),
    Mistake(
        "events for sets of cues",
        lambda: lib.activations([("god_earth", "god")], WEIGHTS, unknown="ignore"),
        "cues",
        "'god_earth'",
        "read_events",
    ),
    Mistake(
        "a cue without weights",
        lambda: lib.activations([["moon"]], WEIGHTS),
        "do not have the cue 'moon'",
        "leave such cues out",
        "let unknown be 'ignore'",
    ),
    Mistake("a picture of events", lambda: lib.plot.weights(EVENTS), "weights", "Events", "learn"),
    Mistake(
        "a picture of trajectories of weights",
        lambda: lib.plot.trajectories(WEIGHTS),
        "rajectories",
        "Weights",
        "plot.weights",
    ),
    Mistake(
        "weights in a folder that is not there",
        lambda: WEIGHTS.save("nowhere/w.npz"),
        "no folder",
        "nowhere",
        "make it first",
    ),
    Mistake(
        "a factor that is the class",
        lambda: classify.NDLClassifier().fit(pd.DataFrame(VERBS), pd.Series(VERBS["Verb"], name="Verb")),
        "is y itself",
        "the column 'Verb'",
        "leave it out",
    ),
    Mistake(
        "the name of a column for classes",
        lambda: classify.NDLClassifier().fit(pd.DataFrame(VERBS), "Verb"),
        "y must be one class for each row",
        "not the str 'Verb'",
        "write fit(table, table['Verb'])",
    ),
    Mistake(
        "an estimator that diverges",
        diverging,
        "diverges",
        "the weight of cue",
        "lower beta, which is safe below",
    ),
]
COMMANDS = [
    Mistake(
        "a misspelt command", Command("lern events.tab"), "invalid choice", "'lern'", "did you mean 'learn'?"
    ),
    Mistake(
        "a misspelt option",
        Command("learn events.tab --aplha 0.1"),
        "unrecognized arguments",
        "--aplha",
        "did you mean '--alpha'?",
    ),
    Mistake(
        "a value for an option",
        Command("learn kjv.txt --trigrams"),
        "unrecognized arguments",
        "--trigrams",
        "did you mean '--cues-from trigrams'?",
    ),
    Mistake(
        "an output folder that is not there",
        Command("learn events.tab -o nowhere/w.npz"),
        "no folder",
        "nowhere",
        "make it first",
    ),
    Mistake(
        "cues without weights",
        Command("activations moon.tab w.npz --top 1"),
        "do not have the cue 'moon'",
        "leave such cues out",
        "let unknown be 'ignore'",
    ),
    Mistake(
        "blanks between what commas separate",
        Command("learn kjv.txt --cues-from trigrams words"),
        "separate its values by commas",
        "--cues-from",
        "write --cues-from trigrams,words",
    ),
    Mistake(
        "commas between what blanks separate",
        Command("learn events.tab --outcomes hand,land"),
        "none of the 2 outcomes",
        "--outcomes names 'hand,land'",
        "write --outcomes hand land",
    ),
    Mistake(
        "two rates with a comma",
        Command("learn events.tab --beta 0.1,0.2"),
        "separate its values by blanks",
        "--beta",
        "write --beta 0.1 0.2",
    ),
    Mistake(
        "a name that begins with a hyphen",
        Command("top w.npz --cue -ed"),
        "expected one argument",
        "--cue",
        "follows an equals sign, as in --cue=",
    ),
    Mistake(
        "weights of a treebank for text",
        Command("activations kjv.txt treebank.npz --top 1"),
        "the cues of its events are lemmas, and running text has none",
        "treebank.npz",
        "give it as CoNLL-U",
    ),
    Mistake(
        "capitals on the command line",
        Command("events kjv.txt --symbols A-Z -o e.rw"),
        "leaves no word of the text",
        "--symbols 'A-Z'",
        "keep upper case",
    ),
    Mistake(
        "a binary file under the name of a table",
        Command("events kjv.txt -o events.csv"),
        "binary",
        "events.csv",
        "--table",
    ),
]
# What is read, and probably not as it was meant.
MEANT = [
    Mistake(
        "letters that symbols lack",
        lambda: lib.corpus_events(["hän näki yön"], symbols="a-z"),
        "symbols 'a-z' cuts 3 words at letters",
        "'hän', 'näki', 'yön'",
        r"\p{L}",
    ),
    Mistake(
        "letters that symbols lack, on the command line",
        Command("events finnish.txt --symbols a-z -o e.rw"),
        "--symbols 'a-z' cuts 1 word at letters",
        "'hän'",
        r"\p{L}",
    ),
    Mistake(
        "words of a treebank that symbols leave out",
        lambda: lib.corpus_events("we.conllu", symbols="a-z"),
        "symbols 'a-z' leaves out 1 word with letters",
        "'wé'",
        r"\w",
    ),
    Mistake(
        "words and trigrams as one cue",
        lambda: lib.corpus_events(["the other"], cues_from=["trigrams", "words"]),
        "in two ways",
        "the cue 'the'",
        "mark one kind",
    ),
    Mistake(
        "text without blanks",
        lambda: lib.corpus_events(["我喜欢猫。", "他也喜欢。"]),
        "most words are long",
        "'我喜欢猫。'",
        "cut into words first",
    ),
    Mistake(
        "speakers who do not speak",
        lambda: lib.corpus_events("x.cha", speakers=["MUM"]),
        "'MUM' do not occur",
        "speakers",
        "'CHI'",
    ),
    Mistake(
        "speakers of a text",
        lambda: lib.corpus_events(["a"], speakers=["CHI"]),
        "speakers are those of the format 'chat'",
        "'text'",
        "leave them out",
    ),
    Mistake(
        "a mask without a window",
        lambda: lib.corpus_events(["a b"], cues_from="words", mask=True),
        "mask is for windows",
        "each word is an event of its own",
        "such as 'context'",
    ),
    Mistake(
        "counts in a column of another name",
        lambda: lib.read_events("counts.tab"),
        "each row counts as one token",
        "the column 'N'",
        "columns={\"frequency\": 'N'}",
    ),
    Mistake(
        "counts in a column of another name, in a data frame",
        lambda: lib.read_events(
            pd.DataFrame({"cues": ["a", "b"], "outcomes": ["x", "y"], "weight": [3.0, 5.0]})
        ),
        "each row counts as one token",
        "the column 'weight'",
        "columns={\"frequency\": 'weight'}",
    ),
    Mistake(
        "counts in a column of another name, on the command line",
        Command("learn counts.tab"),
        "each row counts as one token",
        "the column 'N'",
        "--columns frequency=N",
    ),
    Mistake(
        "cues with commas between",
        lambda: lib.read_events([("a,b", "x"), ("b,c", "y")]),
        "a str of cues has _ between them",
        "'a,b', 'b,c' have ','",
        "write 'a_b'",
    ),
    Mistake(
        "cues with bars between, in a table",
        lambda: lib.read_events("bars.tab"),
        "a str of cues has _ between them",
        "'a|b' has '|'",
        "write 'a_b' for several, and nothing for one name",
    ),
    Mistake(
        "outcomes with blanks between",
        lambda: lib.read_events([("mo_od", "modern make")]),
        "a str of outcomes has _ between them",
        "'modern make' has blanks",
        "write 'modern_make'",
    ),
    Mistake(
        "a name with a blank in a table",
        lambda: lib.read_events("york.tab"),
        "a str of cues has _ between them",
        "'New York' has blanks",
        "nothing for one name",
    ),
    Mistake(
        "names that differ by a blank",
        lambda: lib.read_events("padded.tab"),
        "cues 'b ' differ from 'b'",
        "at their ends alone",
        "remove the blanks",
    ),
    Mistake(
        "a phase without trials",
        lambda: lib.design("8A+ || 8A+"),
        "expected a trial, found '|'",
        "column 6",
        "write A+, A-, A>food, A+- or A?",
    ),
    Mistake(
        "random order in a design",
        lambda: lib.design("rand/20X+/20X-"),
        "found 'rand'",
        "column 1",
        "seed=",
    ),
]
ALL = [*MEANT, *READING, *CORPORA, *DERIVING, *LEARNING, *WEIGHING, *COMMANDS]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of files, where the calls are made."""
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "kjv.txt": TEXT,
        "events.tab": TABLE,
        "other.tab": "cue\toutcome\n" + "moon\tnight\n" * 5,
        "moon.tab": "cues\toutcomes\nmoon\tnight\n",
        "freq.tab": "cues\toutcomes\tfreq\n#h_ha\thand\t3\n",
        "empty.tab": "",
        "finnish.txt": "hän on\n",
        "we.conllu": "1\twe\twe\tP\t_\t_\t0\troot\t_\t_\n2\twé\twe\tP\t_\t_\t0\troot\t_\t_\n",
        "x.cha": "@UTF8\n@Begin\n*CHI:\tno .\n@End\n",
        "counts.tab": "cues\toutcomes\tN\n#h_ha\thand\t3\n#l_la\tland\t5\n",
        "bars.tab": "cues\toutcomes\na|b\tx\n",
        "york.tab": "cues\toutcomes\nNew York\tx\n",
        "padded.tab": "cues\toutcomes\na_b \tx\na_b\tx\n",
    }.items():
        Path(name).write_text(text)
    Path("utf16.tab").write_text(TABLE, encoding="utf-16")
    Path("picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    WEIGHTS.save("w.npz")
    EVENTS.save("events.rw")
    Path("god.conllu").write_text("1\tGods\tgod\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    treebank = rw.corpus_events(Path("god.conllu"), format="conllu", cues_from="lemmas")
    rw.learn(treebank).save("treebank.npz")
    return tmp_path


def answer(call: Callable[[], Any], capsys: pytest.CaptureFixture[str]) -> str:
    """What a call is answered with: an error, a warning, or a line on the command line."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            call()
        except SystemExit:
            pass
        except Exception as error:
            # Shown alone, a KeyError would be quoted.
            return str(error.args[0] if type(error) is KeyError else error)
    printed = capsys.readouterr().err
    if isinstance(call, Command):
        # The last such line: usage stands before it, and the report behind it.
        said = [line for line in printed.splitlines() if line.startswith("rescorla")]
        return said[-1] if said else ""
    told = [each for each in seen if issubclass(each.category, rw.RescorlaWarning)]
    assert all(each.filename == __file__ for each in told)
    return "\n".join(str(each.message) for each in told)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("mistake", ALL, ids=[mistake.name.replace(" ", "-") for mistake in ALL])
def test_a_mistake_is_answered(mistake: Mistake, capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(mistake.call, capsys)
    assert found, "nothing was said"
    for part in (mistake.what, mistake.where, mistake.cure):
        assert part in found, f"{part!r} is missing in: {found}"


def test_there_are_sixty_and_each_is_one_of_its_own() -> None:
    assert len(ALL) >= 60
    assert len({mistake.name for mistake in ALL}) == len(ALL) - 1  # One in Python and on the command line.
    assert all(mistake.what and mistake.where and mistake.cure for mistake in ALL)
