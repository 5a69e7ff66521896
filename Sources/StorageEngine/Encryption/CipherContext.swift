import CCrypto

/// A reusable AES-256-GCM context of libcrypto, for one computation at a time. Reuse allocates
/// nothing, and sets up the key only when it changes.
///
/// Used by one thread at a time. Each use begins, processes the contents in order, and finishes.
final class CipherContext {
    enum Direction: Int32 {
        case opening = 0
        case sealing = 1
    }

    private static let nonceSize = 12

    private let context: OpaquePointer
    private let direction: Direction
    /// The session whose key is set up.
    private var salt: SessionSalt?

    /// Creates a context; nil if libcrypto has no AES-256-GCM, which its configuration can disable.
    init?(_ direction: Direction) {
        guard let context = EVP_CIPHER_CTX_new() else { preconditionFailure("out of memory") }
        guard
            EVP_CipherInit_ex(
                context, EVP_aes_256_gcm(), nil, nil, nil, direction.rawValue) == 1
        else {
            EVP_CIPHER_CTX_free(context)
            return nil
        }
        self.context = context
        self.direction = direction
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Begins with the nonce that `number` stands for. `key` is only called if the session is not
    /// that of the previous use.
    func begin(
        _ salt: SessionSalt, _ number: UInt32, key: () -> SecretKey,
        authenticating additionalData: SealedPlace.AdditionalData
    ) {
        let nonce: (UInt32, UInt32, UInt32) = (number.littleEndian, 0, 0)
        let isReady = withUnsafeBytes(of: nonce) { nonce in
            assert(nonce.count == Self.nonceSize)
            let nonce = nonce.baseAddress!.assumingMemoryBound(to: UInt8.self)
            if salt == self.salt { return setUp(key: nil, nonce) }
            return key().withUnsafeBytes {
                setUp(key: $0.baseAddress!.assumingMemoryBound(to: UInt8.self), nonce)
            }
        }
        self.salt = salt
        var count: Int32 = 0
        let isBegun = withUnsafeBytes(of: additionalData) {
            EVP_CipherUpdate(
                context, nil, &count, $0.baseAddress!.assumingMemoryBound(to: UInt8.self),
                Int32($0.count)) == 1
        }
        precondition(isReady && isBegun, "libcrypto refused valid arguments")
    }

    private func setUp(key: UnsafePointer<UInt8>?, _ nonce: UnsafePointer<UInt8>) -> Bool {
        EVP_CipherInit_ex(context, nil, nil, key, nonce, direction.rawValue) == 1
    }

    /// Encrypts or decrypts the next bytes. Input and output must not overlap.
    func process(
        _ input: UnsafeRawPointer, into output: UnsafeMutableRawPointer, count: Int
    ) {
        var done: Int32 = 0
        let result = EVP_CipherUpdate(
            context, output.assumingMemoryBound(to: UInt8.self), &done,
            input.assumingMemoryBound(to: UInt8.self), Int32(count))
        precondition(result == 1 && Int(done) == count, "libcrypto refused valid arguments")
    }

    /// Finishes sealing and returns the authentication tag.
    func finishedTag() -> (UInt64, UInt64) {
        precondition(direction == .sealing)
        var tag: (UInt64, UInt64) = (0, 0)
        let isDone = withUnsafeMutableBytes(of: &tag) { tag in
            finish()
                && EVP_CIPHER_CTX_ctrl(
                    context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), tag.baseAddress!) == 1
        }
        precondition(isDone, "libcrypto refused valid arguments")
        return (UInt64(littleEndian: tag.0), UInt64(littleEndian: tag.1))
    }

    /// Finishes opening. Returns whether contents, place and nonce are what was sealed.
    func isAuthentic(_ tag: (UInt64, UInt64)) -> Bool {
        precondition(direction == .opening)
        var tag = (tag.0.littleEndian, tag.1.littleEndian)
        let isSet = withUnsafeMutableBytes(of: &tag) { tag in
            EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), tag.baseAddress!) == 1
        }
        precondition(isSet, "libcrypto refused valid arguments")
        return finish()
    }

    private func finish() -> Bool {
        // GCM produces no output here, but the call requires a buffer.
        var rest: (UInt64, UInt64) = (0, 0)
        var count: Int32 = 0
        return withUnsafeMutableBytes(of: &rest) {
            EVP_CipherFinal_ex(
                context, $0.baseAddress!.assumingMemoryBound(to: UInt8.self), &count) == 1
        }
    }
}
