/// Texts with a prefix, as a range of bytes: from the prefix to the first bytes after all of them.
enum TextRange {
    /// The least bytes above everything that begins with `prefix`; nil if nothing is above. UTF-8
    /// has no byte 0xFF, so that the last byte can always be raised.
    static func end(ofPrefix prefix: String) -> [UInt8]? {
        var bytes = Array(prefix.utf8)
        guard let last = bytes.popLast() else { return nil }
        return bytes + [last + 1]
    }
}
