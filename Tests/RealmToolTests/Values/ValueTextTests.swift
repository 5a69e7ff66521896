import Foundation
import Testing
import ToolSupport

@testable import RealmTool

@Suite struct ValueTextTests {
    private func text(_ body: (ByteOutput) -> Void) -> String {
        let output = ByteOutput()
        body(output)
        return output.takeText()
    }

    private func bytes<Result>(
        _ text: String, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try Array(text.utf8).withUnsafeBytes(body)
    }

    @Test(arguments: [
        (0, "2001-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00.500Z"),
        (-0.25, "2000-12-31T23:59:59.750Z"), (785_880_900, "2025-11-26T20:15:00Z"),
        (-63_113_904_000, "0001-01-01T00:00:00Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
        (5_097_600, "2001-03-01T00:00:00Z"), (94_694_399.999999, "2004-01-01T23:59:59.999999Z"),
    ])
    func datesAreWrittenInUniversalTime(seconds: Double, expected: String) {
        #expect(text { DateText.append(seconds, to: $0) } == expected)
        #expect(bytes(expected) { DateText.parse($0) } == seconds)
    }

    @Test func everyDateComesBackExactly() {
        var generator = SeededGenerator(seed: 11)
        var dates: [Double] = [
            -0.0, 1e-20, -1e-20, .leastNonzeroMagnitude, .infinity, -.infinity, 1e300, 0.1, -0.1,
            252_423_993_599.999,
        ]
        for _ in 0..<20_000 {
            let magnitude = Double(generator.next(below: 1 << 38)) * generator.nextUnit()
            dates.append(generator.next(below: 2) == 0 ? magnitude : -magnitude)
            dates.append(7.8e8 + Double(generator.next(below: 1 << 40)) / 1e6)
        }
        for date in dates {
            let written = text { DateText.append(date, to: $0) }
            let read = bytes(written) { DateText.parse($0) }
            #expect(read?.bitPattern == date.bitPattern, "\(written)")
        }
    }

    /// The calendar agrees with that of Foundation.
    @Test func datesAgreeWithFoundation() {
        var generator = SeededGenerator(seed: 12)
        let format = Date.ISO8601FormatStyle()
        for _ in 0..<2000 {
            let seconds = Double(generator.next(below: 200_000_000_000)) - 50_000_000_000
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            // Before the reform of 1582 Foundation may count in another calendar.
            if seconds < -13_200_000_000 { continue }
            #expect(text { DateText.append(seconds, to: $0) } == date.formatted(format))
        }
    }

    /// The short way for numbers with few digits gives the text that Swift gives.
    @Test func numbersAreWrittenAsSwiftWritesThem() {
        var generator = SeededGenerator(seed: 13)
        var numbers = [0.0, -0.0, 0.00004, 0.00005, 99_999_999_999.9999, 1e11, 0.1 + 0.2, 1e-300]
        for _ in 0..<20_000 {
            let digits = Double(generator.next(below: 1 << (1 + generator.next(below: 49))))
            let power = [1.0, 10, 100, 1000, 1e4, 1e5, 1e6][generator.next(below: 7)]
            numbers.append(generator.next(below: 2) == 0 ? digits / power : -digits / power)
            numbers.append((digits / power).nextUp)
        }
        for number in numbers {
            #expect(text { NumberText.append(number, to: $0) } == number.description)
        }
    }

    @Test(arguments: [
        ("2001-01-01", 0), ("2001-01-01T00:00", 0), ("2001-01-01 00:00:01", 1),
        ("2001-01-01T01:00:00+01:00", 0), ("2001-01-01T00:00:00-0030", 1800),
        ("2001-01-01T00:00:00.25", 0.25), ("2001-01-01t00:00:00,5z", 0.5), ("@12.5", 12.5),
        ("2004-02-29", 99_705_600),
    ])
    func manyFormsOfDatesAreRead(written: String, seconds: Double) {
        #expect(bytes(written) { DateText.parse($0) } == seconds)
    }

    @Test(arguments: [
        "", "2001", "2001-13-01", "2001-02-29", "2001-01-01T", "2001-01-01T24:00",
        "2001-01-01T00:60", "2001-01-01T00:00:00.", "2001-01-01T00:00:00X", "01.02.2001", "@",
        "2001-01-01T00:00:00+1", "2001-01-01T00:00:00Z ", "0000-00-00",
    ])
    func otherTextsAreNoDates(written: String) {
        #expect(bytes(written) { DateText.parse($0) } == nil)
    }

    @Test func everyNumberComesBackExactly() {
        var generator = SeededGenerator(seed: 13)
        var numbers: [Double] = [
            0, -0.0, 1, -1, 0.1, 1e22, 1e23, 123456789012345680, .leastNonzeroMagnitude,
            1.7976931348623157e308,
            .infinity, -.infinity, 9007199254740992, 1e15, 1e16,
        ]
        for _ in 0..<20_000 {
            numbers.append(Double(bitPattern: generator.next()))
            numbers.append((generator.nextUnit() * 1e6).rounded() / 1000)
        }
        for number in numbers where !number.isNaN {
            let written = text { NumberText.append(number, to: $0) }
            #expect(bytes(written) { NumberText.double($0) }?.bitPattern == number.bitPattern)
            let narrow = Float(number)
            let writtenFloat = text { NumberText.append(narrow, to: $0) }
            #expect(bytes(writtenFloat) { NumberText.float($0) }?.bitPattern == narrow.bitPattern)
        }
        #expect(text { NumberText.append(Double.nan, to: $0) } == "nan")
        #expect(bytes("NaN") { NumberText.double($0) }?.isNaN == true)
    }

    /// Short decimals take another way than the C library, which must not show.
    @Test func decimalsAreReadAsTheCLibraryReadsThem() {
        var generator = SeededGenerator(seed: 14)
        for _ in 0..<20_000 {
            let digits = String(generator.next(below: 1 << (1 + generator.next(below: 60))))
            let exponent = generator.next(below: 60) - 30
            let written = "\(digits)e\(exponent)"
            #expect(bytes(written) { NumberText.double($0) } == strtod(written, nil), "\(written)")
            #expect(bytes(written) { NumberText.float($0) } == strtof(written, nil), "\(written)")
        }
    }

    @Test(arguments: ["", "-", "1x", "0x10", "1e", "1e5.0", "1.2.3", " 1", "nan(1)", "++1", "e5"])
    func otherTextsAreNoNumbers(written: String) {
        #expect(bytes(written) { NumberText.double($0) } == nil)
        #expect(bytes(written) { NumberText.float($0) } == nil)
        #expect(bytes(written) { NumberText.integer($0) } == nil)
    }

    @Test func integersHaveSixtyFourBits() {
        for number in [Int64.min, .max, 0, -1, 7] {
            let written = text { $0.append(decimal: number) }
            #expect(written == String(number))
            #expect(bytes(written) { NumberText.integer($0) } == number)
        }
        #expect(bytes("9223372036854775808") { NumberText.integer($0) } == nil)
        #expect(bytes("-9223372036854775809") { NumberText.integer($0) } == nil)
        #expect(bytes("99999999999999999999999") { NumberText.integer($0) } == nil)
    }

    @Test func base64AgreesWithFoundation() {
        var generator = SeededGenerator(seed: 15)
        for count in 0..<200 {
            let data = Data((0..<count).map { _ in UInt8(generator.next(below: 256)) })
            let written = text { output in
                data.withUnsafeBytes { Base64Text.append($0, to: output) }
            }
            #expect(written == data.base64EncodedString())
            #expect(bytes(written) { Base64Text.decode($0) } == Array(data))
        }
        for text in ["A", "AAA", "AA=A", "A===", "AAAA=", "\u{E9}AAA"] {
            #expect(bytes(text) { Base64Text.decode($0) } == nil, "\(text)")
        }
    }

    @Test func identifiersComeBack() throws {
        let uuid = UUID()
        let words = try #require(bytes(uuid.uuidString) { HexText.uuid($0) })
        #expect(
            text { HexText.append(uuid: words.0, words.1, to: $0) } == uuid.uuidString.lowercased())
        let id = "0123456789abcdef01234567"
        let parts = try #require(bytes(id) { HexText.objectID($0) })
        #expect(text { HexText.append(objectID: parts.0, parts.1, to: $0) } == id)
        for text in ["", "1", uuid.uuidString + "0", "0123456789abcdef0123456g"] {
            #expect(bytes(text) { HexText.uuid($0) } == nil)
            #expect(bytes(text) { HexText.objectID($0) } == nil)
        }
    }

    @Test func jsonStringsAreWhatFoundationReads() throws {
        let texts = [
            "", "a\"\\/\n\r\t\u{0}\u{1F}\u{7F}", "漢字 é 🐕‍🦺", String(repeating: "x", count: 9000),
        ]
        for text in texts {
            let written = self.text { JSONText.append(string: text, to: $0) }
            let read = try JSONSerialization.jsonObject(
                with: Data(written.utf8), options: .fragmentsAllowed)
            #expect(read as? String == text)
        }
        let broken: [UInt8] = [0x61, 0xFF, 0xC3, 0x62, 0xED, 0xA0, 0x80]
        let written = self.text { output in
            broken.withUnsafeBytes { JSONText.append(string: $0, to: output) }
        }
        #expect(written.hasPrefix("\"a\u{FFFD}\u{FFFD}b\u{FFFD}"))
    }
}
