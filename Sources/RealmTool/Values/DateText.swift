/// Dates as texts in ISO 8601, in universal time: `2026-11-26T20:15:00.5Z`.
///
/// The engine stores a date as seconds since 1 January 2001. A text with up to nine digits behind
/// the point gives back exactly the date that it was made of; a date for which there is no such
/// text is written as `@` and its seconds.
enum DateText {
    private static let secondsPerDay: Int64 = 86_400
    /// The days from 1 January 1970 to 1 January 2001.
    private static let firstDay: Int64 = 11_323
    /// The seconds of dates that have years of four digits.
    private static let range = -63_113_904_000.0..<252_423_993_600.0

    // MARK: Writing

    static func append(_ seconds: Double, to output: ByteOutput) {
        guard range.contains(seconds) else { return appendSeconds(seconds, to: output) }
        // Not the negative zero, of which no text with a date has the sign.
        let second = Int64(seconds)
        if Double(second).bitPattern == seconds.bitPattern {
            return append(second, 0, 0, to: output)
        }
        let floor = seconds.rounded(.down)
        for digits in stride(from: 0, through: 9, by: 3) {
            let power = power(digits)
            let scaled = ((seconds - floor) * power).rounded()
            let carry = scaled >= power
            let whole = Int64(floor) &+ (carry ? 1 : 0)
            let fraction = carry ? 0 : Int64(scaled)
            let back = value(whole, fraction, digits)
            if back.bitPattern == seconds.bitPattern {
                return append(whole, fraction, digits, to: output)
            }
        }
        appendSeconds(seconds, to: output)
    }

    private static func appendSeconds(_ seconds: Double, to output: ByteOutput) {
        output.append(UInt8(ascii: "@"))
        NumberText.append(seconds, to: output)
    }

    private static func append(
        _ whole: Int64, _ fraction: Int64, _ digits: Int, to output: ByteOutput
    ) {
        var days = whole / secondsPerDay
        var second = whole % secondsPerDay
        if second < 0 {
            days -= 1
            second += secondsPerDay
        }
        let (year, month, day) = civil(days + firstDay)
        let place = output.room(19)
        put(year / 100, at: place)
        put(year % 100, at: place + 2)
        put(month, at: place + 5, after: "-")
        put(day, at: place + 8, after: "-")
        put(second / 3600, at: place + 11, after: "T")
        put(second / 60 % 60, at: place + 14, after: ":")
        put(second % 60, at: place + 17, after: ":")
        output.didWrite(19)
        if digits > 0 {
            output.append(UInt8(ascii: "."))
            output.append(magnitude: UInt64(fraction), digits: digits)
        }
        output.append(UInt8(ascii: "Z"))
    }

    /// Writes two digits.
    @inline(__always)
    private static func put(_ number: Int64, at place: UnsafeMutableRawPointer) {
        let number = UInt32(truncatingIfNeeded: number)
        place.storeBytes(of: UInt8(truncatingIfNeeded: number / 10 &+ 0x30), as: UInt8.self)
        (place + 1).storeBytes(
            of: UInt8(truncatingIfNeeded: number % 10 &+ 0x30), as: UInt8.self)
    }

    @inline(__always)
    private static func put(
        _ number: Int64, at place: UnsafeMutableRawPointer, after mark: Unicode.Scalar
    ) {
        (place - 1).storeBytes(of: UInt8(ascii: mark), as: UInt8.self)
        put(number, at: place)
    }

    /// The one rounding that reading and writing share.
    private static func value(_ whole: Int64, _ fraction: Int64, _ digits: Int) -> Double {
        fraction == 0 ? Double(whole) : Double(whole) + Double(fraction) / power(digits)
    }

    private static func power(_ digits: Int) -> Double {
        switch digits {
        case 0: return 1
        case 3: return 1e3
        case 6: return 1e6
        case 9: return 1e9
        default:
            var power = 1.0
            for _ in 0..<digits { power *= 10 }
            return power
        }
    }

    /// The date of a day since 1 January 1970 (Hinnant, "chrono-compatible low-level date
    /// algorithms").
    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    // MARK: Reading

    /// Returns the seconds of a date: `2026-11-26`, `2026-11-26T20:15`, with seconds, with a point
    /// and up to 18 digits, with `Z` or a distance from universal time such as `+01:00`, or `@` and
    /// seconds. A date without time is its midnight, a time without zone is universal time. Nil if
    /// the text is none of these.
    static func parse(_ text: UnsafeRawBufferPointer) -> Double? {
        if text.first == UInt8(ascii: "@") {
            return NumberText.double(UnsafeRawBufferPointer(rebasing: text.dropFirst()))
        }
        var reader = Reader(text: text)
        guard let year = reader.number(digits: 4), reader.take("-"),
            let month = reader.number(digits: 2), reader.take("-"),
            let day = reader.number(digits: 2), (1...12).contains(month),
            day >= 1, day <= lengthOfMonth(year, month)
        else { return nil }
        var whole = (days(year, month, day) - firstDay) * secondsPerDay
        if reader.isAtEnd { return Double(whole) }
        guard reader.take("T") || reader.take(" ") || reader.take("t"),
            let time = reader.time()
        else { return nil }
        whole += time.second
        guard let shift = reader.zone(), reader.isAtEnd else { return nil }
        return value(whole - shift, time.fraction, time.digits)
    }

    private static func lengthOfMonth(_ year: Int64, _ month: Int64) -> Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        switch month {
        case 2: return isLeap ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    private struct Reader {
        let text: UnsafeRawBufferPointer
        var position = 0

        var isAtEnd: Bool { position == text.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard position < text.count, text[position] == UInt8(ascii: character) else {
                return false
            }
            position += 1
            return true
        }

        mutating func digit() -> Int64? {
            guard position < text.count, text[position] &- 0x30 < 10 else { return nil }
            position += 1
            return Int64(text[position - 1] - 0x30)
        }

        mutating func number(digits: Int) -> Int64? {
            var number: Int64 = 0
            for _ in 0..<digits {
                guard let digit = digit() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        mutating func time() -> (second: Int64, fraction: Int64, digits: Int)? {
            guard let hour = number(digits: 2), hour < 24, take(":"),
                let minute = number(digits: 2), minute < 60
            else { return nil }
            var second = hour * 3600 + minute * 60
            guard take(":") else { return (second, 0, 0) }
            guard let rest = number(digits: 2), rest < 60 else { return nil }
            second += rest
            guard take(".") || take(",") else { return (second, 0, 0) }
            var fraction: Int64 = 0
            var digits = 0
            while let digit = digit() {
                guard digits < 18 else { return nil }
                fraction = fraction * 10 + digit
                digits += 1
            }
            return digits == 0 ? nil : (second, fraction, digits)
        }

        /// The seconds by which the zone is ahead of universal time.
        mutating func zone() -> Int64? {
            if isAtEnd || take("Z") || take("z") { return 0 }
            let isBehind = take("-")
            guard isBehind || take("+"), let hours = number(digits: 2), hours < 24 else {
                return nil
            }
            var minutes: Int64 = 0
            if !isAtEnd {
                _ = take(":")
                guard let given = number(digits: 2), given < 60 else { return nil }
                minutes = given
            }
            let shift = hours * 3600 + minutes * 60
            return isBehind ? -shift : shift
        }
    }
}
