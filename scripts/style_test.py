#!/usr/bin/env python3
"""Tests scripts/style on a small package."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "style"


class StyleTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="style-test-")
        self.addCleanup(folder.cleanup)
        self.package = Path(folder.name).resolve()
        self.write("Package.swift", "// A package.\n")

    def write(self, path, text):
        file = self.package / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def expect(self, *messages):
        """Expects exactly one line for each message, and the exit code that goes with them."""
        result = subprocess.run(
            [sys.executable, str(SCRIPT), "--package", str(self.package)],
            capture_output=True, text=True)
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), len(messages), result.stderr)
        for message, line in zip(messages, lines):
            self.assertIn(message, line)
        self.assertEqual(result.returncode, 1 if messages else 0)

    def test_a_line_of_code_of_more_than_100_columns_is_reported(self):
        self.write("Sources/C/long.c", "// " + "x" * 98 + "\n")
        self.write("Tests/Long.swift", "// short\n// " + "é" * 98 + "\n// " + "é" * 97 + "\n")
        self.write("Tests/.build/Skipped.swift", "// " + "x" * 98 + "\n")
        self.expect(
            "Sources/C/long.c:1: this line has 101 columns; 100 are allowed",
            "Tests/Long.swift:2: this line has 101 columns; 100 are allowed")

    def test_a_line_of_a_document_of_more_than_120_columns_is_reported(self):
        self.write("README.md", "x" * 120 + "\n" + "x" * 121 + "\n")
        self.write("docs/guide/page.md", "| " + "x" * 121 + "\n> | " + "x" * 121 + "\n")
        self.expect("README.md:2: this line has 121 columns; 120 are allowed")

    def test_a_file_in_another_form_is_reported(self):
        self.write("Sources/Tiny/Tiny.swift", "let  tiny = 1\n")
        self.expect("Tiny.swift:1:4: error: [Spacing]")


if __name__ == "__main__":
    unittest.main()
