import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct CSVTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("a,b", "\"a,b\""), ("say \"so\"", "\"say \"\"so\"\"\""),
        ("two\nlines", "\"two\nlines\""), ("carriage\rreturn", "\"carriage\rreturn\""),
        ("crlf\r\n", "\"crlf\r\n\""), (" spaces ", " spaces "),
    ])
    func quotesOnlyWhereNeeded(field: String, expected: String) {
        #expect(CSV.quoted(field) == expected)
    }

    @Test func recordsEndWithCRLF() {
        #expect(CSV.line(["a", "b,c", ""]) == "a,\"b,c\",\r\n")
    }

    @Test func whatIsWrittenIsReadBack() throws {
        let alphabet: [Character] = ["a", "é", ",", "\"", "\n", "\r", " ", "1"]
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            let records = (0..<generator.next(below: 4) + 1).map { _ in
                (0..<generator.next(below: 4) + 1).map { _ in
                    String(
                        (0..<generator.next(below: 6)).map { _ in
                            alphabet[generator.next(below: alphabet.count)]
                        })
                }
            }
            let text = records.map(CSV.line).joined()
            #expect(try CSV.parse(text).map(\.fields) == records)
        }
    }

    @Test func acceptsLineFeedsAndAMissingLastBreak() throws {
        let records = try CSV.parse("a,b\nc,d")
        #expect(
            records == [
                CSV.Record(line: 1, fields: ["a", "b"]), CSV.Record(line: 2, fields: ["c", "d"]),
            ])
    }

    @Test func linesAreCountedAcrossQuotedBreaks() throws {
        let records = try CSV.parse("\"a\nb\"\nc\n")
        #expect(records.map(\.line) == [1, 3])
    }

    @Test(arguments: ["a\"b", "\"open", "\"closed\"text"])
    func refusesBrokenQuoting(text: String) {
        #expect(throws: CSV.SyntaxError.self) { try CSV.parse(text) }
    }

    @Test func onlyTheLastRowOfATableMayBeTruncated() throws {
        let rows = try CSVRow.rows(in: "a,b\r\n1,2\r\n3", path: "t.csv")
        #expect(rows == [CSVRow(["a": "1", "b": "2"])])
        #expect(rows[0].number("b") == 2 && rows[0]["c"].isEmpty && !rows[0].hasColumn("c"))
        for text in ["a,b\r\n1\r\n2,3\r\n", "a,b\r\n1,2,3\r\n", "", "a\r\n\"1"] {
            let error = #expect(throws: BenchmarkError.self) {
                try CSVRow.rows(in: text, path: "t.csv")
            }
            #expect(error?.code == .usage && error?.message.contains("t.csv") == true)
        }
    }
}
