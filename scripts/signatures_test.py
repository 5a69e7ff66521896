#!/usr/bin/env python3
"""Tests scripts/signatures on a small package, with one fault at a time."""

import unittest

from package_checks import PackageCheckTests


class SignaturesTests(PackageCheckTests):
    script = "signatures"

    def check(self, text, *messages, path="StorageEngine/New/File.swift"):
        self.write(f"Sources/{path}", text)
        self.expect(*messages)

    # MARK: Errors

    def test_functions_and_closures_with_a_type_of_errors_pass(self):
        self.check("func f<E>(_ body: () throws(E) -> Int) throws(E) -> Int { try body() }\n"
                   "let a = { (x: Int) throws(StorageError) in x }\n")

    def test_a_function_without_a_type_of_errors_is_reported(self):
        self.check("\nfunc f(\n    _ x: Int\n) throws -> Int { x }\n",
                   "Sources/StorageEngine/New/File.swift:4: `throws` does not say")

    def test_a_closure_and_a_getter_without_a_type_of_errors_are_reported(self):
        self.check("let a: () throws -> Int = { 1 }\nvar b: Int { get throws { 1 } }\n",
                   "File.swift:1: `throws`", "File.swift:2: `throws`")

    def test_rethrows_is_reported(self):
        self.check("func f(_ b: () throws(E) -> Void) rethrows { try b() }\n",
                   "File.swift:1: `rethrows`")

    def test_words_in_comments_and_strings_are_none(self):
        self.check('/// It throws what it throws.\nlet a = "throws" /* rethrows */\n')

    def test_other_modules_may_throw_any_error(self):
        self.check("func f() throws {}\n", path="RealmSwift/New/File.swift")

    # MARK: Labels

    def test_two_parameters_need_no_label(self):
        self.check("func f(_ a: Int, _ b: (Int, Int)) {}\n")

    def test_a_third_parameter_without_a_label_is_reported(self):
        for place in ("StorageEngine", "RealmSwift"):
            with self.subTest(place):
                self.setUp()
                self.check("func f(\n    _ a: Int, _ b: [Int: Int], _ c: Int\n) {}\n",
                           "File.swift:1: f has an unlabelled parameter after the second",
                           path=f"{place}/New/File.swift")

    def test_a_third_parameter_with_a_label_passes(self):
        self.check("func f<A, B>(_ a: A, _ b: B, at c: Int, row: Int) where A: B {}\n")

    def test_a_fourth_parameter_without_a_label_is_reported(self):
        self.check("func f(_ a: Int, _ b: Int, at c: Int, _ d: Int) {}\n", ":1: f has")

    def test_closures_at_the_end_need_no_label(self):
        self.check("func f(_ a: Int, _ b: Int, _ c: @escaping (Int) -> Int) {}\n"
                   "func g(_ a: Int, _ b: Int, _ c: (Int) -> Int, _ d: () -> Void) {}\n")

    def test_a_closure_before_another_parameter_needs_a_label(self):
        self.check("func f(_ a: Int, _ b: Int, _ c: (Int) -> Int, at d: Int) {}\n", ":1: f has")

    def test_initializers_count_and_calls_of_them_do_not(self):
        self.check("struct S {\n    public init?(_ a: Int, _ b: Int, _ c: Int) {}\n"
                   "    init(a: Int) { self.init(a, _b, _c) }\n}\n", ":2: init has")

    def test_subscripts_have_a_label_only_if_they_say_so(self):
        self.check("subscript(a: Int, b: Int, c c: Int) -> Int { 1 }\n"
                   "subscript(a: Int, b: Int, c: Int) -> Int { 1 }\n", ":2: subscript has")

    def test_operators_count_by_their_parameters(self):
        self.check("static func < (a: Self, b: Self) -> Bool { true }\n"
                   "static func &+ <A>(a: A, b: A) -> A { a }\n")


if __name__ == "__main__":
    unittest.main()
