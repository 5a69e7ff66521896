import StorageEngine

/// The value of a property in the model of a file that is migrated.
package indirect enum MigratedValue: Hashable, Sendable {
    case null
    /// The value of a type that stands for a number: zero, or empty, for 0.
    case scalar(ValueType, Int)
    /// The object with this tag, of the class that the property names.
    case object(Int)
    /// A list, or a set.
    case elements([MigratedValue])
    case entries([String: MigratedValue])
}

/// What the model knows of properties.
extension ColumnDefinition {
    package var isPlain: Bool { linkTarget == nil }

    fileprivate var mayBeNull: Bool { isOptional || type == .mixed }

    /// The value of a new object, and of objects that have not had the property.
    var emptyValue: MigratedValue {
        switch collection {
        case .list, .set: .elements([])
        case .map: .entries([:])
        case .none: isPlain && !mayBeNull ? .scalar(type, 0) : .null
        }
    }

    /// Whether the values of this property become those of another one of the same name.
    func isKept(as other: ColumnDefinition) -> Bool {
        guard collection == other.collection, linkTarget == other.linkTarget else { return false }
        // An object that becomes embedded, or top-level, stays where it is.
        return isPlain ? type == other.type : true
    }

    /// Names of properties that have a meaning: a number that no other object of the file has; a
    /// text made of it; and data of some KiB.
    package static let tag = "tag"
    package static let key = "key"
    package static let payload = "payload"
}

// MARK: Drawing

extension MigratedValue {
    /// Numbers from here on stand for long strings and data.
    private static let firstLongNumber = 1_000_000_000
    /// Numbers of values that are drawn: few, so that there are duplicates.
    private static let numbers = 1000
    /// No two values of different types among these are equal.
    private static let mixedTypes: [ValueType] = [.int, .string, .date, .uuid]

    /// Returns the value of a plain property of the object with a tag, which `salt` decides.
    package static func drawn(_ column: ColumnDefinition, tag: Int, salt: UInt64) -> MigratedValue {
        var random = RepeatableRandom(seed: UInt64(tag), part: salt)
        if column.name == ColumnDefinition.tag || column.name == ColumnDefinition.key {
            return .scalar(column.type, tag)
        }
        if column.name == ColumnDefinition.payload {
            return .scalar(column.type, firstLongNumber + random.below(numbers))
        }
        func element() -> MigratedValue {
            if column.mayBeNull, random.isOne(in: 4) { return .null }
            let type =
                column.type == .mixed ? mixedTypes[random.below(mixedTypes.count)] : column.type
            return .scalar(type, 1 + random.below(numbers))
        }
        if column.collection == .none { return element() }
        let elements = (0..<random.below(5)).map { _ in element() }
        return inCollection(column, elements)
    }

    private static let entry = "entry "
    /// The name of the first entry of a map.
    package static let firstEntry = entry + "0"

    /// Returns elements in the form of a property.
    static func inCollection(
        _ column: ColumnDefinition, _ elements: [MigratedValue]
    ) -> MigratedValue {
        switch column.collection {
        case .none: return elements.first ?? .null
        case .list: return .elements(elements)
        case .set:
            var seen: Set<String> = []
            return .elements(elements.filter { seen.insert($0.text(in: column)).inserted })
        case .map:
            return .entries(
                Dictionary(
                    uniqueKeysWithValues: elements.enumerated().map { ("\(entry)\($0)", $1) }))
        }
    }

    /// The number that a block reads from a value of a property: that of integers and strings.
    package func number(in column: ColumnDefinition) -> Int? {
        guard column.type == .int || column.type == .string, case .scalar(_, let number) = self
        else { return nil }
        return number
    }

    /// The number that a text stands for.
    package static func number(ofText text: String) -> Int {
        Int(text.prefix { $0 != ":" }) ?? 0
    }

    /// Returns what a block makes of a number that it has read.
    package static func made(_ column: ColumnDefinition, of number: Int) -> MigratedValue {
        let type = column.type == .mixed ? ValueType.int : column.type
        return inCollection(column, [.scalar(type, max(1, number))])
    }
}

// MARK: Changing

