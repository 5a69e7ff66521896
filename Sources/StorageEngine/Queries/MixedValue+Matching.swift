extension MixedValue {
    /// Whether the value compares with another as `comparison` says. Null equals null and has no
    /// order; NaN equals nothing. Values of different kinds are never equal and have no order, but
    /// numbers compare by value whatever their types. Bools, links and collections have no order.
    /// Collections equal nothing here: ``Connection/matches(_:_:with:)`` compares their elements.
    public func matches(_ comparison: Comparison, _ other: MixedValue) -> Bool {
        switch comparison {
        case .equal: return equals(other)
        case .notEqual: return !equals(other)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            guard isOrdered, other.isOrdered, kind == other.kind else { return false }
            let order = MixedValue.compare(self, other)
            return switch comparison {
            case .less: order < 0
            case .lessOrEqual: order <= 0
            case .greater: order > 0
            default: order >= 0
            }
        }
    }

    private func equals(_ other: MixedValue) -> Bool {
        guard kind == other.kind else { return false }
        if case .null = self { return true }
        return !isNaN && !other.isNaN && !isCollection && MixedValue.compare(self, other) == 0
    }

    /// Whether the value has an order among values of its kind.
    var isOrdered: Bool { type?.traits.family.isOrdered == true && !isNaN }
}
