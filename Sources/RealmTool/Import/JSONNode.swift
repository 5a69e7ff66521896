/// A value of JSON that was read as a whole, with its place in the record.
struct JSONNode: Sendable {
    struct Member: Sendable {
        let name: [UInt8]
        let value: JSONNode
    }

    enum Value: Sendable {
        case null
        case bool(Bool)
        case number([UInt8])
        case string([UInt8])
        /// A field of CSV, which can be of any type.
        case field([UInt8])
        case array([JSONNode])
        case object([Member])
    }

    let value: Value
    let offset: Int

    /// The value of the only member, if that is its name.
    func only(_ name: String) -> JSONNode? {
        guard case .object(let members) = value, members.count == 1,
            members[0].name.elementsEqual(name.utf8)
        else { return nil }
        return members[0].value
    }
}

extension JSONNode {
    init(_ token: ValueToken) {
        offset = token.offset
        value =
            switch token.kind {
            case .null, .emptyField: .null
            case .isTrue: .bool(true)
            case .isFalse: .bool(false)
            case .number: .number(Array(token.bytes))
            case .string: .string(Array(token.bytes))
            case .field: .field(Array(token.bytes))
            }
    }

    /// Calls `body` with the value as a token; nil for arrays and objects.
    func withToken<Result, Failure>(
        _ body: (ValueToken) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let (kind, text): (ValueToken.Kind, [UInt8])
        switch value {
        case .null: (kind, text) = (.null, [])
        case .bool(let isTrue): (kind, text) = (isTrue ? .isTrue : .isFalse, [])
        case .number(let digits): (kind, text) = (.number, digits)
        case .string(let bytes): (kind, text) = (.string, bytes)
        case .field(let bytes): (kind, text) = (.field, bytes)
        case .array, .object: return nil
        }
        return try text.withUnsafeBufferPointer { buffer throws(Failure) in
            try body(
                ValueToken(
                    kind: kind, bytes: UnsafeRawBufferPointer(buffer), offset: offset))
        }
    }
}
