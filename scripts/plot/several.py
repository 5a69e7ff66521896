"""Plots that compare engines of one run, a run with a baseline, or runs over time."""

import csv

from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from . import style
from .runs import Run, RunError, by_workload, labels, number, ratio, titles
from .single import line_title


# The largest ratio of two rates that one linear axis shows; beyond it the small one is a flat line.
MOST_ON_LINEAR_AXIS = 20


class IndirectRatios:
    """Ratios of realm-core to SQLite, measured elsewhere: plain files at full durability."""

    def __init__(self, package):
        data = package / "Benchmarks" / "Data"
        self.workloads = {
            (row["workload"], row["strategy"], row["size_objects"]): row["measurement"]
            for row in read(data / "realm-core-workloads.csv")}
        self.speeds = {row["workload"]: number(row["speed_ratio_to_sqlite_wal_full"])
                       for row in read(data / "realm-core.csv") if row["durability"] == "full"}

    def ratio(self, line):
        workload, strategy, durability, encrypted, size, *_ = line
        if durability != "full" or encrypted:
            return None
        name = (self.workloads.get((workload, strategy, str(size)))
                or self.workloads.get((workload, strategy, "")))
        return self.speeds.get(name)


def read(path):
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise RunError(f"'{path}' cannot be read: {error.strerror}.", code=1) from error


def peers(run, package):
    lines = {}
    for row in run.rows:
        if not row.is_control:
            lines.setdefault(row.line, {})[row.column] = row
    lines = {line: rows for line, rows in lines.items() if "sqlite" in rows and len(rows) > 1}
    if not lines:
        return None
    rounds, known = run.rounds(), IndirectRatios(package)
    found = {column for rows in lines.values() for column in rows}
    names = [name for name in style.COLUMNS if name in found and name != "sqlite"]
    names += sorted(found - set(style.COLUMNS))
    figure, (axis,) = style.panels([2.2 + 0.5 * len(lines)])
    middle = (len(names) - 1) / 2
    offsets = {name: (number - middle) * 0.13 for number, name in enumerate(names)}
    values = []
    for position, (line, rows) in enumerate(lines.items()):
        for name in names:
            if name in rows:
                value = ratio(rows[name], rows["sqlite"], rounds)
                values.append(value)
                axis.scatter(value, position + offsets[name], s=85, zorder=3,
                             color=style.color(name, names), marker=style.marker(name, names))
        core = known.ratio(line)
        if core:
            values.append(core)
            axis.scatter(core, position, s=85, zorder=2, facecolors="none", edgecolors="#5b5b5b",
                         linewidths=1.8)
        if position % 2:
            axis.axhspan(position - 0.5, position + 0.5, color="#f3f5f7", zorder=0)
    axis.axvline(1, color="#1b1f24", linewidth=1.6)
    axis.set_xscale("log")
    axis.set_xlim(min(values) / 1.5, max(values) * 1.5)
    axis.set_ylim(len(lines) - 0.4, -0.6)
    axis.set_yticks(range(len(lines)), [line_title(line) for line in lines])
    axis.grid(axis="y", visible=False)
    style.logarithmic(axis.xaxis, style.times)
    axis.set_xlabel("rate relative to SQLite in the same run (logarithmic): right of 1× is faster")
    axis.set_title("Engines side by side")
    handles = [Line2D([], [], linestyle="", marker=style.marker(name, names), markersize=9,
                      color=style.color(name, names), label=name) for name in names]
    handles.append(Line2D([], [], color="#1b1f24", label="sqlite"))
    if any(known.ratio(line) for line in lines):
        handles.append(Line2D([], [], linestyle="", marker="o", markersize=9, fillstyle="none",
                              color="#5b5b5b", label=style.INDIRECT))
    style.legend_below(figure, handles)
    return figure


