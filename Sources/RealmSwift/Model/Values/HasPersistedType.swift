/// A type whose stored form has the type `PersistedType`.
public protocol _HasPersistedType: _ObjcBridgeable {
    /// The type that is stored.
    associatedtype PersistedType
    /// Returns whether two values that are equal in Swift have the same stored form. Strings can
    /// differ, because equal strings can have different Unicode compositions.
    static func _isStoredAlike(_ left: Self, _ right: Self) -> Bool
}

extension _HasPersistedType {
    /// Returns true, because only equal strings can have different stored forms.
    public static func _isStoredAlike(_ left: Self, _ right: Self) -> Bool { true }
}
