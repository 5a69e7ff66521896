/// A comparison of a value with another.
public enum Comparison: Sendable, CaseIterable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

/// The numbers that a comparison accepts, in the form in which packed columns hold them.
///
/// Floating point compares as in IEEE 754: 0 equals -0, and a comparison with NaN is false, except
/// that NaN is not equal to any value, NaN included.
struct NumberRange: Equatable {
    /// The bounds of consecutive numbers, both inclusive; empty while `low > high`.
    struct Bounds: Equatable {
        var low: Int64
        var high: Int64

        static let none = Bounds(low: 0, high: -1)

        var isEmpty: Bool { low > high }
    }

    /// The accepted integers, which are also those of floating point stored as whole numbers.
    var values: Bounds
    /// The accepted order-preserving images of floating point.
    var images: Bounds
    /// Whether the numbers outside the bounds are accepted instead.
    var isInverted = false

    init(_ comparison: Comparison, _ number: NumberEdges?) {
        guard let number else {
            self.init(values: .none, images: .none, isInverted: comparison == .notEqual)
            return
        }
        self.init(
            values: number.values.bounds(comparison), images: number.images.bounds(comparison),
            isInverted: comparison == .notEqual)
    }

    /// Creates the range from `first` to `last`, which belongs to it if `includesLast`. Nil is NaN,
    /// and a range with NaN at either end is empty.
    init(from first: NumberEdges?, to last: NumberEdges?, includesLast: Bool) {
        guard let first, let last else {
            self.init(values: .none, images: .none)
            return
        }
        let end: Comparison = includesLast ? .lessOrEqual : .less
        self.init(
            values: Bounds(
                low: first.values.bounds(.greaterOrEqual).low, high: last.values.bounds(end).high),
            images: Bounds(
                low: first.images.bounds(.greaterOrEqual).low, high: last.images.bounds(end).high))
        // If nothing precedes `last`, its bounds are `none`, whose `high` must not be used as a
        // number.
        if last.values.bounds(end).isEmpty { values = .none }
        if last.images.bounds(end).isEmpty { images = .none }
    }

    private init(values: Bounds, images: Bounds, isInverted: Bool = false) {
        self.values = values
        self.images = images
        self.isInverted = isInverted
    }
}

/// The position of a number among those that packed columns hold.
struct NumberEdges {
    /// The position in an ascending sequence of integers.
    struct Place {
        /// The first integer of the sequence that is not less, and the last that is not greater.
        var first: Int64
        var last: Int64
        /// The whole sequence.
        var all: NumberRange.Bounds

        func bounds(_ comparison: Comparison) -> NumberRange.Bounds {
            switch comparison {
            case .equal, .notEqual: return .init(low: first, high: last)
            case .less: return first == all.low ? .none : .init(low: all.low, high: first - 1)
            case .lessOrEqual: return .init(low: all.low, high: last)
            case .greater: return last == all.high ? .none : .init(low: last + 1, high: all.high)
            case .greaterOrEqual: return .init(low: first, high: all.high)
            }
        }
    }

    var values: Place
    var images: Place

    init(_ integer: Int64) {
        let all = NumberRange.Bounds(low: .min, high: .max)
        values = Place(first: integer, last: integer, all: all)
        images = values
    }

    /// Creates the position of a number; nil for NaN.
    init?(_ number: Double) {
        guard !number.isNaN else { return nil }
        values = Self.wholePlace(number)
        images = Self.place(
            PackedNumbers.image(number), isZero: number == 0,
            all: .init(
                low: PackedNumbers.image(-Double.infinity),
                high: PackedNumbers.image(Double.infinity)))
    }

    /// Creates the position of a number; nil for NaN.
    init?(_ number: Float) {
        guard !number.isNaN else { return nil }
        values = Self.wholePlace(Double(number))
        images = Self.place(
            PackedNumbers.image(number), isZero: number == 0,
            all: .init(
                low: PackedNumbers.image(-Float.infinity),
                high: PackedNumbers.image(Float.infinity)))
    }

    /// Returns the position of an image. 0 and -0 are equal, and their images 0 and -1 are
    /// adjacent.
    private static func place(_ image: Int64, isZero: Bool, all: NumberRange.Bounds) -> Place {
        isZero
            ? Place(first: -1, last: 0, all: all) : Place(first: image, last: image, all: all)
    }

    /// Returns the position among whole numbers, whose magnitudes are below 2^53.
    private static func wholePlace(_ number: Double) -> Place {
        let limit = 9_007_199_254_740_992.0
        let near = min(max(number, -limit), limit)
        return Place(
            first: Int64(near.rounded(.up)), last: Int64(near.rounded(.down)),
            all: .init(low: .min, high: .max))
    }
}

extension NumberRange {
    /// Whether a number of an integer column is accepted.
    func contains(_ number: Int64) -> Bool {
        (number >= values.low && number <= values.high) != isInverted
    }

    /// Whether a floating-point number is accepted, given its image.
    func containsImage(_ image: Int64) -> Bool {
        (image >= images.low && image <= images.high) != isInverted
    }
}