def comparison(run, baseline_path):
    baseline = Run(baseline_path)
    old = {row.name: row for row in baseline.rows}
    pairs = [(row, old[row.name]) for row in run.rows
             if row.name in old and not row.is_control]
    if not pairs:
        raise RunError(f"The run '{run.path}' and the baseline '{baseline.path}' have no case in "
                       "common, so there is nothing to compare.")
    figure, (axis,) = style.panels([2.0 + 0.4 * len(pairs)])
    for position, (row, base) in enumerate(pairs):
        value = row.rate / base.rate
        band = ratio_band(row, base)
        # Without intervals nobody knows whether the difference is one.
        isClear = band and not band[0] <= 1 <= band[1]
        color = style.PALETTE[(2 if value >= 1 else 1) if isClear else 6]
        if band:
            axis.plot(band, [position] * 2, color=color, alpha=0.45, linewidth=6,
                      solid_capstyle="butt")
        axis.scatter(value, position, s=70, edgecolors=color, linewidths=1.8, zorder=3,
                     facecolors=color if band else "white")
        axis.text(1.01, position, times_text(value), va="center", color=color,
                  transform=axis.get_yaxis_transform())
    axis.axvline(1, color="#1b1f24", linewidth=1.4)
    axis.set_yticks(range(len(pairs)), titles([row for row, _ in pairs], style.short))
    axis.set_ylim(len(pairs) - 0.4, -0.6)
    axis.set_xscale("log")
    style.logarithmic(axis.xaxis, style.times)
    axis.set_xlabel("rate relative to the baseline (logarithmic): right of 1× is faster")
    axis.set_title(f"{run.identifier} compared with {baseline.identifier}")
    style.legend_below(figure, [
        Line2D([], [], linestyle="", marker="o", color=style.PALETTE[2], label="faster"),
        Line2D([], [], linestyle="", marker="o", color=style.PALETTE[1], label="slower"),
        Line2D([], [], linestyle="", marker="o", color=style.PALETTE[6],
               label="no clear difference"),
        Line2D([], [], linestyle="", marker="o", color=style.PALETTE[6], markerfacecolor="white",
               markeredgewidth=1.8, label="one run, so no interval"),
        Line2D([], [], linewidth=6, alpha=0.45, color=style.PALETTE[6],
               label="what the 95 % intervals of both allow")])
    return figure


def ratio_band(row, base):
    """Returns the lowest and highest ratio within both intervals; None without intervals."""
    low, high = row.interval
    base_low, base_high = base.interval
    if None in (low, high, base_low, base_high) or base_low <= 0:
        return None
    return low / base_high, high / base_low


def times_text(value):
    return f"{value:.2f}×"


def history(runs):
    if len(runs) < 2:
        return None
    runs = sorted(runs, key=lambda run: run.identifier)
    cases = {}
    for position, run in enumerate(runs):
        for row in run.rows:
            if not row.is_control:
                cases.setdefault(row.name, (row, []))[1].append((position, row.rate))
    rows = [row for row, points in cases.values() if len(points) > 1]
    groups = by_workload(rows)
    if not groups:
        return None
    figure, axes = style.panels([2.6 + 0.12 * len(rows) for _, rows in groups])
    for axis, (workload, rows) in zip(axes, groups):
        for position, (row, label) in enumerate(zip(rows, labels(rows))):
            points = cases[row.name][1]
            axis.plot(*zip(*points), marker="o", label=label, clip_on=False, zorder=3,
                      **style.line_style(position))
        rates = [rate for row in rows for _, rate in cases[row.name][1]]
        if max(rates) > MOST_ON_LINEAR_AXIS * min(rates):
            axis.set_yscale("log")
            axis.set_ylim(min(rates) / 1.5, max(rates) * 1.5)
            style.logarithmic(axis.yaxis, style.short)
            unit = "operations/s\n(logarithmic)"
        else:
            axis.set_ylim(0, max(rates) * 1.08)
            axis.yaxis.set_major_formatter(FuncFormatter(style.short))
            unit = "operations/s"
        axis.set_xlim(-0.2, len(runs) - 0.8)
        axis.set_xticks(range(len(runs)), [date(run) for run in runs])
        axis.set_ylabel(unit)
        axis.set_title(f"{workload}: rates over runs")
        style.legend_right(axis)
    axes[-1].set_xlabel("start of the run (UTC)")
    return figure


def date(run):
    """Returns 20260131T235959Z-4711 as 2026-01-31 above 23:59."""
    text = run.identifier
    if len(text) < 15 or text[8] != "T":
        return text
    return f"{text[:4]}-{text[4:6]}-{text[6:8]}\n{text[9:11]}:{text[11:13]}"
