#!/usr/bin/env python3
"""Draws the plots of benchmark runs from their CSV files.

Creates a virtual environment (.venv in the package) with a pinned version of
matplotlib on first use, and runs itself in it.
"""

import argparse
import hashlib
import os
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
REQUIREMENTS = Path(__file__).resolve().parent / "plot-requirements.txt"

EPILOG = """
plots, each drawn only if the runs have data for it:
  core         operations per second of workloads whose strategies are layers, all engines
  encryption   what encryption costs, where a case ran with and without
  compaction   file size before and after, and the time it took
  peers        rates relative to SQLite of the same run; realm-core indirect
  comparison   rates relative to --baseline
  history      rates over several runs

The page report.html of a run has the others: throughput by strategy, latency
percentiles, file size over time, growth under a pinned reader.

examples:
  scripts/plot.py                          the newest run in results/
  scripts/plot.py results/RUN --format svg
  scripts/plot.py results/RUN --baseline results/EARLIER_RUN
  scripts/plot.py results/* --output plots  history over all of these runs

exit codes:
  0   plots were drawn
  1   the environment with matplotlib could not be made
  6   a run's files have another layout (schema version) than this script reads
  64  a folder is not that of a run, or there is nothing to draw
"""


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/plot.py",
        description="Draws the plots of benchmark runs from their CSV files alone.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "runs", nargs="*", type=Path, metavar="RUN_DIR",
        help="folders of runs (default: the newest in results/); the last is drawn, "
        "several make a history")
    parser.add_argument(
        "--output", type=Path, metavar="DIR",
        help="folder for the plots (default: plots/ in the folder of the last run)")
    parser.add_argument(
        "--format", choices=["png", "svg", "pdf"], default="png",
        help="file format (default: png)")
    parser.add_argument(
        "--baseline", type=Path, metavar="DIR", help="folder of a run to compare with")
    parser.error = lambda message: usage(parser, message)
    return parser.parse_args()


def usage(parser, message):
    parser.print_usage(sys.stderr)
    print(f"error: {message}", file=sys.stderr)
    raise SystemExit(64)


def enter_environment():
    """Runs this script again in the virtual environment, which it creates if needed."""
    environment = PACKAGE / ".venv"
    stamp = environment / "plot-requirements.sha256"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    python = environment / "bin" / "python"
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"Installing matplotlib into {environment} (once)", file=sys.stderr)
        commands = [
            [sys.executable, "-m", "venv", "--clear", str(environment)],
            [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
             "--requirement", str(REQUIREMENTS)],
        ]
        for command in commands:
            if subprocess.run(command, stdout=sys.stderr).returncode != 0:
                print(
                    f"error: '{' '.join(command)}' failed. The plots need Python 3.10 or later "
                    "with its venv module (Debian: apt-get install python3-venv) and, the first "
                    "time, access to PyPI.", file=sys.stderr)
                raise SystemExit(1)
        stamp.write_text(wanted)
    if Path(sys.prefix).resolve() != environment.resolve():
        os.execv(str(python), [str(python), str(Path(__file__).resolve()), *sys.argv[1:]])


def main():
    options = arguments()
    enter_environment()
    from plot import drawing, runs

    try:
        for path in drawing.draw(options, PACKAGE):
            print(path)
    except runs.RunError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(error.code)


if __name__ == "__main__":
    main()
