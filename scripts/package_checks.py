"""What the tests of scripts share that check a package."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path


class PackageCheckTests(unittest.TestCase):
    """Runs `script` on a small package in a folder of its own."""

    script = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix=f"{self.script}-test-")
        self.addCleanup(folder.cleanup)
        self.package = Path(folder.name).resolve()

    def write(self, path, text):
        file = self.package / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def expect(self, *messages):
        """Expects exactly one line for each message, and the exit code that goes with them."""
        path = Path(__file__).resolve().parent / self.script
        result = subprocess.run(
            [sys.executable, str(path), "--package", str(self.package)],
            capture_output=True, text=True)
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), len(messages), result.stderr)
        for message, line in zip(messages, lines):
            self.assertIn(message, line)
        self.assertEqual(result.returncode, 1 if messages else 0)
