import Foundation

extension AnyRealmValue {
    /// Converts values of all types that can be stored, including arrays and dictionaries of them
    /// as returned by `JSONSerialization`. Arrays and dictionaries that are nested too deeply stop
    /// the program.
    public static func _convertElement(
        _ value: Any?, _ conversion: _ValueConversion
    ) -> AnyRealmValue? {
        convert(value, conversion, depth: 1)
    }

    /// Converts a value at a depth of nesting.
    ///
    /// - Parameter depth: The depth of the value, if it is a list or a map; 1 for the outermost.
    private static func convert(
        _ value: Any?, _ conversion: _ValueConversion, depth: Int
    ) -> AnyRealmValue? {
        guard let value = unwrapped(value) else { return AnyRealmValue.none }
        // Casts to classes come last; see `cast(_:to:)`.
        switch value {
        case let value as AnyRealmValue: return converted(value, conversion, depth: depth)
        case let value as String: return .string(value)
        case let value as any BinaryInteger: return Int(exactly: value).map { .int($0) }
        default: break
        }
        if let value = AnyRealmValue(given: value) { return value }
        switch value {
        case let value as [Any]: return list(value, conversion, depth: depth)
        case let value as [String: Any]:
            return map(value.map { ($0.key, $0.value) }, conversion, depth: depth)
        default: return convert(instance: value, conversion, depth: depth)
        }
    }

    private static func convert(
        instance value: Any, _ conversion: _ValueConversion, depth: Int
    ) -> AnyRealmValue? {
        if let object = cast(value, to: Object.self) { return converted(object, conversion) }
        if let value = cast(value, to: NSNumber.self) { return number(value) }
        if let value = cast(value, to: List<AnyRealmValue>.self) {
            return list(Array(value), conversion, depth: depth)
        }
        return cast(value, to: Map<String, AnyRealmValue>.self).flatMap {
            map($0.asKeyValueSequence().map { ($0.key, $0.value) }, conversion, depth: depth)
        }
    }

    /// Converts a mixed value. Objects of other Realms are copied, at any depth.
    private static func converted(
        _ value: AnyRealmValue, _ conversion: _ValueConversion, depth: Int
    ) -> AnyRealmValue? {
        switch value {
        case .object(let object): converted(object, conversion)
        case .list(let elements): list(Array(elements), conversion, depth: depth)
        case .dictionary(let entries):
            map(entries.asKeyValueSequence().map { ($0.key, $0.value) }, conversion, depth: depth)
        default: value
        }
    }

    private static func converted(
        _ object: Object, _ conversion: _ValueConversion
    ) -> AnyRealmValue? {
        conversion.object(of: type(of: object), from: object)
            .map { .object(unsafeDowncast($0, to: Object.self)) }
    }

    private static func number(_ number: NSNumber) -> AnyRealmValue {
        switch number.kind {
        case .bool: .bool(number.boolValue)
        case .integer: .int(number.intValue)
        case .float: .float(number.floatValue)
        case .double: .double(number.doubleValue)
        case .decimal: .decimal128(Decimal128(number: number))
        }
    }

    private static func list(
        _ elements: [Any], _ conversion: _ValueConversion, depth: Int
    ) -> AnyRealmValue? {
        requireNesting(depth)
        let list = List<AnyRealmValue>()
        for element in elements {
            guard let element = convert(element, conversion, depth: depth + 1) else { return nil }
            list.append(element)
        }
        return .list(list)
    }

    private static func map(
        _ entries: [(String, Any)], _ conversion: _ValueConversion, depth: Int
    ) -> AnyRealmValue? {
        requireNesting(depth)
        let map = Map<String, AnyRealmValue>()
        for (key, value) in entries {
            guard let value = convert(value, conversion, depth: depth + 1) else { return nil }
            map[key] = value
        }
        return .dictionary(map)
    }

    /// Returns the associated value of a case.
    public static func _eraseElement(_ value: AnyRealmValue) -> Any? {
        switch value {
        case .none: nil
        case .object(let value): value
        case .dictionary(let value): value
        case .list(let value): value
        default: value.visited(by: Eraser())
        }
    }

    private struct Eraser: ScalarVisitor {
        func visit(_ value: some _PersistableScalar) -> Any { value }
    }
}
