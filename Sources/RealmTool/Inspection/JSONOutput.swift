/// Objects and arrays of JSON, member by member.
extension ByteOutput {
    /// Begins the next member of the object that is being written.
    func member(_ name: StaticString) {
        separate()
        append(UInt8(ascii: "\""))
        append(name)
        append("\":")
    }

    func member(_ name: StaticString, _ value: Bool) {
        member(name)
        if value { append("true") } else { append("false") }
    }

    func member(_ name: StaticString, _ text: String?) {
        member(name)
        append(json: text)
    }

    func member(_ name: StaticString, _ number: some BinaryInteger) {
        member(name)
        append(decimal: Int64(clamping: number))
    }

    /// Appends a comma, unless this is the first element of its object or array.
    func separate() {
        switch bytes.last {
        case UInt8(ascii: "{"), UInt8(ascii: "["), nil: break
        default: append(UInt8(ascii: ","))
        }
    }

    func append(json text: String?) {
        if let text { JSONText.append(string: text, to: self) } else { append("null") }
    }

    /// The bytes as they are now.
    var contents: [UInt8] { Array(bytes) }
}
