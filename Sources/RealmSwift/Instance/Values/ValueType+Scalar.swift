import Foundation
import StorageEngine

extension ValueType {
    /// The Swift type whose values are stored directly as this type; nil for links and mixed
    /// values.
    var scalarType: (any _PersistableScalar.Type)? {
        switch self {
        case .bool: Bool.self
        case .int: Int.self
        case .float: Float.self
        case .double: Double.self
        case .string: String.self
        case .data: Data.self
        case .date: Date.self
        case .uuid: UUID.self
        case .objectID: ObjectId.self
        case .decimal128: Decimal128.self
        case .link, .embedded, .mixed, .typedLink: nil
        }
    }
}
