"""Reads the files of a run; contains no drawing code."""

import csv
import statistics
from pathlib import Path

SCHEMA_VERSION = "1"


class RunError(Exception):
    """An error that the user has to correct; `code` is the exit code."""

    def __init__(self, message, code=64):
        super().__init__(message)
        self.code = code


def number(text):
    """Returns the number in `text`; None if it was not measured."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def name_of(fields):
    """Returns the name of a case that is unique within a run."""
    sweep = fields.get("sweep")
    return f"{fields['case_id']} {sweep}" if sweep else fields["case_id"]


class Row:
    """One row of summary.csv."""

    def __init__(self, fields):
        self.fields = fields
        self.case_id = fields["case_id"]
        # Cases of a sweep may share their identifier.
        self.sweep = fields.get("sweep") or ""
        self.name = name_of(fields)
        self.workload = fields["workload"]
        self.strategy = fields["strategy"]
        self.engine = fields["engine"]
        self.layer = fields["layer"]
        self.durability = fields["durability"]
        self.encrypted = fields["encrypted"] == "true"
        self.size = int(fields["size_objects"] or 0)
        self.rate = number(fields["throughput_ops_per_s"])
        self.is_control = self.engine == "control"

    def __getitem__(self, column):
        return number(self.fields.get(column))

    @property
    def interval(self):
        return self["throughput_ci_low"], self["throughput_ci_high"]

    @property
    def own_strategy(self):
        """The strategy; empty if it only repeats the layer."""
        return "" if self.strategy in ("api", "engine") else self.strategy

    @property
    def column(self):
        """The engine and, for the embedded one, the layer."""
        if self.engine != "realm":
            return self.engine
        return "realm engine" if self.layer == "engine" else "realm api"

    @property
    def line(self):
        """The key shared by rows with the same work in different engines."""
        return (self.workload, self.own_strategy, self.durability, self.encrypted, self.size,
                self.fields["threads"], self.sweep)


class Run:
    """The folder of a run."""

    def __init__(self, path):
        self.path = Path(path)
        self.rows = [Row(fields) for fields in self._read("summary.csv", needed=True)
                     if fields["status"] == "ok" and number(fields["throughput_ops_per_s"])]
        if not self.rows:
            raise RunError(f"'{self.path}/summary.csv' has no finished case to draw.")
        self.identifier = self.rows[0].fields["run_id"]
        # Measures are keyed by name and measure, since cases of a sweep may share their identifier.
        self.measures = {}
        for fields in self._read("measures.csv"):
            self.measures[name_of(fields), fields["measure"]] = number(fields["value"])

    def _read(self, name, needed=False):
        path = self.path / name
        if not path.exists() and not needed:
            return []
        try:
            with open(path, newline="", encoding="utf-8") as file:
                reader = csv.DictReader(file)
                header = reader.fieldnames or []
                # The last row of an interrupted run may be truncated.
                rows = [row for row in reader if None not in row.values() and None not in row]
        except OSError as error:
            raise RunError(
                f"'{self.path}' is not the folder of a run: {name} cannot be read "
                f"({error.strerror}). Name a folder that realm-bench run made.") from error
        if needed:
            self._check(name, header, rows)
        return rows

    def _check(self, name, header, rows):
        missing = [column for column in ("schema_version", "case_id", "throughput_ops_per_s")
                   if column not in header]
        if missing:
            raise RunError(
                f"'{self.path}/{name}' lacks the column {missing[0]}: its layout is not one that "
                "this script reads.", code=6)
        versions = {row["schema_version"] for row in rows} - {SCHEMA_VERSION}
        if versions:
            raise RunError(
                f"'{self.path}/{name}' has schema version {', '.join(sorted(versions))}; this "
                f"script reads version {SCHEMA_VERSION}. Use the script that came with the "
                "program which wrote it.", code=6)

    def rounds(self):
        """Returns {name: {round: operations per second}} from samples.csv."""
        rounds = {}
        for fields in self._read("samples.csv"):
            rate = number(fields["throughput_ops_per_s"])
            if rate:
                rounds.setdefault(name_of(fields), {})[fields["run"]] = rate
        return rounds


def ratio(row, base, rounds):
    """Returns the rate relative to `base`: the median over common rounds if there are several."""
    own, other = rounds.get(row.name, {}), rounds.get(base.name, {})
    ratios = [own[name] / other[name] for name in own if name in other]
    return statistics.median(ratios) if len(ratios) >= 2 else row.rate / base.rate


def newest(package):
    """Returns the folder of the newest run in results/."""
    folders = sorted(path.parent for path in (package / "results").glob("2*/summary.csv"))
    if not folders:
        raise RunError("There is no run in results/. Make one with scripts/bench, or name a "
                       "folder: scripts/plot.py RUN_DIR")
    return folders[-1]


def by_workload(rows):
    """Returns [(workload, rows)] in order of first appearance."""
    groups = {}
    for row in rows:
        groups.setdefault(row.workload, []).append(row)
    return list(groups.items())


def titles(rows, size):
    """Returns names that distinguish all rows of a run; `size` formats a number of objects."""
    names = [title(row, size) for row in rows]
    # Sizes that differ little look alike when they are short.
    return names if len(set(names)) == len(names) else [title(row, "{:,}".format) for row in rows]


def title(row, size):
    parts = [f"{row.workload}/{row.strategy} {size(row.size).replace(' ', '')}"]
    if row.durability != "full":
        parts.append(row.durability)
    if row.encrypted:
        parts.append("encrypted")
    if row.sweep:
        parts.append(row.sweep)
    return f"{', '.join(parts)} ({row.engine})"


def labels(rows):
    """Returns the shortest names that distinguish the rows of one workload."""
    engines = {row.engine for row in rows if not row.is_control}
    names = []
    for row in rows:
        parts = [row.strategy]
        if len(engines) > 1 and not row.is_control:
            parts.append(row.engine)
        if len({other.size for other in rows}) > 1:
            parts.append(f"{row.size:,}")
        if len({other.durability for other in rows}) > 1:
            parts.append(row.durability)
        if row.encrypted:
            parts.append("encrypted")
        if row.sweep:
            parts.append(row.sweep)
        names.append(" · ".join(parts))
    return names
