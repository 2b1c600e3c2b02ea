"""The tables of the page, as Markdown."""

from collections.abc import Iterable

from canvas import Numbers

CUES = (
    "PatientIndirectQuestion",
    "PatientActivity",
    "ClauseEquivalentClauseEquivalent",
    "MoodIndicative",
    "PatientDirectQuote",
    "PatientEvent",
    "PersonFirst",
    "AgentIndividual",
    "PersonThird",
)
LETTERS = "hadnls"


def all_of(numbers: Numbers) -> dict[str, str]:
    """Every table by its name."""
    return {
        "answers": answers(numbers["speed"]),
        "repeated": repeated(numbers["orders"]),
        "pairs": pairs(numbers["orders"]),
        "alternatives": alternatives(numbers["alternatives"]),
        "orders": orders(numbers["curves"]),
        "fixed_points": fixed_points(numbers["plurals"]),
        "comparisons": comparisons(numbers["logistic"]),
        "penalties": penalties(numbers["penalties"]),
        "spectra": spectra(numbers["speed"]),
        "cues": cues(numbers["speed"]),
        "rates": rates(numbers["speed"]),
        "schedules": schedules(numbers["speed"]),
        "pairs_of_rates": pairs_of_rates(numbers),
    }


def markdown(titles: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table; all columns but the first to the right."""
    head = list(titles)
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def orders(curves: Numbers) -> str:
    """Where learning ends after each order."""
    return markdown(
        ["", "distance", "correlation", "same choice", "accuracy"],
        [
            [
                name,
                f"{end['distance']:.3f}",
                f"{end['correlation']:.3f}",
                f"{end['same_choice']:.1%}",
                f"{end['accuracy']:.1%}",
            ]
            for name, end in curves["orders"].items()
        ],
    )


def answers(speed: Numbers) -> str:
    """When, and how nearly, each data set is learned."""
    return _described(
        speed,
        {
            "half-life of the median weight, passes": "{median_pair:.2f}",
            "half-life of the slowest weight, passes": "{slowest_pair_passes:.1f}",
            "half-life of the slowest direction, passes": "{slowest_direction_passes:.1f}",
            "passes until the mean is within 10%": "{passes[0.1]:.1f}",
            "passes until the mean is within 1%": "{passes[0.01]:.1f}",
            "oscillation, predicted": "{oscillation:.3f}",
            "oscillation, measured": "{oscillation_measured:.3f}",
        },
    )


def repeated(orders: Numbers) -> str:
    """The same tokens, shuffled as a whole or pass by pass."""
    rows = []
    for name, found in orders["repeated"].items():
        for order, key in (("all shuffled together", "shuffled"), ("each pass shuffled", "permutations")):
            each = found[key]
            cells = [f"{each[which]:.3f}" for which in ("mean", "least", "largest")]
            rows.append([f"{name}, {found['passes']} passes, {order}", *cells])
    return markdown(["", "mean distance", "least", "largest"], rows)


def pairs(orders: Numbers) -> str:
    """The pairs that the paper names."""
    return markdown(
        ["pair", "half-life, passes", "expected after a pass", "equilibrium", "oscillation"],
        [
            [
                f"{found['cue']} to {found['outcome']}",
                f"{found['half_life']:.2f}",
                *(f"{found[key]:.3f}" for key in ("expected", "equilibrium", "oscillation")),
            ]
            for found in orders["pairs"]
        ],
    )


def alternatives(found: Numbers) -> str:
    """The accuracy of each on unseen sentences."""
    return markdown(
        ["", "accuracy"],
        [[name, f"{each['accuracy']:.1%} ± {each['error']:.1%}"] for name, each in found.items()],
    )


def fixed_points(plurals: Numbers) -> str:
    """Each letter's weight to PLURAL, where it should arrive and where it does."""
    rows = []
    for name, weights in plurals["fixed_points"].items():
        rows.append([f"{name}: fixed point", *(f"{weights[cue]:.3f}" for cue in LETTERS)])
        if name in plurals["late_means"]:
            means = plurals["late_means"][name]
            rows.append([f"{name}: learned", *(f"{means[cue]:.3f}" for cue in LETTERS)])
    return markdown(["weight to PLURAL", *LETTERS], rows)


def comparisons(logistic: Numbers) -> str:
    """The three figures of Section V for every coding."""
    rows: list[list[object]] = [["the paper", "", "94.8%", ".950", ".897"]]
    for found in logistic["comparisons"]:
        rows.append(
            [
                found["coding"],
                "with" if found["intercept"] else "without",
                f"{found['agreement']:.2%} ({found['same_choice']})",
                f"{found['maxima']:.3f}"[1:],
                f"{found['weights']:.3f}"[1:],
            ]
        )
    return markdown(["NDL learns from", "GLM's intercept", "same choice", "maxima", "weights"], rows)


def penalties(found: Numbers) -> str:
    """The best and the simplest of each method."""
    rows: list[list[object]] = [
        ["least squares", "", f"{found['least_squares']:.1%}", f"{found['n_weights']}", "", "", ""]
    ]
    for name, method in found["methods"].items():
        cells: list[object] = [name]
        for which in ("best", "simplest"):
            fitted = method[which]
            accuracy = f"{fitted['accuracy']:.1%} ± {fitted['error']:.1%}"
            cells += [plain(fitted["strength"]), accuracy, fitted["left"]]
        rows.append(cells)
    titles = ["", "best penalty", "accuracy", "weights left", "simplest", "accuracy", "weights left"]
    return markdown(titles, rows)


def plain(value: float) -> str:
    """Two digits, and no power of ten."""
    return f"{float(f'{value:.2g}'):g}"


def spectra(speed: Numbers) -> str:
    """The bounds on beta and the directions of both data sets."""
    return _described(
        speed,
        {
            "safe in any order, beta below": "{safe_rate:.2f}",
            "stable in mean square, beta below": "{mean_square_rate:.2f}",
            "stable in the mean, beta below": "{mean_rate:.2f}",
            "half-life of the fastest direction, tokens": "{fastest_direction:,.0f}",
            "half-life of the slowest direction, tokens": "{slowest_direction:,.0f}",
        },
    )


def _described(speed: Numbers, lines: dict[str, str]) -> str:
    """A column for each data set."""
    data = speed["data"]
    rows = [
        [name, *(line.format(**described) for described in data.values())] for name, line in lines.items()
    ]
    return markdown(["", *data], rows)


def cues(speed: Numbers) -> str:
    """Some cues, the first that arrive first."""
    known = speed["cues"]["cues"]
    return markdown(
        ["cue", "sentences", "of its own", "still to go after a pass", "weight", "oscillation"],
        [
            [
                cue,
                f"{known[cue]['count']:,}",
                f"{known[cue]['own']:.0f}",
                f"{known[cue]['to_go']:.0%}",
                f"{known[cue]['weight']:.3f}",
                f"{known[cue]['oscillation']:.3f}",
            ]
            for cue in sorted(CUES, key=lambda cue: float(known[cue]["to_go"]))
        ],
    )


def rates(speed: Numbers) -> str:
    """Speed against rest."""
    lengths = list(speed["lengths"])
    picked = [lengths.index(n) for n in (1, 10, 100)]
    return markdown(
        [
            "beta",
            "passes to 10% in the mean",
            "oscillation",
            *(f"after {lengths[place]}" for place in picked),
        ],
        [
            [
                f"{found['beta']:g}",
                f"{found['passes']:.1f}",
                f"{found['oscillation']:.3f}",
                *(f"{found['measured'][place]:.3f}" for place in picked),
            ]
            for found in speed["rates"]
        ],
    )


def schedules(speed: Numbers) -> str:
    """The distance from the equilibrium after some passes."""
    lengths = list(speed["lengths"])
    picked = [lengths.index(n) for n in (1, 10, 50, 200)]
    return markdown(
        ["", *(f"{lengths[place]} {'pass' if lengths[place] == 1 else 'passes'}" for place in picked)],
        [
            [name, *(f"{distances[place]:.3f}" for place in picked)]
            for name, distances in speed["schedules"].items()
        ],
    )


def pairs_of_rates(numbers: Numbers) -> str:
    """How far two rates move the equilibrium."""
    return markdown(
        ["beta2", "distance from least squares", "same choice", "accuracy"],
        [
            [
                f"{found['beta2']:g}",
                f"{found['distance']:.3f}",
                f"{found['same_choice']:.1%}",
                f"{found['accuracy']:.1%}",
            ]
            for found in numbers["speed"]["pairs_of_rates"]
        ],
    )
