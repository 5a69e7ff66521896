import CRealmSystem

/// Seals and opens everything that one encrypted file stores behind its header. Nothing else in the
/// engine knows keys, nonces or libcrypto.
///
/// The cipher is AES-256-GCM. The file's key is derived from the user's 64 bytes and the file's
/// salt. Each session of writing numbers its seals and has its own key, derived from the file's key
/// and the session's salt. Any thread may call any method.
final class FileCipher: Sendable {
    /// The bytes of the key that a user gives.
    static let userKeySize = 64
    /// The bytes of a file's salt, and of its key check.
    static let saltSize = 32
    static let keyCheckSize = SecretKey.size

    /// The number of session keys that are cached. Each process that has written to the file may
    /// have left pages sealed in sessions of its own. 256 keys take 16 KiB.
    private static let maximumKnownKeys = 256
    private static let maximumIdleWorkspaces = 8

    /// A value that verifies whether a key is the file's, without revealing the key. Stored in the
    /// file's header.
    let keyCheck: SecretKey

    private let fileID: (UInt64, UInt64)
    private let fileKey: SecretKey
    private let forkGeneration = realm_fork_generation()
    private let sealing: Locked<Sealing>
    private let sessionKeys = Locked<[SessionSalt: SecretKey]>([:])
    private let idleWorkspaces: Locked<[CipherWorkspace]>

    private struct Sealing {
        let context: CipherContext
        var session: SealingSession
    }

    /// Creates the cipher of a file; nil if libcrypto, as configured on this machine, lacks an
    /// algorithm.
    ///
    /// `parameters` are the header's fields that the key check covers. If they are changed, the key
    /// no longer fits the file.
    init?(
        userKey: [UInt8], salt: [UInt8], fileID: (UInt64, UInt64), parameters: [UInt8],
        sealsInSession: UInt32 = SealingSession.maximumSeals
    ) {
        precondition(userKey.count == Self.userKeySize && salt.count == Self.saltSize)
        realm_watch_forks()
        Libcrypto.keepUntilProcessEnds()
        guard KeyDerivation.isAvailable, let context = CipherContext(.sealing),
            let workspace = CipherWorkspace()
        else { return nil }
        self.fileID = fileID
        fileKey = KeyDerivation.extract(salt: salt, from: userKey)
        keyCheck = KeyDerivation.expand(
            fileKey, info: Array("realm key check".utf8) + parameters)
        sealing = Locked(
            Sealing(context: context, session: SealingSession(limit: sealsInSession)))
        idleWorkspaces = Locked([workspace])
    }

    /// Whether this process is a forked child of the one that opened the file.
    var isForked: Bool { realm_fork_generation() != forkGeneration }

    // MARK: Sealing

    /// Writes a seal and the encrypted contents to `target`, which must not overlap the contents
    /// and has room for 32 more bytes. Returns the seal.
    @discardableResult
    func seal(
        _ contents: UnsafeRawBufferPointer, for place: SealedPlace,
        to target: UnsafeMutableRawPointer
    ) -> Seal {
        sealing.withLock { sealing in
            let (salt, number) = sealing.session.next()
            return seal(
                contents, salt: salt, number: number, for: place, with: sealing.context, to: target)
        }
    }

    /// Writes the same seal and encrypted contents that were written for this place before, if the
    /// contents are the same. Otherwise it returns false, and `target` must not be used: its bytes
    /// would tell two contents that were encrypted with the same key and nonce.
    func repeatSeal(
        _ seal: Seal, of contents: UnsafeRawBufferPointer, for place: SealedPlace,
        to target: UnsafeMutableRawPointer
    ) -> Bool {
        sealing.withLock { sealing in
            let repeated = self.seal(
                contents, salt: seal.salt, number: seal.number, for: place, with: sealing.context,
                to: target)
            return repeated == seal
        }
    }

    private func seal(
        _ contents: UnsafeRawBufferPointer, salt: SessionSalt, number: UInt32,
        for place: SealedPlace, with context: CipherContext, to target: UnsafeMutableRawPointer
    ) -> Seal {
        context.begin(
            salt, number, key: { key(of: salt) },
            authenticating: place.additionalData(fileID: fileID))
        context.process(contents.baseAddress!, into: target + Seal.size, count: contents.count)
        let seal = Seal(tag: context.finishedTag(), salt: salt, number: number)
        seal.store(at: target)
        return seal
    }

    // MARK: Opening

    /// Opens contents whose first 16 bytes determine their length, and calls `body` with the seal
    /// followed by the contents. Calls it with nil if they are not what was sealed for this place
    /// with this key.
    ///
    /// See ``CipherWorkspace/open(_:key:authenticating:byteCount:)``.
    func withOpened<Result, Failure: Error>(
        _ sealed: UnsafeRawBufferPointer, at place: SealedPlace,
        byteCount: (UnsafeRawPointer) -> Int?,
        _ body: (UnsafeRawBufferPointer?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let workspace = idleWorkspaces.withLock { $0.popLast() } ?? newWorkspace()
        defer { putBack(workspace) }
        return try body(
            workspace.open(
                sealed, key: key, authenticating: place.additionalData(fileID: fileID),
                byteCount: byteCount))
    }

    /// Opens contents of known length. Returns nil if they are not what was sealed.
    func open(_ sealed: UnsafeRawBufferPointer, at place: SealedPlace) -> [UInt8]? {
        withOpened(
            sealed, at: place, byteCount: { _ in sealed.count },
            { opened in opened.map { Array($0.dropFirst(Seal.size)) } })
    }

    private func newWorkspace() -> CipherWorkspace {
        guard let workspace = CipherWorkspace() else {
            preconditionFailure("libcrypto had AES-256-GCM when the file was opened")
        }
        return workspace
    }

    private func putBack(_ workspace: CipherWorkspace) {
        workspace.shrink()
        idleWorkspaces.withLock {
            if $0.count < Self.maximumIdleWorkspaces { $0.append(workspace) }
        }
    }

    // MARK: Keys

    private func key(of salt: SessionSalt) -> SecretKey {
        if let known = sessionKeys.withLock({ $0[salt] }) { return known }
        let key = KeyDerivation.expand(fileKey, info: Array("realm session".utf8) + salt.bytes)
        sessionKeys.withLock {
            if $0.count >= Self.maximumKnownKeys { $0.removeAll(keepingCapacity: true) }
            $0[salt] = key
        }
        return key
    }
}
