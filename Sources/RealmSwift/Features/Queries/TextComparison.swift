import Foundation
import StorageEngine

/// A comparison of strings with options. Differences that the options ignore are removed from both
/// sides first.
struct TextComparison {
    let pattern: TextPattern
    let options: StringOptions

    func matches(_ text: UnsafeRawBufferPointer, _ sought: UnsafeRawBufferPointer) -> Bool {
        if options.isEmpty { return pattern.matches(text, sought) }
        return options.folded(text).withUnsafeBytes { text in
            options.folded(sought).withUnsafeBytes { pattern.matches(text, $0) }
        }
    }

    /// Returns a test for one string.
    func test(for sought: [UInt8]) -> (UnsafeRawBufferPointer) -> Bool {
        let pattern = pattern
        let options = options
        if options.isEmpty {
            return { text in sought.withUnsafeBytes { pattern.matches(text, $0) } }
        }
        let folded = sought.withUnsafeBytes { options.folded($0) }
        return { text in
            options.folded(text).withUnsafeBytes { text in
                folded.withUnsafeBytes { pattern.matches(text, $0) }
            }
        }
    }
}

extension StringOptions {
    /// Returns the text without the differences that the options ignore: case of the letters A to
    /// Z, diacritics.
    func folded(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        var bytes = Array(text)
        if contains(.diacriticInsensitive), !bytes.allSatisfy({ $0 < 0x80 }) {
            let decomposed = String(decoding: bytes, as: UTF8.self)
                .decomposedStringWithCanonicalMapping
            var bare = String.UnicodeScalarView()
            bare.append(
                contentsOf: decomposed.unicodeScalars.filter {
                    $0.properties.generalCategory != .nonspacingMark
                })
            bytes = Array(String(bare).utf8)
        }
        if contains(.caseInsensitive) {
            let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
            for index in bytes.indices where capitals.contains(bytes[index]) {
                bytes[index] |= 0x20
            }
        }
        return bytes
    }
}
