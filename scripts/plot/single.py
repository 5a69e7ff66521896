"""Plots of one run.

Each function returns a figure, or a dictionary of functions that draw one for each workload, or
None if the run lacks the data.
"""

from functools import partial

from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from . import style
from .runs import by_workload, labels


def throughput(run):
    """Draws bars for the workloads whose strategies are more than a layer of the engine."""
    groups = [(name, rows) for name, rows in by_workload(run.rows)
              if len({row.own_strategy for row in rows if not row.is_control}) > 1]
    if not groups:
        return None
    figure, axes = style.panels([1.6 + 0.42 * len(rows) for _, rows in groups])
    for axis, (workload, rows) in zip(axes, groups):
        engines = list(dict.fromkeys(row.column for row in rows if not row.is_control))
        most = max(row.interval[1] or row.rate for row in rows)
        for position, row in enumerate(rows):
            look = ({"color": "#eef1f4", "edgecolor": style.CONTROL, "hatch": "///"}
                    if row.is_control else {"color": style.color(row.column, engines)})
            axis.barh(position, row.rate, height=0.66, **look)
            low, high = row.interval
            if low is not None and high is not None:
                # The interval of skewed slices need not contain the rate itself.
                axis.errorbar((low + high) / 2, position, xerr=(high - low) / 2, fmt="none",
                              ecolor="#1b1f24", capsize=4, elinewidth=1.4)
            axis.text(max(row.rate, high or 0) + most * 0.012, position, style.short(row.rate),
                      va="center")
        axis.set_yticks(range(len(rows)), labels(rows))
        axis.invert_yaxis()
        axis.grid(axis="y", visible=False)
        axis.set_xlim(0, most * 1.12)
        axis.xaxis.set_major_formatter(FuncFormatter(style.short))
        axis.set_xlabel("operations per second")
        axis.set_title(f"{workload}: throughput by strategy", pad=30 if len(engines) < 3 else 54)
        handles = [Patch(color=style.color(name, engines), label=name) for name in engines]
        if any(row.is_control for row in rows):
            handles.append(Patch(facecolor="#eef1f4", edgecolor=style.CONTROL, hatch="///",
                                 label="control: no database"))
        handles.append(Line2D([], [], color="#1b1f24", marker="|", markersize=9,
                              label="95 % interval"))
        style.legend_above(axis, handles, columns=4)
    return figure


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


def latency(run):
    """Returns {workload: function that draws its figure}."""
    figures = {}
    for workload, rows in by_workload(run.rows):
        curves = [(label, run.percentiles(row)) for label, row in zip(labels(rows), rows)]
        curves = [(label, points) for label, points in curves if len(points) > 1]
        if curves:
            figures[workload] = partial(latency_figure, workload, curves)
    return figures


def latency_figure(workload, curves):
    figure, (axis,) = style.panels([5.0])
    most = 100
    for position, (label, points) in enumerate(curves):
        # The maximum lies at 100 %, which is infinitely far on this scale.
        inner = [(1 / (1 - level), value) for level, value in points if level < 1]
        most = max(most, inner[-1][0])
        axis.plot(*zip(*inner), label=label, **style.line_style(position))
    style.percentile_axis(axis, most)
    axis.set_yscale("log")
    style.logarithmic(axis.yaxis, style.duration)
    axis.set_ylabel("latency (logarithmic)")
    axis.set_title(f"{workload}: latency")
    style.legend_right(axis)
    return figure


def file_size(run):
    """Returns {workload: function that draws its figure}."""
    courses = run.course("timeline.csv", "elapsed_s", "file_bytes")
    figures = {}
    for workload, rows in by_workload(run.rows):
        found = [(label, courses[row.name]) for label, row in zip(labels(rows), rows)
                 if len(courses.get(row.name, {}).get("elapsed_s", [])) > 1]
        if found:
            figures[workload] = partial(file_size_figure, workload, found)
    return figures


def file_size_figure(workload, found):
    figure, (axis,) = style.panels([4.6])
    for position, (label, course) in enumerate(found):
        axis.step(course["elapsed_s"], course["file_bytes"], where="post", label=label,
                  **style.line_style(position))
    axis.set_ylim(bottom=0)
    axis.set_xlim(left=0)
    byte_axis(axis)
    axis.set_xlabel("seconds since the start of the case")
    axis.set_ylabel("file size")
    axis.set_title(f"{workload}: size of the database file")
    style.legend_right(axis)
    return figure


def byte_axis(axis):
    # Steps of ten give powers of a thousand round labels.
    axis.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    axis.yaxis.set_major_formatter(FuncFormatter(style.size))


GROWTH_PARTS = {"live_bytes": "live: the newest version",
                "waiting_bytes": "waiting: pinned versions",
                "free_bytes": "free: for the next commits"}


def growth(run):
    """Draws a panel of file sizes for each strategy, then the contents of files if reported."""
    courses = run.course("growth.csv", "commits", "file_bytes", *GROWTH_PARTS)
    owners = run.pin_owners()
    found = [(row, courses[row.name]) for row in run.rows
             if len(courses.get(row.name, {}).get("commits", [])) > 1]
    if not found:
        return None
    strategies = list(dict.fromkeys(row.strategy for row, _ in found))
    telling = [(row, course) for row, course in found if None not in course["waiting_bytes"]]
    figure, axes = style.panels([3.6] * (len(strategies) + len(telling)))
    for axis, strategy in zip(axes, strategies):
        growth_sizes(axis, strategy, [pair for pair in found if pair[0].strategy == strategy])
    for axis, (row, course) in zip(axes[len(strategies):], telling):
        growth_parts(axis, row, course, owners.get(row.name))
    return figure


def growth_sizes(axis, strategy, found):
    names = list(dict.fromkeys(row.column for row, _ in found))
    for position, (row, course) in enumerate(found):
        # Every second line is dashed, so that equal sizes do not hide each other.
        axis.plot(course["commits"], course["file_bytes"], label=row.column,
                  color=style.color(row.column, names), linestyle="--" if position % 2 else "-")
    growth_axis(axis, max(max(course["file_bytes"]) for _, course in found))
    pinned = "a reader pinned since the start" if strategy.endswith("pinned") else "no reader"
    axis.set_title(f"growth/{strategy}: file size, {pinned}")
    style.legend_right(axis)


def growth_parts(axis, row, course, pinned):
    parts = [name for name in GROWTH_PARTS if None not in course[name]]
    axis.stackplot(course["commits"], *[course[name] for name in parts],
                   labels=[GROWTH_PARTS[name] for name in parts],
                   colors=[style.PALETTE[column] for column in (0, 1, 4)], alpha=0.75)
    axis.plot(course["commits"], course["file_bytes"], color="#1b1f24", label="file size")
    growth_axis(axis, max(course["file_bytes"]))
    state = f"pinned by {', '.join(pinned)}" if pinned else "nothing pinned"
    axis.set_title(f"{row.workload}/{row.strategy} ({row.engine}): {state}")
    style.legend_right(axis)


def growth_axis(axis, most):
    axis.set_ylim(0, most * 1.06)
    axis.set_xlim(left=0)
    axis.xaxis.set_major_formatter(FuncFormatter(style.short))
    byte_axis(axis)
    axis.set_xlabel("commits")
    axis.set_ylabel("bytes")


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
    axis.set_yticks(range(len(pairs)), [f"{row.workload}/{row.strategy}" for row, _ in pairs])
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
