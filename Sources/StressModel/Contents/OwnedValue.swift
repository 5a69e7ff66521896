import StorageEngine

/// A value that owns its bytes, for code that builds rows.
package enum OwnedValue {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    case bytes([UInt8])
    case uuid(UInt64, UInt64)
    case objectID(UInt64, UInt32)

    /// Calls `body` with the value in the engine's form.
    package func withScalar<R>(_ body: (Scalar) throws -> R) rethrows -> R {
        switch self {
        case .null: return try body(.null)
        case .integer(let value): return try body(.integer(value))
        case .double(let value): return try body(.double(value))
        case .uuid(let first, let second): return try body(.fixed16(first, second))
        case .objectID(let first, let second): return try body(.fixed12(first, second))
        case .bytes(let value): return try value.withUnsafeBytes { try body(.bytes($0)) }
        case .text(var value):
            return try value.withUTF8 { try body(.bytes(UnsafeRawBufferPointer($0))) }
        }
    }
}

extension Table {
    package func insert(_ values: [OwnedValue]) throws -> ObjectKey {
        try insert(values[...], after: [])
    }

    /// Inserts the values by recursion. Each value is valid only inside its own closure, so the
    /// closures are nested until all values are valid at once.
    private func insert(
        _ values: ArraySlice<OwnedValue>, after scalars: [Scalar]
    ) throws -> ObjectKey {
        guard let value = values.first else {
            return try scalars.withUnsafeBufferPointer { try insert($0) }
        }
        return try value.withScalar {
            try insert(values.dropFirst(), after: scalars + [$0])
        }
    }

    package func set(_ column: Int, of key: ObjectKey, owned value: OwnedValue) throws {
        try value.withScalar { try set(column, of: key, to: $0) }
    }
}
