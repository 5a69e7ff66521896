import Foundation
import RealmSwift
import Testing

@Suite struct Decimal128Tests {
    @Test(arguments: [
        ("1", "1"), ("-12.50", "-12.50"), ("1e10", "1E+10"), ("0.000001", "0.000001"),
        ("1E-7", "1E-7"), ("inf", "Inf"), ("-inf", "-Inf"), ("nan", "NaN"),
        ("9999999999999999999999999999999999", "9999999999999999999999999999999999"),
        ("12345678901234567890123456789012345", "1.234567890123456789012345678901234E+34"),
    ])
    func readsAndWritesText(_ text: String, _ written: String) throws {
        let number = try Decimal128(string: text)
        #expect(number.stringValue == written)
        #expect(number.stringValue == written)
        #expect(try Decimal128(string: written) == number)
    }

    @Test(arguments: ["", "a", "1.2.3", "0x10", "1e"])
    func textThatIsNoNumberThrows(_ text: String) {
        #expect(throws: Realm.Error(.invalidInput)) { try Decimal128(string: text) }
    }

    @Test func literalsStandForTheirDecimalText() {
        let integer: Decimal128 = 12
        let float: Decimal128 = 0.1
        let string: Decimal128 = "0.10"
        #expect(integer.stringValue == "12")
        #expect(float.stringValue == "0.1")
        #expect(string.stringValue == "0.10" && string == float)
    }

    @Test func initializersTakeNumbersAndStrings() {
        #expect(Decimal128() == 0)
        #expect(Decimal128(value: 3) == 3 && Decimal128(value: "2.5") == 2.5)
        #expect(Decimal128(value: Decimal128(4)) == 4)
        #expect(Decimal128(number: NSNumber(value: Float(0.1))).stringValue == "0.1")
        #expect(Decimal128(number: NSNumber(value: Int64.min)).stringValue == "\(Int64.min)")
        #expect(Decimal128(number: NSDecimalNumber(string: "1.25")) == 1.25)
        #expect(Decimal128(exactly: UInt64.max)?.stringValue == "\(UInt64.max)")
        #expect(Decimal128(exactly: Int128.max) == nil)
        #expect(Decimal128(exactly: -10)?.stringValue == "-10")
    }

    @Test func equalityIgnoresTrailingZeros() {
        let (a, b): (Decimal128, Decimal128) = ("1.0", "1.000")
        #expect(a == b && a.hashValue == b.hashValue && a.stringValue != b.stringValue)
    }

    @Test func ordersByValueAndNaNFirst() throws {
        let ascending: [Decimal128] = [
            "NaN", "-inf", Decimal128.min, -2, "-1E-6176", 0, "1E-6176", "0.1", 1, 10, .max, "inf",
        ]
        for (smaller, larger) in zip(ascending, ascending.dropFirst()) {
            #expect(smaller < larger && larger > smaller && smaller <= larger)
            #expect(smaller != larger && !(larger < smaller))
        }
        #expect(Decimal128("nan") == Decimal128("NaN"))
    }

    @Test func signAndMagnitude() {
        var number: Decimal128 = 2.5
        number.negate()
        #expect(number == -2.5 && number.magnitude == 2.5 && (-number) == 2.5)
        #expect(!number.isSignaling && !number.isSignalingNaN)
        #expect(Decimal128("nan").isNaN)
        #expect(Decimal128.min == -Decimal128.max)
        #expect(Decimal128.max.stringValue == "9.999999999999999999999999999999999E+6144")
    }

    @Test func stridesLikeOtherNumbers() {
        let start: Decimal128 = 1
        #expect(start.distance(to: 3.5) == 2.5)
        #expect(start.advanced(by: 0.1) == 1.1)
        let steps = Array(stride(from: Decimal128(0), to: 0.3, by: 0.1))
        #expect(steps == [0, "0.1", "0.2"])
    }

    @Test func convertsToDouble() {
        #expect(Decimal128("0.1").doubleValue == 0.1)
        #expect(Decimal128("-1E+400").doubleValue == -.infinity)
        #expect(Decimal128("nan").doubleValue.isNaN)
    }

    /// Documented: "Codable (encodes as string; decodes string/int/double)".
    @Test func encodesAsStringAndDecodesNumbersToo() throws {
        let data = try JSONEncoder().encode([Decimal128("12.340"), 5])
        #expect(String(decoding: data, as: UTF8.self) == #"["12.340","5"]"#)
        let read = try JSONDecoder().decode(
            [Decimal128].self, from: Data(#"["12.340", 5, 1.5]"#.utf8))
        #expect(read.map(\.stringValue) == ["12.340", "5", "1.5"])
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode([Decimal128].self, from: Data(#"["x"]"#.utf8))
        }
    }
}

/// Tests against the results of Python's `decimal` with 34 digits and half-even rounding.
@Suite struct Decimal128ArithmeticTests {
    @Test(arguments: decimalVectors)
    func agreesWithAnotherImplementation(_ vector: DecimalVector) throws {
        let a = try Decimal128(string: vector.left)
        let b = try Decimal128(string: vector.right)
        #expect((a + b).stringValue == vector.sum)
        #expect((a - b).stringValue == vector.difference)
        #expect((a * b).stringValue == vector.product)
        #expect((a / b).stringValue == vector.quotient)
    }

    @Test func infinityAndNaNFollowTheStandard() {
        let (infinity, zero): (Decimal128, Decimal128) = ("inf", 0)
        #expect((infinity - infinity).isNaN && (infinity * zero).isNaN)
        #expect((zero / zero).isNaN && (infinity / infinity).isNaN)
        #expect(infinity + 1 == infinity && 1 / zero == infinity && -1 / zero == -infinity)
        #expect(1 / infinity == 0 && Decimal128.max * 10 == infinity)
        #expect((Decimal128("NaN") + 1).isNaN)
    }

    @Test func roundsOnceWhereDigitsRunOut() {
        let third = Decimal128(1) / 3
        #expect(third.stringValue == "0." + String(repeating: "3", count: 34))
        #expect((Decimal128(2) / 3).stringValue == "0." + String(repeating: "6", count: 33) + "7")
        // Half of the smallest number rounds to 0, one and a half to 2.
        let smallest: Decimal128 = "1E-6176"
        #expect(smallest * 0.5 == 0)
        #expect((smallest * 1.5).stringValue == "2E-6176")
        #expect(
            (Decimal128("9999999999999999999999999999999999") + 0.5).stringValue
                == "1.000000000000000000000000000000000E+34")
    }

    @Test func assignmentOperators() {
        var number: Decimal128 = 10
        number += 1
        number -= 3
        number *= 3
        number /= 4
        #expect(number == 6)
    }
}
