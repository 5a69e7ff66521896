import CRealmSystem

/// Seals and opens everything that one encrypted file stores behind its header. Nothing else in the
/// engine knows keys, nonces or libcrypto.
///
/// AES-256-GCM. The file's key comes from the 64 bytes that the user gave and the file's salt; each
/// session of writing has a key of its own, derived from the file's key and the session's salt,
/// and numbers its seals. Any thread may call any method.
final class FileCipher: Sendable {
    /// Bytes of the key that a user gives.
    static let userKeySize = 64
    /// Bytes of a file's salt, and of its key check.
    static let saltSize = 32
    static let keyCheckSize = SecretKey.size

    /// Keys of sessions that are kept: each writing process since the file was made may have left
    /// pages behind. 256 keys are 16 KiB.
    private static let maximumKnownKeys = 256
    private static let maximumIdleWorkspaces = 8

    /// Tells whether a key is the file's, and nothing about the key. Kept in the file's header.
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

    /// Nil where libcrypto, as it is configured on this machine, lacks what this needs.
    ///
    /// `parameters` are what the header says about the file: a key does not fit a file whose header
    /// was made to say something else.
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

    /// Writes a seal and the encrypted contents to `target`, which must not overlap them and has
    /// room for 32 bytes more. Returns the seal's first word, which is as random as a hash.
    @discardableResult
    func seal(
        _ contents: UnsafeRawBufferPointer, for place: SealedPlace,
        to target: UnsafeMutableRawPointer
    ) -> UInt64 {
        sealing.withLock { sealing in
            let (salt, number) = sealing.session.next()
            sealing.context.begin(
                salt, number, key: { key(of: salt) },
                place.additionalData(fileID: fileID))
            sealing.context.process(
                contents.baseAddress!, into: target + Seal.size, count: contents.count)
            let seal = Seal(tag: sealing.context.finishedTag(), salt: salt, number: number)
            seal.store(at: target)
            return seal.tag.0
        }
    }

    // MARK: Opening

    /// Opens contents whose length their first 16 bytes tell, and calls `body` with them: the seal,
    /// then the contents; nil if they are not what was sealed for this place with this key.
    ///
    /// See ``CipherWorkspace/open(_:key:_:byteCount:)``.
    func withOpened<Result, Failure: Error>(
        _ sealed: UnsafeRawBufferPointer, at place: SealedPlace,
        byteCount: (UnsafeRawPointer) -> Int?,
        _ body: (UnsafeRawBufferPointer?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let workspace = idleWorkspaces.withLock { $0.popLast() } ?? newWorkspace()
        defer { putBack(workspace) }
        return try body(
            workspace.open(
                sealed, key: key, place.additionalData(fileID: fileID), byteCount: byteCount))
    }

    /// Opens contents of a known length; nil if they are not what was sealed.
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