extension MigratedValue {
    /// The tags of the objects that it refers to, each as often as it does.
    var references: [Int] {
        switch self {
        case .null, .scalar: []
        case .object(let tag): [tag]
        case .elements(let elements): elements.flatMap(\.references)
        case .entries(let entries): entries.values.flatMap(\.references)
        }
    }

    /// The value once an object was deleted.
    func without(_ tag: Int) -> MigratedValue {
        switch self {
        case .null, .scalar: self
        case .object(let other): other == tag ? .null : self
        case .elements(let elements): .elements(elements.filter { $0 != .object(tag) })
        case .entries(let entries): .entries(entries.mapValues { $0.without(tag) })
        }
    }

    /// The value in a property that has become optional or required.
    func becoming(_ column: ColumnDefinition) -> MigratedValue {
        guard column.isPlain, !column.isOptional, column.type != .mixed else { return self }
        let zero = MigratedValue.scalar(column.type, 0)
        switch self {
        case .null: return zero
        case .scalar, .object: return self
        case .elements(let elements):
            return Self.inCollection(column, elements.map { $0 == .null ? zero : $0 })
        case .entries(let entries):
            return .entries(entries.mapValues { $0 == .null ? zero : $0 })
        }
    }
}

// MARK: Text

extension MigratedValue {
    /// The text that a file with the value has; see ``MigratedContents``.
    func text(in column: ColumnDefinition) -> String {
        switch self {
        case .null: return "nil"
        case .scalar(let type, let number):
            let text = Self.withScalar(type, number) { Self.text(of: $0) }
            return column.type == .mixed ? "\(type) \(text)" : text
        case .object(let tag): return "#\(tag)"
        case .elements(let elements):
            return Self.text(of: elements.map { $0.text(in: column) }, in: column)
        case .entries(let entries):
            let texts = entries.map { "\($0.key): \($0.value.text(in: column))" }
            return Self.text(of: texts.sorted(), in: column)
        }
    }

    /// Returns the text of a collection. The order of a set is that of the texts.
    static func text(of elements: [String], in column: ColumnDefinition) -> String {
        let elements = column.collection == .set ? elements.sorted() : elements
        return "[" + elements.joined(separator: ", ") + "]"
    }

    static func text(of scalar: Scalar) -> String {
        switch scalar {
        case .null: return "nil"
        case .integer(let value): return "\(value)"
        case .float(let value): return "\(value)"
        case .double(let value): return "\(value)"
        case .fixed16(let first, let second): return "\(first)-\(second)"
        case .fixed12(let first, let second): return "\(first)-\(second)"
        case .bytes(let bytes):
            var digest = DatabaseDigest()
            digest.add(bytes)
            return "\(bytes.count) bytes \(digest.value)"
        }
    }

    /// Calls `body` with the value of a type that stands for a number, in the engine's form.
    package static func withScalar<R>(
        _ type: ValueType, _ number: Int, _ body: (Scalar) -> R
    ) -> R {
        let mixed = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        switch type {
        case .bool: return body(.integer(Int64(number % 2)))
        case .int: return body(.integer(Int64(number)))
        case .float: return body(.float(Float(number) / 4))
        case .double, .date: return body(.double(Double(number) / 4))
        case .string, .data:
            var text = text(of: number)
            return text.withUTF8 { body(.bytes(UnsafeRawBufferPointer($0))) }
        case .uuid: return body(.fixed16(mixed, UInt64(number)))
        case .objectID: return body(.fixed12(mixed, UInt32(truncatingIfNeeded: number)))
        case .decimal128:
            // The zero of the engine is another one than the integer 0.
            let decimal = number == 0 ? Decimal128(low: 0, high: 0) : Decimal128(Int64(number))
            return body(.fixed16(decimal.low, decimal.high))
        case .link, .mixed, .typedLink, .embedded:
            preconditionFailure("A value of type '\(type)' stands for no number.")
        }
    }

    /// Returns a text that begins with the number, of various lengths, some of which take pages of
    /// their own.
    private static func text(of number: Int) -> String {
        if number == 0 { return "" }
        let length =
            number >= firstLongNumber
            ? 12_000 : number % 97 == 0 ? 5000 : number % 7 == 0 ? 100 : number % 12
        return "\(number):" + String(repeating: "x", count: length)
    }
}
