/// Deriving the cipher of a file from the user's key.
extension FileHeader {
    /// Makes the header of a new file that of an encrypted file.
    ///
    /// - Throws: `.fileAccess` if libcrypto cannot be used.
    mutating func encrypt(key: [UInt8], path: String) throws(StorageError) {
        let salt = (0..<Encryption.saltSize).map { _ in UInt8.random(in: 0 ... .max) }
        let cipher = try makeCipher(key: key, salt: salt, path: path)
        encryption = Encryption(salt: salt, keyCheck: cipher.keyCheck.bytes)
    }

    /// Returns the cipher of the file's contents; nil for a plain file.
    ///
    /// - Throws: `.wrongKey`; `.fileAccess` if libcrypto cannot be used.
    func cipher(key: [UInt8]?, path: String) throws(StorageError) -> FileCipher? {
        switch (encryption, key) {
        case (nil, nil): return nil
        case (nil, .some):
            throw wrongKey(path, "the file is not encrypted. Open it without a key.")
        case (.some, nil):
            throw wrongKey(
                path,
                "the file is encrypted, and no key was given. Open it with the key that it was "
                    + "created with.")
        case (let encryption?, let key?):
            let cipher = try makeCipher(key: key, salt: encryption.salt, path: path)
            guard cipher.keyCheck.equals(encryption.keyCheck) else {
                throw wrongKey(
                    path,
                    "the key is not the one that the file was created with. Open it with that "
                        + "key.")
            }
            return cipher
        }
    }

    private func makeCipher(
        key: [UInt8], salt: [UInt8], path: String
    ) throws(StorageError) -> FileCipher {
        let parameters =
            withUnsafeBytes(of: fileID.0.littleEndian, Array.init)
            + withUnsafeBytes(of: fileID.1.littleEndian, Array.init)
            + withUnsafeBytes(of: UInt32(pageSize).littleEndian, Array.init)
        guard
            let cipher = FileCipher(
                userKey: key, salt: salt, fileID: fileID, parameters: parameters)
        else {
            throw StorageError(
                .fileAccess, path: path,
                message: "Realm file at path '\(path)' cannot be opened: libcrypto, as it is "
                    + "configured on this machine (openssl.cnf), offers no AES-256-GCM or no "
                    + "HMAC-SHA256.")
        }
        return cipher
    }

    private func wrongKey(_ path: String, _ reason: String) -> StorageError {
        StorageError(
            .wrongKey, path: path,
            message: "Failed to open Realm file at path '\(path)': Realm file decryption failed: "
                + reason)
    }
}

extension FileCipher {
    /// Checks the length of a key.
    ///
    /// - Throws: `.invalidArgument` for a key that does not have 64 bytes.
    static func checkLength(of key: [UInt8]?, path: String) throws(StorageError) {
        guard let key, key.count != userKeySize else { return }
        throw StorageError(
            .invalidArgument, path: path,
            message: "Realm file at path '\(path)' cannot be opened: an encryption key has "
                + "\(userKeySize) bytes, and the one given has \(key.count).")
    }
}
