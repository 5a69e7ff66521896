import CCrypto

/// One AES-256-GCM computation at a time of libcrypto. Reused, it allocates nothing, and sets up
/// the key only when that changes.
///
/// Used by one thread at a time. Begin, process the contents in order, finish.
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

    /// Nil where libcrypto has no AES-256-GCM: its configuration can take it away.
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

    /// Starts with the nonce that `number` is. The key is asked for only if the session is another
    /// than the last one.
    func begin(
        _ salt: SessionSalt, _ number: UInt32, key: () -> SecretKey,
        _ additionalData: SealedPlace.AdditionalData
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

    /// Encrypts or decrypts the next bytes; the two places must not overlap.
    func process(
        _ input: UnsafeRawPointer, into output: UnsafeMutableRawPointer, count: Int
    ) {
        var done: Int32 = 0
        let result = EVP_CipherUpdate(
            context, output.assumingMemoryBound(to: UInt8.self), &done,
            input.assumingMemoryBound(to: UInt8.self), Int32(count))
        precondition(result == 1 && Int(done) == count, "libcrypto refused valid arguments")
    }

    /// Ends a sealing.
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

    /// Ends an opening: whether contents, place and nonce are what was sealed.
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
        // Nothing comes out at the end of this mode, but there has to be a place for it.
        var rest: (UInt64, UInt64) = (0, 0)
        var count: Int32 = 0
        return withUnsafeMutableBytes(of: &rest) {
            EVP_CipherFinal_ex(
                context, $0.baseAddress!.assumingMemoryBound(to: UInt8.self), &count) == 1
        }
    }
}
