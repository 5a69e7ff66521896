"""Reference values for StatisticsTests, from numpy and scipy.

python3 -m venv VENV && VENV/bin/pip install numpy scipy
VENV/bin/python statistics_reference.py > statistics_reference.json
"""
import json

import numpy
import scipy
from scipy import special, stats

MASK = (1 << 64) - 1


class SplitMix64:
    """The same random source as SeededGenerator, so that resamples are the same."""

    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        word = self.state
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
        word ^= word >> 31
        return (word * bound) >> 64


def bootstrap(numerator, denominator, resamples, seed):
    source = SplitMix64(seed)
    # The order of the values decides which of them a random number draws.
    numerator, denominator = sorted(numerator), sorted(denominator)
    ratios = []
    for _ in range(resamples):
        upper = [numerator[source.below(len(numerator))] for _ in numerator]
        lower = [denominator[source.below(len(denominator))] for _ in denominator]
        ratios.append(numpy.median(upper) / numpy.median(lower))
    low, high = numpy.percentile(ratios, [2.5, 97.5])
    return {
        "numerator": numerator, "denominator": denominator, "resamples": resamples,
        "seed": seed, "low": low, "high": high,
    }


def bootstrap_of_sums(pairs, resamples, seed):
    source = SplitMix64(seed)
    ratios = []
    for _ in range(resamples):
        above, below = numpy.sum([pairs[source.below(len(pairs))] for _ in pairs], axis=0)
        ratios.append(above / below)
    low, high = numpy.percentile(ratios, [2.5, 97.5])
    return {"pairs": pairs, "resamples": resamples, "seed": seed, "low": low, "high": high}


def holm(p):
    """Holm's adjusted p values; scipy has none, so written from the definition."""
    p = numpy.asarray(p)
    order = numpy.argsort(p, kind="stable")
    stepped = (len(p) - numpy.arange(len(p))) * p[order]
    adjusted = numpy.empty_like(p)
    adjusted[order] = numpy.minimum(1, numpy.maximum.accumulate(stepped))
    return adjusted.tolist()


def mann_whitney(first, second):
    # Exact up to 50 a side unless there are ties; scipy's own choice stops at 8.
    has_ties = len(set(first + second)) < len(first) + len(second)
    method = "asymptotic" if has_ties or max(len(first), len(second)) > 50 else "exact"
    outcome = stats.mannwhitneyu(first, second, alternative="two-sided", method=method)
    return {"first": first, "second": second, "u": outcome.statistic, "p": outcome.pvalue}


def tukey(values):
    first, third = numpy.percentile(values, [25, 75])
    width = third - first
    return {
        "values": values, "low_mild": first - 1.5 * width, "low_severe": first - 3 * width,
        "high_mild": third + 1.5 * width, "high_severe": third + 3 * width,
    }


def binomial(hits, trials):
    interval = stats.binomtest(hits, trials).proportion_ci(0.95, method="exact")
    return {"hits": hits, "trials": trials, "low": interval.low, "high": interval.high}


random = numpy.random.default_rng(20190409)


def sample(count, center=100.0, spread=5.0, digits=3):
    return [round(float(value), digits) for value in random.normal(center, spread, count)]


# From a source of their own, so that they change no other sample.
random, others = numpy.random.default_rng(7), random
exact_rank_tests = [
    mann_whitney(sample(9, 104), sample(9)),
    mann_whitney(sample(12, 103), sample(15)),
    mann_whitney(sample(24, 102, 5, 6), sample(24, 100, 5, 6)),
    mann_whitney(sample(50, 101.5, 5, 6), sample(50, 100, 5, 6)),
    mann_whitney(sample(51, 101, 5, 6), sample(20, 100, 5, 6)),
]
resampled_sums = [
    bootstrap_of_sums(list(map(list, zip(sample(12, 100, 30), sample(12, 10, 2)))), 2000, 7),
    bootstrap_of_sums([[9000.0, 10.0]] + [[100.0, 1.0]] * 9, 500, 2 ** 63 + 11),
]
random = others

order_samples = [sample(1), sample(2), sample(9), sample(30), [3.0, 3.0, 1.0, 3.0]]
print(json.dumps({
    "versions": {"numpy": numpy.__version__, "scipy": scipy.__version__},
    "order": [
        {
            "values": values, "median": float(numpy.median(values)),
            "quantiles": [
                [q, float(numpy.quantile(values, q))] for q in [0, 0.025, 0.1, 0.5, 0.95, 1]
            ],
            "mad": float(stats.median_abs_deviation(values)),
        }
        for values in order_samples
    ],
    "bootstrap": [
        bootstrap(sample(10, 105), sample(10), 2000, 7),
        bootstrap(sample(12, 100, 1), sample(15, 100, 20), 500, 2 ** 63 + 11),
    ],
    "bootstrap_of_sums": resampled_sums,
    "mann_whitney": [
        mann_whitney(sample(5, 108), sample(6)),
        mann_whitney(sample(8), sample(30, 101)),
        mann_whitney([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]),
        mann_whitney([1.0, 2.0, 2.0], [2.0, 5.0, 6.0]),
        mann_whitney(sample(10, 105), sample(10)),
        mann_whitney(sample(20, 101, 5, 0), sample(24, 100, 5, 0)),
        mann_whitney(sample(10, 200), sample(10)),
    ] + exact_rank_tests,
    "holm": [
        {"p": p, "adjusted": holm(p)}
        for p in [[0.01], [0.01, 0.04, 0.03, 0.005], [0.5, 0.9, 0.001, 0.001, 0.02]]
    ],
    "tukey": [tukey(sample(20)), tukey([1.0, 2.0, 3.0, 4.0, 100.0])],
    "binomial": [
        binomial(0, 10), binomial(10, 10), binomial(1, 400), binomial(390, 400),
        binomial(5, 7), binomial(999, 100000),
    ],
    "beta": [
        {"x": x, "a": a, "b": b, "cumulative": float(special.betainc(a, b, x))}
        for x, a, b in [(0.5, 1, 1), (0.1, 2, 30), (0.9, 40, 3), (0.01, 0.5, 0.5), (0.3, 400, 900)]
    ],
}, indent=1))
