"""The pages of the benchmark runner in a real browser. scripts/report-test runs it.

REALM_BENCH           the program realm-bench
REALM_BENCH_PICTURES  the folder for screenshots
"""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from playwright.sync_api import expect, sync_playwright

program = os.environ["REALM_BENCH"]
pictures = pathlib.Path(os.environ["REALM_BENCH_PICTURES"])
chromium = os.environ.get("REALM_STUDIO_BROWSER", "/usr/bin/chromium")
fixture = pathlib.Path(__file__).parent.parent / "BenchmarkKitTests/Fixtures/run"
expect.set_options(timeout=10_000)

MARKUP = '<img src="http://evil.example/x" onerror="window.broken=1">'
HOSTILE = MARKUP + "</script><script>window.broken=1</script>&lt;b&gt;\"'"


def rewrite(path, change):
    """Rewrites the rows of a CSV file; `change` returns the rows that a row becomes."""
    with open(path, newline="") as file:
        rows = [new for row in csv.DictReader(file) for new in change(row)]
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def make_run(folder, name, factor=lambda case: 1.0):
    """A run with the made-up figures, whose cases ran ten times, `factor` times as fast."""
    run = folder / name
    shutil.copytree(fixture, run)

    def scaled(row):
        rate = row["throughput_ops_per_s"]
        return {
            **row, "throughput_ops_per_s": rate and float(rate) * factor(row["case_id"]),
            "sweep": "", "deterministic": "false",
            # What the made-up run lacks, so that the table is as wide as it gets.
            "latency_samples": 20000, "bytes_written_per_commit": 8192,
            "pages_written_per_commit": 3, "allocations_per_op": 12.5,
            "rss_peak_bytes": 45_600_000}

    def repeated(row):
        if row["run"] != "1":
            return []
        rate = float(row["throughput_ops_per_s"] or 0) * factor(row["case_id"])
        return [
            {**row, "run": number, "throughput_ops_per_s": rate * (1 + number / 500)}
            for number in range(1, 11)]

    rewrite(run / "summary.csv", lambda row: [scaled(row)])
    rewrite(run / "samples.csv", repeated)
    return run


class ReportTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        pictures.mkdir(parents=True, exist_ok=True)
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.page_file = cls.report(make_run(cls.folder, "first"))
        faster = make_run(
            cls.folder, "faster", lambda case: 1.8 if case.startswith("insert") else 1.0)
        slower = make_run(
            cls.folder, "slower", lambda case: 0.5 if case.startswith("lookup") else 1.0)
        cls.comparison = cls.folder / "comparison.html"
        subprocess.run(
            [program, "compare", cls.folder / "first", faster, slower, "--page", cls.comparison],
            check=True, stdout=subprocess.DEVNULL)
        driver = sync_playwright().start()
        cls.addClassCleanup(driver.stop)
        cls.browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        cls.addClassCleanup(cls.browser.close)

    @staticmethod
    def report(run):
        done = subprocess.run(
            [program, "report", run], check=True, stdout=subprocess.PIPE, text=True)
        return pathlib.Path(done.stdout.strip())

    def setUp(self):
        self.problems = []
        self.requests = []
        self.opened = 0

    def tearDown(self):
        for context in self.browser.contexts:
            context.close()
        # What the page loads, and what it complains about, such as a script that may not run.
        self.assertEqual([url for url in self.requests if not url.startswith("file:")], [])
        self.assertEqual(len(self.requests), self.opened)
        self.assertEqual(self.problems, [])

    def open(self, file=None, width=1280, height=800, **options):
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, **options)
        page = context.new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: self.problems.append(message.text))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto((file or self.page_file).as_uri())
        self.opened += 1
        return page

    def picture(self, page, name, whole=False):
        page.screenshot(path=str(pictures / f"{name}.png"), full_page=whole)

    def header(self, page, section, title):
        return page.locator(
            f"#{section} thead th", has_text=re.compile(f"^{re.escape(title)}$")).first

    def column(self, page, section, title):
        """The texts and the numbers of the rows that are shown."""
        return page.evaluate(
            """([section, title]) => {
              const table = document.querySelector(`#${section} table`);
              const headers = [...table.tHead.rows[0].cells];
              const column = headers.findIndex(cell => cell.textContent === title);
              return [...table.tBodies[0].rows].filter(row => !row.hidden).map(row => {
                const cell = row.cells[column];
                return [cell.textContent, "value" in cell.dataset
                  ? Number(cell.dataset.value) : null];
              });
            }""", [section, title])

    def overflow(self, page):
        """The sections whose tables are wider than the window, and the page itself."""
        return page.evaluate(
            """() => [document.scrollingElement, ...document.querySelectorAll(".scroll")]
              .filter(part => part.scrollWidth > part.clientWidth + 1)
              .map(part => part.closest("section")?.id ?? "page")""")

    # MARK: Tables

    def test_sorts_by_a_click(self):
        page = self.open()
        before = self.column(page, "results", "case")
        rate = self.header(page, "results", "ops/s")
        rate.click()
        expect(rate).to_have_attribute("aria-sort", "descending")
        numbers = [number for _, number in self.column(page, "results", "ops/s")]
        known = [number for number in numbers if number is not None]
        self.assertGreater(len(known), 30)
        self.assertEqual(known, sorted(known, reverse=True))
        self.assertEqual(numbers[:len(known)], known)
        rate.click()
        expect(rate).to_have_attribute("aria-sort", "ascending")
        numbers = [number for _, number in self.column(page, "results", "ops/s")]
        self.assertEqual(numbers[:len(known)], sorted(known))
        engine = self.header(page, "results", "engine")
        engine.click()
        expect(engine).to_have_attribute("aria-sort", "ascending")
        self.assertIsNone(rate.get_attribute("aria-sort"))
        names = [text for text, _ in self.column(page, "results", "engine")]
        self.assertEqual(names, sorted(names))
        engine.click()
        engine.click()
        self.assertEqual(self.column(page, "results", "case"), before)

    def test_sorts_by_the_keyboard(self):
        page = self.open()
        button = self.header(page, "results", "p99").get_by_role("button")
        button.focus()
        page.keyboard.press("Enter")
        numbers = [number for _, number in self.column(page, "results", "p99") if number]
        self.assertEqual(numbers, sorted(numbers, reverse=True))

    def test_searches_rows_and_charts(self):
        page = self.open()
        everything = len(self.column(page, "results", "case"))
        search = page.get_by_role("searchbox")
        search.fill("INSERT sqlite")
        rows = self.column(page, "results", "case")
        self.assertEqual({text.split("/")[0] for text, _ in rows}, {"insert"})
        self.assertEqual({text for text, _ in self.column(page, "results", "engine")}, {"sqlite"})
        expect(page.locator("#found")).to_have_text(re.compile(r"^\d+ rows?, 1 chart$"))
        expect(page.locator("#throughput figure:visible")).to_have_count(1)
        expect(page.locator("#growth-by-cause")).to_be_hidden()
        search.fill("bytes_before")
        expect(page.locator("#measures table")).to_be_visible()
        search.fill("no such thing")
        expect(page.locator("#found")).to_have_text("Nothing has these words.")
        search.fill("")
        self.assertEqual(len(self.column(page, "results", "case")), everything)
        expect(page.locator("#measures table")).to_be_hidden()

    def test_says_what_a_column_means(self):
        page = self.open()
        note = page.get_by_role("tooltip")
        expect(note).to_be_hidden()
        self.header(page, "results", "p99").hover()
        expect(note).to_contain_text("latency_p99_us: 99th percentile")
        self.picture(page, "report-note")
        page.mouse.move(640, 5)
        expect(note).to_be_hidden()
        self.header(page, "checks", "control").get_by_role("button").focus()
        expect(note).to_contain_text("without the database")
        page.keyboard.press("Escape")
        expect(note).to_be_hidden()
        silent = page.locator("#results thead th").evaluate_all(
            "heads => heads.filter(head => !head.dataset.note).map(head => head.textContent)")
        self.assertEqual(silent, [])

    def test_shows_all_columns_on_request(self):
        page = self.open()
        wide = page.locator("#results thead th.wide")
        self.assertGreater(wide.count(), 0)
        expect(wide.first).to_be_hidden()
        page.get_by_label("all columns").check()
        expect(wide.first).to_be_visible()

    def test_the_contents_lead_to_the_sections(self):
        page = self.open()
        links = page.get_by_role("navigation").get_by_role("link")
        self.assertEqual(
            links.all_text_contents(), page.locator("section h2").all_text_contents())
        links.filter(has_text="Latency").click()
        expect(page.locator("#latency h2")).to_be_in_viewport()

    def test_folds_warnings(self):
        page = self.open()
        warning = page.get_by_text("Made-up figures")
        expect(warning).to_be_hidden()
        page.get_by_text("1 warning").click()
        expect(warning).to_be_visible()

    # MARK: Comparison

    def test_compares_three_runs(self):
        page = self.open(self.comparison)
        self.assertEqual(
            page.locator("#throughput thead th").all_text_contents(),
            ["case", "first", "faster", "ratio", "slower", "ratio"])
        good = page.locator("#throughput td.good")
        self.assertTrue(all(text == "1.80x" for text in good.all_text_contents()))
        self.assertGreater(good.count(), 3)
        bad = page.locator("#throughput td.bad")
        self.assertTrue(all(text == "0.50x" for text in bad.all_text_contents()))
        good.first.hover()
        expect(page.get_by_role("tooltip")).to_contain_text("1.80 times as fast: faster")
        self.picture(page, "comparison")
        self.picture(page, "comparison-whole", whole=True)
        page.locator("#throughput").get_by_role("button", name="ratio").last.click()
        first = page.locator("#throughput tbody tr").first
        self.assertFalse(first.locator("td").first.text_content().startswith("lookup"))
        page.get_by_role("searchbox").fill("lookup slower")
        verdicts = self.column(page, "times", "verdict")
        self.assertEqual({text for text, _ in verdicts}, {"slower"})
        self.assertGreater(page.locator("#ratios figure:visible").count(), 0)
        self.assertEqual(self.overflow(page), [])

    # MARK: Layout

    def test_is_readable_at_1280_pixels(self):
        for file in [self.page_file, self.comparison]:
            page = self.open(file)
            self.assertEqual(self.overflow(page), [])
            size = page.locator("td").first.evaluate("cell => getComputedStyle(cell).fontSize")
            self.assertGreaterEqual(float(size.removesuffix("px")), 12)
        page = self.open()
        self.picture(page, "report")
        self.picture(page, "report-whole", whole=True)

    def test_only_tables_scroll_sideways_at_400_pixels(self):
        for name, file in [("report", self.page_file), ("comparison", self.comparison)]:
            page = self.open(file, width=400)
            self.assertNotIn("page", self.overflow(page))
            self.picture(page, f"{name}-narrow", whole=True)

    def test_is_dark_where_that_is_asked_for(self):
        grounds = {}
        for scheme in ["light", "dark"]:
            page = self.open(color_scheme=scheme)
            grounds[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
            self.picture(page, f"report-{scheme}")
        self.assertEqual(grounds["light"], "rgb(255, 255, 255)")
        self.assertEqual(grounds["dark"], "rgb(20, 24, 29)")

    def test_prints_on_light_paper_without_what_cannot_be_clicked(self):
        # The width of A4 across, less the margins, at 96 dots an inch.
        page = self.open(width=1032, color_scheme="dark")
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        expect(page.get_by_role("searchbox")).to_be_hidden()
        expect(page.get_by_text("Made-up figures")).to_be_visible()
        expect(page.locator("#columns table")).to_be_visible()
        self.assertEqual(
            page.evaluate("getComputedStyle(document.body).backgroundColor"),
            "rgb(255, 255, 255)")
        self.assertEqual(self.overflow(page), [])
        self.picture(page, "report-paper", whole=True)
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        expect(page.get_by_text("Made-up figures")).to_be_hidden()
        page.pdf(path=str(pictures / "report.pdf"), prefer_css_page_size=True)

    # MARK: Names

    def test_names_are_never_markup(self):
        run = make_run(self.folder, "hostile")

        def hostile(row):
            row["case_id"] = row["case_id"].replace("insert/api", f"{HOSTILE}/{HOSTILE}")
            if row.get("workload") == "insert" and row["strategy"] == "api":
                row["workload"] = row["strategy"] = row["sweep"] = HOSTILE
            if row.get("engine") == "lmdb":
                row["engine"] = HOSTILE
            return [row]

        for name in ["summary.csv", "samples.csv", "measures.csv", "growth.csv"]:
            rewrite(run / name, hostile)
        header = json.loads((run / "run.json").read_text())
        header["warnings"].append(HOSTILE)
        header["suite"] = header["run_id"] = header["git_revision"] = HOSTILE
        header["checks"][0]["title"] = HOSTILE
        (run / "run.json").write_text(json.dumps(header))
        compared = self.folder / "hostile.html"
        subprocess.run(
            [program, "compare", self.folder / "first", run, "--page", compared],
            check=True, stdout=subprocess.DEVNULL)
        for file in [self.report(run), compared]:
            page = self.open(file)
            expect(page.locator("tbody td").filter(has_text=HOSTILE).first).to_have_count(1)
            page.get_by_role("searchbox").fill("evil.example")
            expect(page.locator("#found")).to_contain_text("row")
            for owner in page.locator("[data-note*='evil.example']:visible").all()[:3]:
                owner.hover()
                expect(page.get_by_role("tooltip")).to_contain_text("evil.example")
            self.picture(page, f"hostile-{file.stem}")
            self.assertEqual(page.locator("img, figure b, td b b").count(), 0)
            self.assertEqual(page.locator("script").count(), 1)
            self.assertFalse(page.evaluate("'broken' in window"))

    def test_shows_everything_without_scripts(self):
        page = self.open(java_script_enabled=False)
        expect(page.get_by_role("searchbox")).to_be_hidden()
        expect(page.locator("#results table")).to_be_visible()
        page.get_by_text("1 warning").click()
        expect(page.get_by_text("Made-up figures")).to_be_visible()


if __name__ == "__main__":
    unittest.main()
