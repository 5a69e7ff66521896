import ArgumentParser
import Foundation
import StorageEngine
import ToolSupport

/// Keys of encrypted files, as users keep them.
public enum EncryptionKey {
    /// Bytes of a key.
    public static let size = Database.Options.encryptionKeySize

    /// Reads a key from a file. An argument would be visible to every user of the machine.
    static func read(file path: String) throws(ToolError) -> [UInt8] {
        guard let bytes = InputBuffer.contents(of: path) else {
            throw ToolError(.usage, "The key file '\(path)' cannot be read.")
        }
        guard let key = decode(bytes) else {
            throw ToolError(
                .usage,
                "The key file '\(path)' holds no key: it has \(bytes.count) bytes, which are "
                    + "neither the \(size) bytes of a key nor their \(size * 2) hexadecimal "
                    + "digits.")
        }
        return key
    }

    /// Reads a key from an environment variable.
    static func read(variable name: String) throws(ToolError) -> [UInt8] {
        guard let text = ProcessInfo.processInfo.environment[name] else {
            throw ToolError(.usage, "The environment has no variable '\(name)'.")
        }
        guard text.utf8.count != size, let key = decode(Array(text.utf8)) else {
            throw ToolError(
                .usage,
                "The environment variable '\(name)' holds no key: it has \(text.utf8.count) "
                    + "characters instead of \(size * 2) hexadecimal digits.")
        }
        return key
    }

    /// Returns the key that is given as its bytes or as hexadecimal digits, which white space may
    /// follow; nil if it is neither.
    public static func decode(_ bytes: [UInt8]) -> [UInt8]? {
        if bytes.count == size { return bytes }
        var digits = bytes[...]
        while let last = digits.last, [9, 10, 13, 32].contains(last) { digits.removeLast() }
        guard digits.count == size * 2 else { return nil }
        return digits.withUnsafeBytes { HexText.decode($0) }
    }
}

/// The options that name the key of a file.
struct KeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "For an encrypted file: a file with its key, as 64 bytes or 128 hexadecimal digits.",
            valueName: "file"))
    var keyFile: String?

    @Option(
        help: ArgumentHelp(
            "For an encrypted file: the environment variable with its key, as 128 hexadecimal "
                + "digits.",
            valueName: "name"))
    var keyVariable: String?

    /// The key; nil for a plain file.
    func key() throws(ToolError) -> [UInt8]? {
        switch (keyFile, keyVariable) {
        case (let file?, nil): try EncryptionKey.read(file: file)
        case (nil, let variable?): try EncryptionKey.read(variable: variable)
        case (nil, nil): nil
        case (_?, _?):
            throw ToolError(.usage, "--key-file and --key-variable both name a key. Give one.")
        }
    }
}

/// The options that name the key that a file gets.
struct NewKeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with the new key, as 64 bytes or 128 hexadecimal digits.", valueName: "file"))
    var newKeyFile: String?

    @Option(
        help: ArgumentHelp(
            "The environment variable with the new key, as 128 hexadecimal digits.",
            valueName: "name"))
    var newKeyVariable: String?

    func key() throws(ToolError) -> [UInt8] {
        switch (newKeyFile, newKeyVariable) {
        case (let file?, nil): return try EncryptionKey.read(file: file)
        case (nil, let variable?): return try EncryptionKey.read(variable: variable)
        default:
            throw ToolError(
                .usage,
                "Name the new key with --new-key-file or --new-key-variable. This makes a file "
                    + "with a key: head -c 64 /dev/urandom > people.key")
        }
    }
}
