import Glibc

/// Creating, opening, checking and sizing the lock file.
///
/// Its name is only the database's name with an extension, so the path may lead to anything. A file
/// that is not this library's is left unchanged and reported. A file is recognized as a lock file
/// if it is a regular file, its path is not a symbolic link, and it is empty, all zeros (as power
/// loss may leave it), or begins with the magic number, which is written before everything else and
/// never removed.
extension OpenRequest {
    /// The largest size at which a file of zeros is accepted as a lock file.
    private static let mostZeros: UInt64 = 1 << 20
    private static let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

    /// Opens the lock file, creating it if it is missing. Returns nil if a reader may not create or
    /// open it.
    func openLockFile() throws(StorageError) -> Int32? {
        let descriptor: Int32
        do {
            descriptor = try openOrCreate()
        } catch {
            if readOnly, Self.isDenial(error) { return nil }
            throw openFailure(error)
        }
        do throws(StorageError) {
            try closeInForkedChild(descriptor)
            // This check comes before waiting for a lock of the file: the locks of another database
            // might be held forever.
            _ = try checkIsOurs(descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private func openOrCreate() throws(SystemFailure) -> Int32 {
        while true {
            do {
                return try System.open(lockPath, flags: Self.flags)
            } catch {
                guard error.errno == ENOENT else { throw error }
            }
            do {
                // No other user may open it until it has the access rights of the data file.
                return try System.open(
                    lockPath, flags: Self.flags | O_CREAT | O_EXCL, permissions: 0o600)
            } catch {
                // Another process has just created it.
                guard error.errno == EEXIST else { throw error }
            }
        }
    }

    /// Gives the lock file the owner and group of the data file, as far as this process may, and
    /// access to users who may write the data file. A user who may only read has no use for the
    /// lock file, and could use it to block others. Only the sole opener calls this; it has an
    /// effect only if the lock file belongs to this user, or the user is root.
    func setAccess(_ lockFile: Int32) throws(StorageError) {
        do throws(SystemFailure) {
            let present = try System.status(lockFile)
            let user = System.effectiveUser
            guard present.owner == user || user == 0 else { return }
            var wanted = status
            wanted.permissions = 0o600
            for bits in [mode_t(0o060), 0o006] where status.permissions & bits == bits {
                wanted.permissions |= bits
            }
            try System.setAccess(lockFile, from: present, to: wanted)
        } catch {
            throw lockFileError(error, .open)
        }
    }

    private func openFailure(_ failure: SystemFailure) -> StorageError {
        switch failure.errno {
        case ELOOP: foreign("a symbolic link")
        case EISDIR: foreign("a directory")
        case ENXIO: foreign("a socket or a device")
        default: lockFileError(failure, .open)
        }
    }

    /// The error for a path of the lock file that leads to something which is not this library's.
    private func foreign(_ kind: String) -> StorageError {
        StorageError(
            .incompatibleLockFile, path: path,
            message: "The database at path '\(path)' cannot be opened: its lock file would be "
                + "'\(lockPath)', and that is \(kind). Move it away, or open the database under "
                + "another name")
    }

    /// Returns the size of the opened file, or throws if it must not be overwritten. Changes
    /// nothing.
    func checkIsOurs(_ lockFile: Int32) throws(StorageError) -> UInt64 {
        let status: System.FileStatus
        let isOurs: Bool
        do throws(SystemFailure) {
            status = try System.status(lockFile)
            guard status.isRegularFile else { throw SystemFailure(call: .open, errno: ENXIO) }
            isOurs = status.size == 0 ? true : try beginsAsOurs(lockFile, size: status.size)
        } catch {
            throw openFailure(error)
        }
        if !isOurs { throw foreign("a file of something else") }
        return status.size
    }

    private func beginsAsOurs(_ lockFile: Int32, size: UInt64) throws(SystemFailure) -> Bool {
        var word: UInt64 = 0
        let count = try Self.read(lockFile, into: &word)
        if count == MemoryLayout<UInt64>.size, SharedRegion.isMagic(word) { return true }
        guard word == 0, size <= Self.mostZeros else { return false }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemFailure) in
                try System.read(lockFile, into: buffer, at: 0)
            }
        }
        _ = try result.get()
        return bytes.allSatisfy { $0 == 0 }
    }

    private static func read(
        _ descriptor: Int32, into word: inout UInt64
    ) throws(SystemFailure) -> Int {
        let result = withUnsafeMutableBytes(of: &word) { buffer in
            Result { () throws(SystemFailure) in
                try System.read(descriptor, into: buffer, at: 0)
            }
        }
        return try result.get()
    }

    /// Extends the file to whole blocks, and returns their number. A file that has grown keeps its
    /// length. Only the sole opener may call this, and it must clear the blocks next. `size` is the
    /// current size of the file.
    ///
    /// The file is never truncated. No process has it mapped at this time, but a bug elsewhere must
    /// not become a SIGBUS.
    func allocate(_ lockFile: Int32, size: UInt64) throws(StorageError) -> Int {
        let blocks = SharedRegion.blocks(toHold: size)
        do {
            try SharedRegion.allocate(lockFile, blocks: 0..<blocks)
        } catch {
            throw lockFileError(error, .resize)
        }
        return blocks
    }

    /// Whether the opened file is still the one at the path. Another process may have removed it
    /// before its lock was acquired.
    func isAtLockPath(_ lockFile: Int32) -> Bool {
        guard let opened = try? System.status(lockFile),
            let present = try? System.status(path: lockPath, followsLinks: false)
        else { return false }
        return opened.inode == present.inode && opened.device == present.device
    }

    func map(_ lockFile: Int32) throws(StorageError) -> SharedRegion {
        let mapped: Int32
        do {
            mapped = try System.open(lockPath, flags: Self.flags)
        } catch {
            throw openFailure(error)
        }
        defer { System.close(mapped) }
        do {
            let (locked, present) = (try System.status(lockFile), try System.status(mapped))
            if locked.inode == present.inode, locked.device == present.device {
                return SharedRegion(
                    base: try System.mapShared(mapped, length: SharedRegion.size))
            }
        } catch {
            throw lockFileError(error, .map)
        }
        throw incompatible("it was replaced while the database was being opened")
    }
}

extension StorageError {
    /// The error for a failed system call on `.lock`. `path` is that of the data file.
    static func ofLockFile(
        _ failure: SystemFailure, _ operation: Operation, path: String
    ) -> StorageError {
        let error = StorageError(failure, operation, path: path + ".lock")
        return StorageError(
            error.code, path: path, message: error.message, systemError: error.systemError)
    }
}
