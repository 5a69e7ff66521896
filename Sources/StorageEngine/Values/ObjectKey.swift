/// The identity of an object within its table. Never reused.
@frozen
public struct ObjectKey: RawRepresentable, Hashable, Sendable {
    public var rawValue: Int64

    @inlinable
    public init(rawValue: Int64) { self.rawValue = rawValue }
}
