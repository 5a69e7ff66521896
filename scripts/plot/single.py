"""Plots of one run.

Each function returns a figure, or None if the run lacks the data.
"""

from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from . import style
from .runs import titles


def core(run):
    """Draws a line of dots for every other workload: the rate of each engine."""
    groups = {}
    for row in run.rows:
        if not row.is_control and row.own_strategy == "":
            groups.setdefault(row.line, []).append(row)
    if not groups:
        return None
    figure, (axis,) = style.panels([2.0 + 0.42 * len(groups)])
    rows = [row for group in groups.values() for row in group]
    names = [name for name in style.COLUMNS if any(row.column == name for row in rows)]
    names += [name for name in dict.fromkeys(row.column for row in rows) if name not in names]
    for number, name in enumerate(names):
        # A small offset keeps equal rates from hiding each other.
        shift = (number - (len(names) - 1) / 2) * 0.12
        points = [(row.rate, position + shift) for position, group in enumerate(groups.values())
                  for row in group if row.column == name]
        axis.scatter(*zip(*points), s=90, label=name, color=style.color(name, names),
                     marker=style.marker(name, names), zorder=3, alpha=0.9)
    titles = [line_title(line) for line in groups]
    axis.set_yticks(range(len(groups)), titles)
    axis.set_ylim(len(groups) - 0.4, -0.6)
    axis.set_xscale("log")
    style.logarithmic(axis.xaxis, style.short)
    axis.set_xlabel("operations per second (logarithmic)")
    axis.set_title("Throughput of core workloads", pad=34)
    style.legend_above(axis, columns=6)
    return figure


def line_title(line):
    workload, strategy, durability, encrypted, size, threads, sweep = line
    parts = [f"{workload}/{strategy}" if strategy else workload]
    if size > 1:
        parts.append(style.short(size).replace(" ", ""))
    if durability != "full":
        parts.append(durability)
    if threads != "1":
        parts.append(f"{threads} threads")
    if encrypted:
        parts.append("encrypted")
    if sweep:
        parts.append(sweep)
    return ", ".join(parts)


def encryption(run):
    plain = {row.name: row for row in run.rows if not row.encrypted}
    pairs = []
    for row in run.rows:
        if not row.encrypted or row.is_control:
            continue
        base = plain.get(row.name.replace("/encrypted/", "/plain/"))
        if base:
            pairs.append((row, base.rate / row.rate - 1))
    if not pairs:
        return None
    figure, (axis,) = style.panels([1.6 + 0.45 * len(pairs)])
    for position, (row, cost) in enumerate(pairs):
        axis.barh(position, cost * 100, height=0.66,
                  color=style.PALETTE[0 if cost <= 0 else 1])
        axis.annotate(f"{cost * 100:+.1f} %", (cost * 100, position),
                      xytext=(6 if cost > 0 else -6, 0), textcoords="offset points", va="center",
                      ha="left" if cost > 0 else "right")
    names = titles([row for row, _ in pairs], style.short)
    axis.set_yticks(range(len(pairs)), [name.replace(", encrypted", "") for name in names])
    axis.set_ylim(len(pairs) - 0.4, -0.6)
    axis.axvline(0, color="#1b1f24", linewidth=1.2)
    axis.grid(axis="y", visible=False)
    axis.margins(x=0.14)
    axis.set_xlabel("additional time per operation, percent (the same case unencrypted is 0)")
    axis.set_title("What encryption costs", pad=30)
    style.legend_above(axis, [Patch(color=style.PALETTE[1], label="slower encrypted"),
                              Patch(color=style.PALETTE[0], label="faster encrypted")])
    return figure


def compaction_microseconds(row):
    """Returns the microseconds of one compaction.

    One operation is one object copied; a case may compact several times.
    """
    return row["elapsed_s"] * 1e6 * row.size / row["operations"]


def compaction(run):
    found = []
    for row in run.rows:
        before = run.measures.get((row.name, "bytes_before"))
        after = run.measures.get((row.name, "bytes_after"))
        if before and after:
            extra = run.measures.get((row.name, "extra_bytes_max"))
            found.append((row, before, after, extra))
    if not found:
        return None
    figure, (axis,) = style.panels([1.8 + 0.95 * len(found)])
    kinds = [("before", style.PALETTE[1]), ("after", style.PALETTE[0]),
             ("most beside the file while it runs", style.PALETTE[4])]
    for position, (row, *values) in enumerate(found):
        for number, (value, (_, color)) in enumerate(zip(values, kinds)):
            if value is None:
                continue
            y = position + (number - 1) * 0.27
            axis.barh(y, value, height=0.25, color=color)
            text = style.size(value)
            if number == 1:
                text += f", in {style.duration(compaction_microseconds(row))}"
            axis.annotate(text, (value, y), xytext=(6, 0), textcoords="offset points", va="center",
                          fontsize=12)
    names = [f"{row.column}\n{row.workload}, {row.size:,}"
             + (f", {row.sweep}" if row.sweep else "") for row, *_ in found]
    axis.set_yticks(range(len(found)), names)
    axis.invert_yaxis()
    axis.grid(axis="y", visible=False)
    axis.margins(x=0.2)
    axis.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    axis.xaxis.set_major_formatter(FuncFormatter(style.size))
    axis.set_xlabel("size of the database file")
    axis.set_title("Compaction: file size and time", pad=34)
    style.legend_above(axis, [Patch(color=color, label=name) for name, color in kinds])
    return figure
