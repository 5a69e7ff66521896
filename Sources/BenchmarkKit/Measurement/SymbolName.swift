import CMeasurement
import Foundation

/// The name of a function as people write it.
enum SymbolName {
    /// Returns the name of a mangled symbol of Swift; other names as they are.
    static func demangled(_ symbol: String) -> String {
        guard let name = swift_demangle(symbol, UInt(symbol.utf8.count), nil, nil, 0) else {
            return symbol
        }
        defer { free(name) }
        return String(cString: name)
    }

    /// Returns the name without types, arguments and the words of the compiler around it, as in
    /// `Table.insert` for `generic specialization <Swift.Int> of StorageEngine.Table.insert(row:
    /// Swift.Int) throws -> ()`.
    static func short(_ name: String) -> String {
        var name = name.replacing("->", with: "→")
        // What is in brackets goes first, since types contain the words below.
        while let group = name.firstMatch(of: /\([^()]*\)|<[^<>]*>|\{[^{}]*\}/) {
            // An operator such as `<` has no partner and stays.
            name.removeSubrange(group.range)
        }
        var prefix = ""
        if let closure = name.firstMatch(of: /closure #\d+.* in (.*)$/) {
            prefix = "closure in "
            name = String(closure.1)
        }
        if let arrow = name.range(of: " →") { name = String(name[..<arrow.lowerBound]) }
        for word in [" throws", " async", " : "] {
            if let end = name.range(of: word) { name = String(name[..<end.lowerBound]) }
        }
        if let last = name.range(of: " of ", options: .backwards) {
            name = String(name[last.upperBound...])
        }
        for word in ["static ", "infix ", "prefix ", "postfix "] {
            name = name.replacing(word, with: "")
        }
        name = name.trimmingCharacters(in: .whitespaces)
        // The module, of a name that has one: a type begins with a capital letter.
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 1, parts[0].first?.isUppercase == true {
            name = parts.dropFirst().joined(separator: ".")
        }
        return name.isEmpty ? prefix : prefix + name
    }
}
