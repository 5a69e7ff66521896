import CKeyDerivation
import Foundation

/// Asks for a passphrase: in a terminal without showing it, else the next line of the input.
func readPassphrase(_ prompt: String) throws -> String {
    if isatty(STDIN_FILENO) == 0 {
        guard let line = readLine() else { throw Refusal(description: "There is no passphrase.") }
        return line
    }
    guard let typed = getpass(prompt + ": ") else {
        throw Refusal(description: "There is no terminal to ask for the passphrase.")
    }
    return String(cString: typed)
}

/// Asks for a new passphrase, twice.
func readNewPassphrase(_ prompt: String) throws -> String {
    let passphrase = try readPassphrase(prompt)
    guard !passphrase.isEmpty else { throw Refusal(description: "A passphrase has a character.") }
    guard try readPassphrase("Again") == passphrase else {
        throw Refusal(description: "The two passphrases differ. Nothing was changed.")
    }
    return passphrase
}

/// The salt of a list: random bytes beside its file, which make equal passphrases of different
/// lists give different keys. It is no secret, but without it the list cannot be opened.
struct Salt {
    let bytes: [UInt8]

    static func url(for list: URL) -> URL { list.appendingPathExtension("salt") }

    init(existingFor list: URL) throws {
        bytes = Array(try Data(contentsOf: Self.url(for: list)))
    }

    init(newFor list: URL) throws {
        var generator = SystemRandomNumberGenerator()
        bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        try Data(bytes).write(to: Self.url(for: list), options: .withoutOverwriting)
    }

    /// The 64 bytes that Realm takes as a key.
    ///
    /// A passphrase is guessed by trying many. So the function that turns it into a key is slow on
    /// purpose, and takes much memory, which hardware for guessing has little of: scrypt, here with
    /// 32 MiB, three times over.
    func key(for passphrase: String) throws -> Data {
        let (cost, blockSize, passes): (UInt64, UInt64, UInt64) = (1 << 15, 8, 3)
        var key = [UInt8](repeating: 0, count: 64)
        // The same text can be typed as different bytes, for example "é" as one character or two.
        let typed = passphrase.precomposedStringWithCanonicalMapping
        let result = EVP_PBE_scrypt(
            typed, typed.utf8.count, bytes, bytes.count, cost, blockSize, passes, 64 << 20, &key,
            key.count)
        guard result == 1 else { throw Refusal(description: "libcrypto could not make the key.") }
        return Data(key)
    }
}
