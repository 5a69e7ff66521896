import Foundation
import StorageEngine

// What depends on the type of a value that is stored directly: one place in each function below.

/// An operation on a value of any type that is stored directly.
protocol ScalarVisitor {
    associatedtype Result
    func visit(_ value: some _PersistableScalar) -> Result
}

extension AnyRealmValue {
    /// Returns the result of an operation; nil for `.none`, objects, lists and maps.
    @inline(__always)
    func visited<Visitor: ScalarVisitor>(by visitor: Visitor) -> Visitor.Result? {
        switch self {
        case .int(let value): visitor.visit(value)
        case .bool(let value): visitor.visit(value)
        case .float(let value): visitor.visit(value)
        case .double(let value): visitor.visit(value)
        case .string(let value): visitor.visit(value)
        case .data(let value): visitor.visit(value)
        case .date(let value): visitor.visit(value)
        case .objectId(let value): visitor.visit(value)
        case .decimal128(let value): visitor.visit(value)
        case .uuid(let value): visitor.visit(value)
        case .none, .object, .dictionary, .list: nil
        }
    }

    /// Creates the value of a stored one; nil for links, lists and maps, which need a place.
    init?(plain value: MixedValue) {
        switch value {
        case .null: self = .none
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(Int(value))
        case .float(let value): self = .float(value)
        case .double(let value): self = .double(value)
        case .string(let bytes): self = .string(String(decoding: bytes, as: UTF8.self))
        case .data(let bytes): self = .data(Data(bytes))
        case .date(let seconds): self = .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .uuid(let first, let second): self = .uuid(._decodeScalar(.fixed16(first, second)))
        case .objectID(let first, let second):
            self = .objectId(._decodeScalar(.fixed12(first, second)))
        case .decimal128(let value): self = .decimal128(Decimal128(value))
        case .link, .list, .map: return nil
        }
    }

    /// Creates a value from one given by the application, if it is neither a string nor a number
    /// that Foundation knows, which ``_convertElement(_:_:)`` recognizes.
    init?(given value: Any) {
        switch value {
        case let value as Data: self = .data(value)
        case let value as Date: self = .date(value)
        case let value as UUID: self = .uuid(value)
        case let value as ObjectId: self = .objectId(value)
        case let value as Decimal128: self = .decimal128(value)
        default: return nil
        }
    }

    /// Returns whether both values are of the same type that is stored directly, and equal.
    func equals(plain other: AnyRealmValue) -> Bool {
        switch (self, other) {
        case (.int(let left), .int(let right)): left == right
        case (.bool(let left), .bool(let right)): left == right
        case (.float(let left), .float(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.data(let left), .data(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.objectId(let left), .objectId(let right)): left == right
        case (.decimal128(let left), .decimal128(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        case (.int, _), (.bool, _), (.float, _), (.double, _), (.string, _), (.data, _),
            (.date, _), (.objectId, _), (.decimal128, _), (.uuid, _),
            (.none, _), (.object, _), (.dictionary, _), (.list, _):
            false
        }
    }
}
