"""The common style of all plots: colours, fonts, units, legends."""

import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

# The colours are those of Okabe and Ito (2008), which people with any kind of colour vision can
# distinguish, except yellow, which is too pale for lines.
PALETTE = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5b5b5b", "#8f8500"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
PEERS = Path(__file__).resolve().parents[2] / "Benchmarks" / "Peers" / "Sources" / "PeerEngines"


def peers():
    """Returns the descriptions of the peers in their order, each before its variants."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in PEERS.glob("*/engine.json")]
    found.sort(key=lambda peer: peer["order"])
    return [one for peer in found for one in [peer, *peer.get("variants", [])]]


COLORS = {"realm api": PALETTE[0], "realm engine": PALETTE[1],
          **{peer["name"]: peer["color"] for peer in peers()}}
COLUMNS = list(COLORS)
INDIRECT = "realm-core (indirect)"
CONTROL = "#9aa4ae"
WIDTH = 11

plt.rcParams.update({
    "font.size": 13, "axes.titlesize": 14, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "axes.axisbelow": True, "grid.color": "#d8dee4", "grid.linewidth": 0.9,
    "lines.linewidth": 2.4, "legend.frameon": False, "legend.fontsize": 12,
    "figure.constrained_layout.use": True, "savefig.dpi": 130, "svg.fonttype": "none",
})


def color(name, names):
    """Returns the colour of an engine, the same in every plot; other names follow in order."""
    if name in COLORS:
        return COLORS[name]
    return PALETTE[names.index(name) % len(PALETTE)]


def marker(name, names):
    if name in COLUMNS:
        return MARKERS[COLUMNS.index(name) % len(MARKERS)]
    return MARKERS[names.index(name) % len(MARKERS)]


def line_style(position):
    """Returns a style: eight solid colours, then the same with dashes."""
    return {"color": PALETTE[position % 8], "linestyle": "-" if position < 8 else "--"}


def trimmed(value, digits):
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def significant(value):
    """Returns the digits after the point that make three significant digits."""
    return 0 if value >= 100 else 1 if value >= 10 else 2


def short(value, _=None):
    """Formats a number briefly, as in 1.5 M, 20 k or 0.25."""
    for factor, suffix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= factor:
            return trimmed(value / factor, significant(value / factor)) + suffix
    return trimmed(value, 2 if abs(value) >= 1 else 3)


def duration(microseconds, _=None):
    for factor, unit in ((1e6, "s"), (1e3, "ms"), (1, "µs")):
        if microseconds >= factor:
            return f"{trimmed(microseconds / factor, 2)} {unit}"
    return f"{trimmed(microseconds * 1000, 2)} ns"


def size(value, _=None):
    """Formats bytes with powers of a thousand."""
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if value >= factor:
            return f"{trimmed(value / factor, 1)} {unit}"
    return f"{value:.0f} B"


def times(value, _=None):
    return trimmed(value, 3) + "×"


def logarithmic(axis, formatter):
    """Sets labels at powers of ten, and at 1, 2 and 5 if the range is small."""
    low, high = axis.get_view_interval()
    subs = (1, 2, 5) if high / low < 500 else (1,)
    axis.set_major_locator(LogLocator(subs=subs, numticks=20))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(formatter))


def panels(heights, width=WIDTH):
    """Returns a figure of stacked panels with these heights in inches."""
    figure, axes = plt.subplots(
        len(heights), 1, figsize=(width, sum(heights)), squeeze=False,
        gridspec_kw={"height_ratios": heights})
    return figure, list(axes[:, 0])


def legend_right(axes, **options):
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.02), borderaxespad=0, **options)


def legend_above(axes, handles=None, columns=4):
    # The distance is in units of the font; a fraction of the height would be large in tall axes.
    options = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": columns,
               "borderaxespad": 0.4, "columnspacing": 1.4, "handletextpad": 0.5}
    if handles is None:
        axes.legend(**options)
    else:
        axes.legend(handles=handles, **options)


def legend_below(figure, handles, columns=4):
    """Places the legend outside the axes, which keep their width with long names."""
    figure.legend(handles=handles, loc="outside lower center", ncols=columns,
                  columnspacing=1.4, handletextpad=0.5)


def save(figure, path):
    figure.savefig(path)
    plt.close(figure)
    return path
