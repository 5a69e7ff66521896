#!/usr/bin/env python3
"""Tests scripts/style on a small package."""

import unittest

from package_checks import PackageCheckTests


class StyleTests(PackageCheckTests):
    script = "style"

    def setUp(self):
        super().setUp()
        self.write("Package.swift", "// A package.\n")

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
