"""A browser for tests, started once for each class of tests.

REALM_STUDIO_BINARIES  the folder with `realm` and `realm-studio`
REALM_STUDIO_PICTURES  the folder for screenshots
"""

import os
import pathlib
import tempfile
import unittest

from fixtures import Fixtures
from playwright.sync_api import expect, sync_playwright
from studio import Studio

binaries = pathlib.Path(os.environ["REALM_STUDIO_BINARIES"])
pictures = pathlib.Path(os.environ["REALM_STUDIO_PICTURES"])
chromium = os.environ.get("REALM_STUDIO_BROWSER", "/usr/bin/chromium")
expect.set_options(timeout=20_000)


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        pictures.mkdir(parents=True, exist_ok=True)
        cls.folder = tempfile.TemporaryDirectory()
        cls.fixtures = Fixtures(str(binaries / "realm"), cls.folder.name)
        cls.driver = sync_playwright().start()
        cls.browser = cls.driver.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.driver.stop()
        cls.folder.cleanup()

    def run(self, result=None):
        self.result = result
        return super().run(result)

    def setUp(self):
        self.problems = []

    def tearDown(self):
        failed = [test for test, _ in self.result.failures + self.result.errors]
        if any(test is self or getattr(test, "test_case", None) is self for test in failed):
            self.show_failure()
        for context in self.browser.contexts:
            context.close()
        self.assertEqual(self.problems, [])

    def start(self, *arguments, **options):
        """Starts a Studio that ends after the test.

        `tearDown` closes the pages before, because requests to a Studio that ends fail, in ways
        that depend on how far they are.
        """
        studio = Studio(str(binaries / "realm-studio"), *arguments, **options)
        self.addCleanup(studio.end)
        return studio

    # What the page complains about fails the test, except what it provokes itself.
    def open(self, studio=None, hash="", width=1280, height=800, **options):
        studio = studio or self.studio
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, reduced_motion="reduce", **options)
        page = context.new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: self.note(message))
        page.goto(studio.address)
        if hash:
            page.goto(f"{studio.base}/{hash}")
        return page

    def note(self, message):
        # A status of 4xx is an answer that the page shows, and a stream ends with its Studio.
        expected = ["status of 4", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_REFUSED"]
        if message.type == "error" and not any(text in message.text for text in expected):
            self.problems.append(message.text)

    def show_failure(self):
        name = self.id().split(".")[-1]
        pages = [page for context in self.browser.contexts for page in context.pages]
        for number, page in enumerate(pages):
            page.screenshot(path=str(pictures / f"failed-{name}-{number}.png"))

    def picture(self, page, name, height=None):
        size = page.viewport_size
        clip = {"x": 0, "y": 0, "width": size["width"], "height": height or size["height"]}
        page.screenshot(path=str(pictures / f"{name}.png"), clip=clip)

    def cell(self, page, row, column):
        return page.locator(f"#cell-{row}-{column}")

    def column(self, page, name):
        headers = page.locator("#table .header .cell")
        expect(headers.filter(has_text=name).first).to_be_visible()
        return next(
            index for index in range(headers.count())
            if headers.nth(index).text_content().startswith(name))
