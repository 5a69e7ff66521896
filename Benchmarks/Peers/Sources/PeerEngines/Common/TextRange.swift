/// The texts with a prefix as a range of bytes, from the prefix to the first bytes after all of
/// them.
enum TextRange {
    /// Returns the least bytes above everything that begins with `prefix`; nil if there are none.
    /// UTF-8 contains no byte 0xFF, so the last byte can always be incremented.
    static func end(ofPrefix prefix: String) -> [UInt8]? {
        var bytes = Array(prefix.utf8)
        guard let last = bytes.popLast() else { return nil }
        return bytes + [last + 1]
    }
}
