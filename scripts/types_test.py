#!/usr/bin/env python3
"""Tests scripts/types on a small package that is compiled for it, with one fault at a time."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "types"
LIST = """
## What a property type touches

| file | of | what |
| --- | --- | --- |
| `StorageEngine/ValueType.swift` | every | the table |
| `StorageEngine/Sum.swift` | number | addition |

## Another section

| `StorageEngine/Other.swift` | every | nothing |
"""
TYPES = """
enum ValueType { case int, uuid, objectID, decimal128, mixed }
enum MixedValue {
    enum Kind { case number }
    enum Number { case integer }
    case null, int(Int), uuid(Int), list([Int])
}
enum PropertyType { case int }
enum AnyRealmValue { case int }
struct ValueTraits {
    enum Order { case bytes }
    enum Family { case number, text }
}
extension ValueTraits {
    enum Addition { case none }
    enum Reference { case none }
}
extension ValueType {
    var name: String {
        switch self {
        case .int: "int"
        case .uuid: "uuid"
        case .objectID: "object id"
        case .decimal128: "decimal128"
        case .mixed: "mixed"
        }
    }
}
"""
FILES = {
    "ValueType.swift": TYPES,
    "Sum.swift": "func adds(_ type: ValueType) -> Bool { type == .decimal128 }\n",
    "UUID+Own.swift": "let own = ValueType.uuid\n",
    "Other.swift": """
        /// Not a UUID, and no object id.
        func other(_ number: Int, _ value: MixedValue) -> Int {
            switch number {
            case 1: break
            default: return 0 // a uuid
            }
            switch value {
            case .list(let list): return list.count
            default: return 1
            }
        }
        """,
}


class TypesTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="types-test-")
        self.addCleanup(folder.cleanup)
        self.package = Path(folder.name).resolve() / "package"

    def make(self, files, document=LIST):
        """Writes and compiles the package."""
        sources = {f"Sources/StorageEngine/{name}": text for name, text in files.items()}
        for name, text in ({"docs/design.md": document} | sources).items():
            path = self.package / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        sources = sorted((self.package / "Sources" / "StorageEngine").glob("*.swift"))
        output = self.package / "build"
        output.mkdir()
        subprocess.run(
            ["swiftc", "-c", "-parse-as-library", "-module-name", "StorageEngine",
             "-index-store-path", str(self.package / "index"), *map(str, sources)],
            cwd=output, check=True)

    def expect(self, *messages):
        """Expects exactly one line for each message, and the exit code that goes with them."""
        result = subprocess.run(
            [sys.executable, str(SCRIPT), "--package", str(self.package), "--index",
             str(self.package / "index")], capture_output=True, text=True)
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), len(messages), result.stderr)
        for message in messages:
            self.assertTrue(any(message in line for line in lines), result.stderr)
        self.assertEqual(result.returncode, 1 if messages else 0)

    # MARK: The list

    def test_the_listed_files_and_those_of_the_type_may_name_it(self):
        self.make(FILES)
        self.expect()

    def test_a_file_that_names_a_type_must_be_listed(self):
        self.make(FILES | {"Planted.swift": "let planted = ValueType.objectID\n"})
        self.expect(
            "Sources/StorageEngine/Planted.swift:1: this file names ObjectId, and \"What a "
            "property type touches\" does not list it")

    def test_a_name_in_a_string_counts(self):
        self.make(FILES | {"Planted.swift": "let planted = \"a 'uuid' // property\"\n"})
        self.expect("Planted.swift:1: this file names UUID")

    def test_a_number_may_also_touch_the_files_of_numbers_and_no_more(self):
        self.make(FILES | {"Planted.swift": "let planted = ValueType.decimal128\n"})
        self.expect("Planted.swift:1: this file names Decimal128")

    def test_a_listed_file_must_name_every_type(self):
        self.make(FILES | {"Planted.swift": "let planted = [ValueType.uuid, .decimal128]\n"},
                  LIST.replace("| `StorageEngine/Sum", "| `StorageEngine/Planted.swift` | every | "
                               "something |\n| `StorageEngine/Sum"))
        self.expect("lists `StorageEngine/Planted.swift`, which does not name ObjectId")

    def test_a_document_without_the_list_is_reported(self):
        self.make(FILES, "## Another section\n")
        self.expect("docs/design.md:1: there is no list")

    # MARK: Switches

    def plant(self, body):
        self.make(FILES | {"Planted.swift": f"func planted(_ type: ValueType, _ value: MixedValue, "
                                            f"_ name: String) -> Int {{\n    switch {body}\n    }}\n}}\n"})

    def test_a_default_in_a_switch_over_types_is_reported(self):
        self.plant("type {\n    case .int: return 1\n    default: return 0")
        self.expect(
            "Planted.swift:4: this switch over ValueType takes all other types for one thing")

    def test_a_type_in_a_condition_of_another_pattern_is_none(self):
        self.plant("name.count {\n    case 1 where type == .int, 2: return 1\n"
                   "    default: return 0")
        self.expect()

    def test_a_default_behind_pairs_of_a_type_and_a_value_is_reported(self):
        self.plant("(type, value) {\n    case (.mixed, .int(let x)): return x\n"
                   "    default: return 0")
        self.expect("Planted.swift:4: this switch over MixedValue, ValueType takes")

    def test_a_pattern_that_everything_matches_is_reported(self):
        for pattern in ("_", "let name", "(_)"):
            with self.subTest(pattern):
                self.setUp()
                self.plant(f"type {{\n    case .int: return 1\n"
                           f"    case {pattern}: return \"\\(name)\".count")
                self.expect("Planted.swift:4: this switch over ValueType takes")

    def test_a_default_in_a_switch_over_a_trait_is_reported(self):
        self.make(FILES | {"Planted.swift": """
            func planted(_ family: ValueTraits.Family) -> Bool {
                switch family {
                case .text: true
                default: false
                }
            }
            """})
        self.expect("Planted.swift:5: this switch over ValueTraits.Family takes")

    def test_an_enumeration_that_is_gone_is_reported(self):
        self.make(FILES | {"ValueType.swift": TYPES.replace("enum Addition", "enum Sum")})
        self.expect("there is no enumeration ValueTraits.Addition")

    def test_a_default_in_a_switch_over_mixed_values_of_types_is_reported(self):
        self.plant("value {\n    case .int(let x): return x\n    default: return 0")
        self.expect("Planted.swift:4: this switch over MixedValue takes")

    def test_a_switch_inside_of_another_one_counts_for_itself(self):
        self.plant(
            "name.count {\n    case 1:\n        switch type {\n        case .int, .mixed: return 1\n"
            "        case .objectID, ValueType.decimal128: return 2\n"
            "        case _ where name.isEmpty: return 3\n"
            "        default: return \"\\(\"{ default:\")\".count\n"
            "        }\n    default: return 0")
        # Every name of the type is reported too, because the file is not listed.
        self.expect("Planted.swift:8: this switch over ValueType", "names ObjectId",
                    "names Decimal128")


if __name__ == "__main__":
    unittest.main()
