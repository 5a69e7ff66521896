import Foundation

/// A text that is told from others by its bytes, as the storage engine does it.
///
/// Swift holds texts equal that spell the same characters in different ways: "\u{e9}" and
/// "e\u{301}". To a Realm these are two values, two keys of a map, two elements of a set.
struct StoredText: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: StoredText, right: StoredText) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension String {
    /// Whether the UTF-8 forms are the same.
    func hasSameBytes(as other: String) -> Bool {
        let result = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { other in
                guard bytes.count == other.count else { return false }
                guard let start = bytes.baseAddress, let otherStart = other.baseAddress else {
                    return true
                }
                return start == otherStart || memcmp(start, otherStart, bytes.count) == 0
            }
        }
        return (result ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Texts of the same bytes hash alike.
    func hashBytes(into hasher: inout Hasher) {
        let isDone: Void? = utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
            hasher.combine(UInt8(0xFF))
        }
        if isDone == nil { for byte in utf8 { hasher.combine(byte) } }
    }
}

/// A value that is told from others as the storage engine does it: an element of a set, or the key
/// of a section.
struct StoredIdentity<Value: Hashable & _HasPersistedType>: Hashable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (left: StoredIdentity, right: StoredIdentity) -> Bool {
        isSameValue(left.value, right.value)
    }

    // Values that Swift tells apart differ; so its hash serves as well.
    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// Whether two values are one to the storage engine.
func isSameValue<Value: Equatable & _HasPersistedType>(_ left: Value, _ right: Value) -> Bool {
    left == right && Value._isStoredAlike(left, right)
}

extension _HasPersistedType {
    /// True, because only texts are equal without being the same.
    public static func _isStoredAlike(_ left: Self, _ right: Self) -> Bool { true }
}
