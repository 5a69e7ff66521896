import StorageEngine

/// Checks of the constants on the right side, and the errors for invalid ones.
extension ConstantResolution {
    func required(_ operand: PredicateOperand) throws -> PredicateValue {
        guard let value = operand.value else { throw uncomparable(operand.given) }
        if value.isCollection, !comparesCollections { throw uncomparable(operand.given) }
        return value
    }

    /// Whether a list or map is a valid constant. Lists and maps within mixed values can be equal
    /// to lists and maps.
    private var comparesCollections: Bool {
        switch comparison.operation {
        case .equal, .notEqual, .isIn: path.type == .mixed && path.operation == nil
        default: false
        }
    }

    func list(_ operand: PredicateOperand) throws -> [PredicateValue] {
        guard case .list(let values)? = operand.value else {
            if PredicateValue.nestsTooDeep(operand.given) { throw error(AnyRealmValue.tooDeep) }
            throw error("IN clause requires an array of items")
        }
        return values
    }

    /// Returns the type of the compared values: the result of an operator, or the values
    /// themselves.
    func testedType(_ type: ValueType) -> ValueType {
        switch path.operation {
        case .count: .int
        case .aggregate(.average), .aggregate(.sum): type == .mixed ? .decimal128 : .double
        case .aggregate(.minimum), .aggregate(.maximum), nil: type
        }
    }

    func requireComparable(
        _ value: PredicateValue, _ given: Any?, with type: ValueType
    ) throws {
        switch path.operation {
        case .count:
            if !value.isNumber { throw error("@count can only be compared with a numeric value.") }
        case .aggregate(let aggregate):
            if value.isNull, aggregate != .sum { return }
            if !PredicateTypes.mayCompare(testedType(type), with: value) {
                throw uncomparable(value.given ?? given)
            }
        case nil:
            if case .keys = path.end {
                guard case .scalar(.string, _) = value else {
                    throw error("@allKeys can only be compared with a string value.")
                }
            }
            if value.isCollection, comparesCollections { return }
            if value.isNull ? !mayBeNull : !PredicateTypes.mayCompare(type, with: value) {
                throw uncomparable(value.given ?? given)
            }
        }
    }

    /// Whether a value at the end of the path can be null.
    private var mayBeNull: Bool {
        if !path.hops.isEmpty { return true }
        switch path.end {
        case .property(let property, _):
            return property.shape.isOptional || property.shape.isLink
                || property.shape.type == .mixed || comparison.operation.textPattern != nil
        case .entry, .part, .object, .referrers: return true
        case .keys: return false
        }
    }

    func unsupported(_ type: ValueType) -> InvalidPredicate {
        error(
            "Operator '\(comparison.operation.rawValue)' not supported for type '\(type.name)'")
    }

    func uncomparable(_ given: Any?, to typeName: String? = nil) -> InvalidPredicate {
        let value = unwrapped(given)
        if PredicateValue.nestsTooDeep(value) { return error(AnyRealmValue.tooDeep) }
        let text = value.map { "\($0)" } ?? "(null)"
        let valueType = value.map { "\(Swift.type(of: $0))" } ?? "(null)"
        let expected = typeName ?? path.targetClass?.model.name ?? path.type?.name ?? ""
        return error(
            "Cannot compare value '\(text)' of type '\(valueType)' to property "
                + "'\(path.text)' of type '\(expected)'")
    }
}
