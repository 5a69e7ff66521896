extension String {
    /// The sum of the UTF-8 bytes, with which the workloads consume a text.
    ///
    /// Reads contiguous UTF-8, as the byte-oriented engines do. A `UTF8View` would check for each
    /// byte whether the string is bridged from Foundation.
    @inlinable
    public var byteSum: Int {
        var copy = self
        return copy.withUTF8 { bytes in bytes.reduce(0) { $0 &+ Int($1) } }
    }
}
