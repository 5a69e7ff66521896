import CCrypto

/// 32 bytes that only holders of the user's key can compute.
struct SecretKey: Sendable {
    static let size = 32

    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    init() {}

    var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Swift.withUnsafeBytes(of: words, body)
    }

    fileprivate mutating func withUnsafeMutableBytes<Result>(
        _ body: (UnsafeMutableRawBufferPointer) -> Result
    ) -> Result {
        Swift.withUnsafeMutableBytes(of: &words, body)
    }

    /// Compares in constant time, so that timing does not reveal where the two differ.
    func equals(_ other: [UInt8]) -> Bool {
        other.count == Self.size
            && withUnsafeBytes { CRYPTO_memcmp($0.baseAddress!, other, Self.size) == 0 }
    }
}

/// HKDF with SHA-256 (RFC 5869), which derives many independent keys from one secret.
enum KeyDerivation {
    /// HKDF-Extract.
    static func extract(salt: [UInt8], from secret: [UInt8]) -> SecretKey {
        salt.withUnsafeBytes { authenticationCode(of: secret, key: $0) }
    }

    /// The first 32 bytes of HKDF-Expand. Different values of `info` give independent keys.
    static func expand(_ key: SecretKey, info: [UInt8]) -> SecretKey {
        key.withUnsafeBytes { authenticationCode(of: info + [1], key: $0) }
    }

    /// Whether libcrypto has HMAC-SHA256, which its configuration can disable.
    static var isAvailable: Bool {
        withUnsafeBytes(of: UInt64(0)) { hash([], key: $0) } != nil
    }

    private static func authenticationCode(
        of message: [UInt8], key: UnsafeRawBufferPointer
    ) -> SecretKey {
        guard let code = hash(message, key: key) else {
            preconditionFailure("libcrypto had HMAC-SHA256 when the file was opened")
        }
        return code
    }

    /// Returns the HMAC-SHA256, or nil if libcrypto fails.
    private static func hash(_ message: [UInt8], key: UnsafeRawBufferPointer) -> SecretKey? {
        var code = SecretKey()
        let isDone = code.withUnsafeMutableBytes { target in
            HMAC(
                EVP_sha256(), key.baseAddress, Int32(key.count), message, message.count,
                target.baseAddress!.assumingMemoryBound(to: UInt8.self), nil) != nil
        }
        return isDone ? code : nil
    }
}
