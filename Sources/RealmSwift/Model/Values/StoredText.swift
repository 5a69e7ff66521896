import Foundation

/// A string that is compared by its bytes, as in the storage engine.
///
/// Swift considers strings equal if they differ only in Unicode composition: "\u{e9}" and
/// "e\u{301}". In a Realm these are two values, two keys of a map, and two elements of a set.
struct StoredText: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: StoredText, right: StoredText) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension String {
    /// Returns whether the UTF-8 bytes are the same.
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

    /// Hashes the bytes. Strings with the same bytes have the same hash.
    func hashBytes(into hasher: inout Hasher) {
        let isDone: Void? = utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
            hasher.combine(UInt8(0xFF))
        }
        if isDone == nil { for byte in utf8 { hasher.combine(byte) } }
    }
}

/// A value that is compared as in the storage engine, for elements of sets and keys of sections.
struct StoredIdentity<Value: Hashable & _HasPersistedType>: Hashable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (left: StoredIdentity, right: StoredIdentity) -> Bool {
        isSameValue(left.value, right.value)
    }

    // The hash of the Swift value is valid, because values that differ in Swift also differ here.
    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// Returns whether two values are the same value in the storage engine.
func isSameValue<Value: Equatable & _HasPersistedType>(_ left: Value, _ right: Value) -> Bool {
    left == right && Value._isStoredAlike(left, right)
}
