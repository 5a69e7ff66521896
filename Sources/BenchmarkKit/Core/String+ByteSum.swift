extension String {
    /// The sum of its UTF-8 bytes: what the workloads do with a text that they read.
    ///
    /// From the bytes as they lie in memory, as the engines have it whose texts are bytes; a
    /// `UTF8View` asks for each byte whether the string is one of Foundation's.
    @inlinable
    public var byteSum: Int {
        var copy = self
        return copy.withUTF8 { bytes in bytes.reduce(0) { $0 &+ Int($1) } }
    }
}
