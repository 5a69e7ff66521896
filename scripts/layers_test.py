#!/usr/bin/env python3
"""Tests scripts/layers on small packages that are compiled for it, each with one fault."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "layers"
ORDER = "Tiny\n    Low\n    Middle Beside\n    High\n"
FILES = {
    "Low/Number.swift": "struct Number { var value = 0 }\n",
    "Middle/Pair.swift": "struct Pair { var first = Number() }\nfunc help() { beside() }\n",
    "Beside/Beside.swift": "func beside() { help() }\n",
    "High/Sum.swift": "func sum(_ pair: Pair) -> Int { pair.first.value }\n",
}


class LayerTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="layers-test-")
        self.addCleanup(folder.cleanup)
        self.package = Path(folder.name).resolve() / "package"
        self.index = self.package / "index"
        self.write("Package.swift", "// A package.\n")

    def write(self, path, text):
        path = self.package / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def make(self, files, order=ORDER, module="Tiny"):
        """Writes and compiles a module, with an index beside it."""
        self.write("Sources/layers.txt", order)
        for path, text in files.items():
            self.write(f"Sources/{module}/{path}", text)
        self.compile(module)

    def compile(self, module="Tiny", build="build"):
        output = self.package / build
        output.mkdir(exist_ok=True)
        sources = sorted((self.package / "Sources" / module).rglob("*.swift"))
        subprocess.run(
            ["swiftc", "-c", "-emit-module", "-module-name", module, "-I", str(output),
             "-index-store-path", str(self.index), *map(str, sources)],
            cwd=output, check=True)

    def run_script(self, *arguments):
        return subprocess.run(
            [sys.executable, str(SCRIPT), "--package", str(self.package), "--index",
             str(self.index), *arguments],
            capture_output=True, text=True)

    def expect(self, *messages):
        """Expects exactly one line for each message, and the exit code that goes with them."""
        result = self.run_script()
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), len(messages), result.stderr)
        for message in messages:
            self.assertTrue(any(message in line for line in lines), result.stderr)
        self.assertEqual(result.returncode, 1 if messages else 0)
        return result.stdout

    # MARK: References

    def test_references_downwards_and_beside_are_accepted(self):
        self.make(FILES)
        self.assertIn(
            "Tiny: 4 files, 3 layers, 0 references upwards, largest cycle of 2 files",
            self.expect())

    def test_a_reference_upwards_is_reported_with_its_place(self):
        self.make(FILES | {"Low/Planted.swift": "\nlet planted = sum(Pair())\n"})
        output = self.expect(
            "Sources/Tiny/Low/Planted.swift:2:15: sum(_:) is of High, a layer above Low",
            "Sources/Tiny/Low/Planted.swift:2:19: Pair is of Middle, a layer above Low")
        self.assertIn("2 references upwards", output)

    def test_a_member_that_an_extension_adds_in_a_higher_layer_is_reported(self):
        self.make(FILES | {
            "High/Number+Half.swift": "extension Number { var half: Int { value / 2 } }\n",
            "Low/Planted.swift": "let planted = Number().half\n"})
        self.expect("Sources/Tiny/Low/Planted.swift:1:24: half is of High")

    def test_a_cycle_that_is_longer_than_allowed_is_reported(self):
        self.make(FILES, ORDER.replace("Tiny", "Tiny, cycles of at most 1 files"))
        self.expect("a cycle has 2 files; 1 are allowed")
        self.assertIn("Beside/Beside.swift", self.run_script("--list-cycles").stdout)

    # MARK: The order

    def test_a_file_outside_of_all_declared_folders_is_reported(self):
        self.make(FILES | {"Stray/Stray.swift": "let stray = 1\n", "Root.swift": "let root = 1\n"})
        self.expect(
            "Sources/Tiny/Stray/Stray.swift:1: this file is in no folder that has a layer",
            "Sources/Tiny/Root.swift:1: this file is in no folder that has a layer")

    def test_a_folder_inside_a_declared_one_belongs_to_it_unless_declared_itself(self):
        inner = {"Low/Inner/Inner.swift": "let inner = sum(Pair())\n"}
        self.make(FILES | inner)
        self.expect("sum(_:) is of High, a layer above Low", "Pair is of Middle, a layer above Low")
        self.make(FILES | inner, ORDER + "    Low/Inner\n")
        self.expect()

    def test_a_declared_folder_without_files_is_reported(self):
        self.make(FILES, ORDER + "    Gone\n")
        self.expect("Sources/Tiny/Gone:1: this layer has no file")

    def test_a_module_with_folders_and_without_an_order_is_reported(self):
        self.make(FILES)
        self.write("Sources/Plain/Plain.swift", "let plain = 1\n")
        self.write("Sources/Parts/Part/Part.swift", "let part = 1\n")
        self.expect("Sources/Parts:1: layers.txt declares no order")

    def test_an_order_that_contradicts_itself_ends_with_2(self):
        for order in (ORDER + "    Low\n", "    Low\n", "Tiny and more\n"):
            self.make(FILES, order)
            self.assertEqual(self.run_script().returncode, 2, order)

    # MARK: The index

    def test_a_file_that_moved_has_only_its_new_place(self):
        self.make(FILES | {"Low/Planted.swift": "let planted = sum(Pair())\n"})
        (self.package / "Sources/Tiny/Low/Planted.swift").rename(
            self.package / "Sources/Tiny/High/Planted.swift")
        self.compile()
        self.expect()

    def test_of_several_units_of_a_file_the_newest_counts(self):
        self.make(FILES | {"Low/Planted.swift": "let planted = sum(Pair())\n"})
        self.write("Sources/Tiny/Low/Planted.swift", "let planted = 1\n")
        self.compile(build="another")
        self.expect()

    def test_files_that_the_index_does_not_know_as_they_are_are_reported(self):
        self.make(FILES)
        self.write("Sources/Tiny/Low/New.swift", "let new = 1\n")
        changed = self.package / "Sources/Tiny/Low/Number.swift"
        os.utime(changed, ns=(changed.stat().st_mtime_ns + 10**11,) * 2)
        self.expect(
            "Sources/Tiny/Low/New.swift:1: the index does not have this file",
            "Sources/Tiny/Low/Number.swift:1: the index is older than this file")

    def test_without_an_index_the_script_ends_with_2(self):
        self.make(FILES)
        result = subprocess.run(
            [sys.executable, str(SCRIPT), "--package", str(self.package)],
            capture_output=True, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("build first", result.stderr)

    # MARK: The seam

    def make_seam(self, listed):
        order = "StorageEngine\n    Low\nRealmSwift\n    High\n"
        engine = (
            "public struct Table { public struct Row { public init() {} } }\n"
            "public struct Unused {}\n"
            "extension Int { public var doubled: Int { self * 2 } }\n"
            "extension Table { public static var first: Int { 1 } }\n")
        user = "import StorageEngine\nlet row = (Table.Row(), Table.first, 1.doubled)\n"
        self.make({"Low/Table.swift": engine}, order, "StorageEngine")
        self.make({"High/User.swift": user}, order, "RealmSwift")
        rows = "".join(f"| `Low` | {name} |\n" for name in listed)
        self.write(
            "docs/design.md",
            f"## The seam\n\n| folder | types |\n| --- | --- |\n{rows}\n## Other\n\n| `A` | `B` |\n")

    def test_a_seam_that_the_document_lists_is_accepted(self):
        self.make_seam(["`Table`, `doubled`"])
        self.expect()
        self.assertEqual(self.run_script("--list-seam").stdout, "Low: Table, doubled\n")

    def test_a_type_that_the_document_lacks_or_has_too_many_is_reported(self):
        self.make_seam(["`doubled`", "`Unused`"])
        self.expect(
            "RealmSwift uses `Table` of StorageEngine, which \"The seam\" does not list",
            "\"The seam\" lists `Unused`, which RealmSwift does not use")


if __name__ == "__main__":
    unittest.main()
