import Testing
import ToolSupport

@testable import StorageEngine

@Suite struct Decimal128Tests {
    private func decimal(_ text: String) throws -> Decimal128 { try #require(Decimal128(text)) }

    @Test func encodingsAreThoseOfTheStandard() throws {
        let cases: [(String, UInt64, UInt64)] = [
            ("0", 0x3040_0000_0000_0000, 0),
            ("1", 0x3040_0000_0000_0000, 1),
            ("-1", 0xB040_0000_0000_0000, 1),
            ("0.1", 0x303E_0000_0000_0000, 1),
            ("1E+3", 0x3046_0000_0000_0000, 1),
            (
                "9.999999999999999999999999999999999E+6144", 0x5FFF_ED09_BEAD_87C0,
                0x378D_8E63_FFFF_FFFF
            ),
            ("1E-6176", 0, 1),
            ("inf", 0x7800_0000_0000_0000, 0),
            ("-inf", 0xF800_0000_0000_0000, 0),
            ("NaN", 0x7C00_0000_0000_0000, 0),
        ]
        for (text, high, low) in cases {
            let value = try decimal(text)
            #expect(value.high == high && value.low == low, "\(text)")
        }
    }

    @Test(arguments: [
        "0", "-0", "1", "-12.50", "0.001", "0.000001", "1E-7", "1.5E-10", "1E+10", "12E+3",
        "1234567890123456789012345678901234", "-9.999999999999999999999999999999999E+6144",
        "1E-6176", "NaN", "Inf", "-Inf", "100.00", "0.00", "0E+5",
    ])
    func textReadsBackToTheSameEncoding(text: String) throws {
        let value = try decimal(text)
        let again = try decimal(value.description)
        #expect(value.low == again.low && value.high == again.high)
        if text == "12E+3" {
            #expect(value.description == "1.2E+4")
        } else {
            #expect(value.description == text)
        }
    }

    @Test(arguments: ["", "-", ".", "1e", "1e+", "x", "1.2.3", "1 ", "--1", "0x10", "1e5x", "∞"])
    func otherTextIsNoNumber(text: String) { #expect(Decimal128(text) == nil) }

    @Test func digitsBeyondThe34thAreRoundedHalfToEven() throws {
        let nines = String(repeating: "9", count: 34)
        #expect(try decimal(nines + "4") == decimal("9999999999999999999999999999999999E+1"))
        #expect(try decimal(nines + "5") == decimal("1E+35"))
        let even = String(repeating: "2", count: 34)
        #expect(try decimal(even + "5") == decimal(even + "E1"))
        #expect(
            try decimal(even + "50000000001") == decimal("2222222222222222222222222222222223E11"))
        let odd = String(repeating: "3", count: 34)
        #expect(try decimal(odd + "5") == decimal("3333333333333333333333333333333334E1"))
        #expect(try decimal("0." + String(repeating: "0", count: 50) + "1") == decimal("1E-51"))
    }

    @Test func numbersOutOfRangeBecomeInfiniteOrZero() throws {
        #expect(try decimal("1E+6145").isInfinite)
        #expect(try decimal("-1E+99999999999999999999") == decimal("-inf"))
        #expect(try decimal("1E-6177").isZero)
        #expect(try decimal("1E-99999999999999999999").isZero)
        #expect(try decimal("6E-6177") == decimal("1E-6176"))
        #expect(try decimal("5E-6177").isZero)
        #expect(try decimal("15E-6177") == decimal("2E-6176"))
        #expect(try decimal("1E+6144").description == "1.000000000000000000000000000000000E+6144")
    }

    @Test func coefficientsBeyondTheStandardCountAsZero() {
        #expect(Decimal128(low: .max, high: 0x3041_FFFF_FFFF_FFFF).isZero)
        #expect(Decimal128(low: 5, high: 0x6C10_0000_0000_0000).isZero)
        #expect(Decimal128(low: 5, high: 0x6C10_0000_0000_0000) == .zero)
    }

    @Test func numbersAscendByValueAndNaNComesFirst() throws {
        let ascending = [
            "NaN", "-inf", "-1E+6144", "-10", "-9.5", "-0.001", "-1E-6176", "0", "1E-6176",
            "0.0009", "0.001", "0.1", "0.10001", "1", "9.999999999999999999999999999999999", "10",
            "1E+10", "9999999999999999999999999999999999", "1E+34", "1E+6144", "inf",
        ]
        for (i, a) in ascending.enumerated() {
            for (j, b) in ascending.enumerated() {
                let order = Decimal128.compare(try decimal(a), try decimal(b))
                #expect(order.signum() == (i - j).signum(), "\(a) and \(b)")
            }
        }
    }

    @Test func trailingZerosAndSignsOfZeroMakeNoDifference() throws {
        let groups = [
            ["1", "1.0", "1.00", "10E-1", "1.000000000000000000000000000000000"],
            ["0", "-0", "0.00", "0E+6000", "0E-6176"],
            ["120", "1.2E+2", "12E1"], ["NaN", "-NaN"],
        ]
        for group in groups {
            let values = try group.map(decimal)
            #expect(Set(values).count == 1, "\(group)")
        }
    }

    @Test func doublesKeepTheirOrderAndAreTheirShortestText() throws {
        #expect(try Decimal128(0.1) == decimal("0.1"))
        #expect(try Decimal128(-2.5e-300) == decimal("-2.5E-300"))
        #expect(try Decimal128(0x1p62) == decimal("4611686018427387904"))
        #expect(try Decimal128(Double.infinity) == decimal("inf"))
        #expect(Decimal128(Double.nan).isNaN)
        #expect(Decimal128(-0.0).isZero)
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            let a = Double(bitPattern: random.next())
            let b = random.next(below: 2) == 0 ? a.nextUp : Double(bitPattern: random.next())
            if a.isNaN || b.isNaN { continue }
            #expect((a < b) == (Decimal128(a) < Decimal128(b)), "\(a) and \(b)")
        }
    }

    @Test func integersAreExact() {
        for value in [0, 1, -1, Int64.max, .min, 1 << 53 + 1] {
            #expect(Decimal128(value).description == "\(value)")
        }
    }
}
