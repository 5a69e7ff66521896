#!/usr/bin/env python3
"""Tests scripts/plot.py: every plot is drawn from the fixture, and errors have exit codes."""

import csv
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from plot import runs

PACKAGE = Path(__file__).resolve().parent.parent
FIXTURE = PACKAGE / "Tests" / "BenchmarkKitTests" / "Fixtures" / "run"
RUNNER = PACKAGE / ".build" / "debug" / "realm-bench"
PLOTS = ["core", "encryption", "compaction", "peers", "comparison", "history"]


def write(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, header)
        writer.writeheader()
        writer.writerows(rows)


class PlotTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="plot-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def plot(self, *arguments):
        return subprocess.run(
            [sys.executable, str(PACKAGE / "scripts" / "plot.py"), *map(str, arguments)],
            capture_output=True, text=True)

    def copy(self, name="run", **replaced):
        run = self.folder / name
        shutil.copytree(FIXTURE, run)
        for old, new in replaced.values():
            for file in run.glob("*.csv"):
                file.write_bytes(file.read_bytes().replace(old, new))
        return run

    def test_every_plot_is_drawn(self):
        later = self.copy("later", identifier=(b"20260131T120000Z-1", b"20260201T120000Z-2"))
        output = self.folder / "plots"
        result = self.plot(FIXTURE, later, "--baseline", FIXTURE, "--output", output,
                           "--format", "svg")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(path.stem for path in output.iterdir()), sorted(PLOTS))
        for name, texts in {
            "core": ["operations per second", "rocksdb"],
            "encryption": ["+23.5 %"],
            "peers": ["realm-core (indirect)", "rocksdb"],
            "comparison": ["1.00×"],
            "history": ["2026-02-01"],
        }.items():
            drawn = (output / f"{name}.svg").read_text(encoding="utf-8")
            for text in texts:
                self.assertIn(text, drawn, name)

    def test_cases_of_a_sweep_keep_their_own_measures(self):
        run = self.copy()
        case = "compact/api/full/plain/1000000/realm"
        sizes = {"seed=1": (40_000_000, 10_000_000), "seed=2": (80_000_000, 20_000_000)}
        with open(run / "summary.csv", newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            header = list(dict.fromkeys([*reader.fieldnames, "sweep"]))
            row = next(row for row in reader if row["case_id"] == case)
        rows = [{**row, "sweep": sweep} for sweep in sizes]
        measures = [
            {"run_id": row["run_id"], "case_id": case, "measure": measure, "value": value,
             "sweep": sweep}
            for sweep, values in sizes.items()
            for measure, value in zip(("bytes_before", "bytes_after"), values)]
        write(run / "summary.csv", header, rows)
        write(run / "measures.csv", list(measures[0]), measures)
        result = self.plot(run, "--output", self.folder / "plots", "--format", "svg")
        self.assertEqual(result.returncode, 0, result.stderr)
        drawn = (self.folder / "plots" / "compaction.svg").read_text(encoding="utf-8")
        for text in ["40 MB", "10 MB", "80 MB", "20 MB", "seed=1", "seed=2"]:
            self.assertIn(text, drawn)

    def rewrite(self, run, changes):
        """Gives a run one row of the fixture, once for each of the changes."""
        with open(FIXTURE / "summary.csv", newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            header = list(dict.fromkeys([*reader.fieldnames, "sweep"]))
            row = next(row for row in reader
                       if row["status"] == "ok" and row["engine"] == "realm")
        write(run / "summary.csv", header, [{**row, **change} for change in changes])

    def drawn(self, name, *arguments):
        output = self.folder / "plots"
        result = self.plot(*arguments, "--output", output, "--format", "svg")
        self.assertEqual(result.returncode, 0, result.stderr)
        return (output / f"{name}.svg").read_text(encoding="utf-8")

    def test_without_an_interval_no_row_is_faster_or_slower(self):
        before, after = self.copy("before"), self.copy("after")
        for spread, color in ((None, "#5b5b5b"), (10, "#d55e00"), (400, "#5b5b5b")):
            for run, rate in ((before, 1000), (after, 700)):
                self.rewrite(run, [{
                    "throughput_ops_per_s": rate,
                    "throughput_ci_low": rate - spread if spread else "",
                    "throughput_ci_high": rate + spread if spread else ""}])
            drawn = self.drawn("comparison", after, "--baseline", before)
            text = re.search(r"<text ([^>]*)>0\.70×</text>", drawn)
            self.assertIn(color, text.group(1), spread)

    def test_every_row_of_a_comparison_has_its_own_name(self):
        run = self.copy()
        self.rewrite(run, [
            {"case_id": f"insert/api/{durability}/{secrecy}/{size}/realm", "workload": "insert",
             "strategy": "api", "durability": durability,
             "encrypted": "true" if secrecy == "encrypted" else "false",
             "size_objects": size, "engine": "realm", "sweep": sweep}
            for durability in ("full", "relaxed") for secrecy in ("plain", "encrypted")
            for size in ("1000000", "1000001") for sweep in ("", "batch-size=5")])
        drawn = self.drawn("comparison", run, "--baseline", run)
        names = re.findall(r">(insert/api[^<]*)<", drawn)
        self.assertEqual(len(names), 16)
        self.assertEqual(len(set(names)), 16, names)
        encrypted = re.findall(r">(insert/api[^<]*)<", self.drawn("encryption", run))
        self.assertEqual(len(encrypted), 8)
        self.assertEqual(len(set(encrypted)), 8, encrypted)

    def test_rates_far_apart_have_a_logarithmic_axis(self):
        for low, is_logarithmic in (("70000", False), ("300", True)):
            found = []
            for number in range(3):
                found.append(self.copy(f"{low}-{number}"))
                self.rewrite(found[-1], [
                    {"run_id": f"2026010{number + 1}T000000Z-1", "workload": "insert",
                     "strategy": strategy, "throughput_ops_per_s": rate,
                     "case_id": f"insert/{strategy}/full/plain/1/realm"}
                    for strategy, rate in (("api", low), ("engine", "80000"))])
            drawn = self.drawn("history", *found)
            self.assertEqual(">(logarithmic)<" in drawn, is_logarithmic)
            # Lines of data are not cut at the edge of the axes.
            lines = re.findall(r'<path d="M [^"]*" (clip-path="[^"]*" )?style="fill: none; '
                               r'stroke: #(?:0072b2|d55e00)', drawn)
            self.assertTrue(lines)
            self.assertFalse(any(lines))

    def test_what_has_no_data_is_skipped_and_said(self):
        run = self.copy()
        for name in ("measures.csv", "samples.csv"):
            (run / name).unlink()
        result = self.plot(run, "--output", self.folder / "plots")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("compaction: nothing drawn, no case measured compaction", result.stderr)
        self.assertFalse((self.folder / "plots" / "compaction.png").exists())
        self.assertTrue((self.folder / "plots" / "peers.png").exists())

    def test_a_folder_that_is_no_run(self):
        result = self.plot(self.folder)
        self.assertEqual(result.returncode, 64)
        self.assertIn("is not the folder of a run", result.stderr)

    def test_another_schema_version(self):
        run = self.copy(version=(b"\n1,2026", b"\n99,2026"))
        result = self.plot(run)
        self.assertEqual(result.returncode, 6)
        self.assertIn("schema version 99", result.stderr)

    @unittest.skipUnless(RUNNER.exists(), "realm-bench is not built")
    def test_both_readers_of_a_run_compute_the_same_ratios(self):
        report = subprocess.run(
            [str(RUNNER), "report", str(FIXTURE), "--markdown"], capture_output=True, text=True,
            check=True).stdout
        table = report.split("## Engines side by side")[1].split("\n\n")[1].splitlines()
        others = [number for number, title in enumerate(table[0].split("|"))
                  if "realm-core" not in title]
        told = [ratio for line in table[2:]
                for number, cell in enumerate(line.split("|")) if number in others
                for ratio in re.findall(r"([0-9.]+)x", cell)]
        run = runs.Run(FIXTURE)
        lines = {}
        for row in run.rows:
            if not row.is_control:
                lines.setdefault(row.line, {})[row.column] = row
        rounds = run.rounds()
        read = [runs.ratio(row, line["sqlite"], rounds)
                for line in lines.values() if "sqlite" in line
                for column, row in line.items() if column != "sqlite"]
        digits = [0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 3
                  for value in read]
        self.assertGreater(len(told), 5)
        self.assertEqual(
            sorted(told), sorted(f"{value:.{count}f}" for value, count in zip(read, digits)))

    def test_usage(self):
        self.assertEqual(self.plot("--format", "bmp").returncode, 64)
        help_text = self.plot("--help")
        self.assertEqual(help_text.returncode, 0)
        for name in PLOTS:
            self.assertIn(name, help_text.stdout)


if __name__ == "__main__":
    unittest.main()
