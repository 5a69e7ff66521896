"""Draws every plot for which the runs have data."""

import sys

from . import several, single, style
from .runs import Run, RunError, newest


def draw(options, package):
    """Draws the plots and yields the path of each one when it is written."""
    paths = options.runs or [newest(package)]
    runs = [Run(path) for path in paths]
    run = runs[-1]
    output = options.output or run.path / "plots"
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"The folder '{output}' cannot be made: {error.strerror}.") from error
    plots = {
        "core": (single.core, "no core workload"),
        "encryption": (single.encryption, "no case ran with and without encryption"),
        "compaction": (single.compaction, "no case measured compaction"),
        "peers": (lambda run: several.peers(run, package), "SQLite and another engine are needed"),
        "comparison": (
            lambda run: several.comparison(run, options.baseline) if options.baseline else None,
            "no --baseline"),
        "history": (lambda run: several.history(runs), "several runs with common cases are needed"),
    }
    drawn = 0
    for name, (plot, reason) in plots.items():
        figure = plot(run)
        if not figure:
            print(f"{name}: nothing drawn, {reason}", file=sys.stderr)
            continue
        yield style.save(figure, output / f"{name}.{options.format}")
        drawn += 1
    if not drawn:
        raise RunError(f"The run '{run.path}' has nothing to draw.")
