/// Asking for the newest version of all processes, and waiting for a newer one.
extension Database {
    /// The newest version that readers may see. Costs one load from memory.
    public var newestVersion: UInt64 { coordinator.visibleVersion }

    /// The number of versions from the oldest one that a reader of any process has pinned to the
    /// newest one, both included; 1 if nothing older is pinned.
    public var activeVersionCount: UInt64 {
        coordinator.clearDeadProcesses()
        let newest = coordinator.visibleVersion
        let oldest = coordinator.pinnedVersions().first?.version ?? newest
        return newest - min(oldest, newest) + 1
    }

    /// Whether the newest version would survive a power loss. For tools.
    package var isNewestVersionDurable: Bool {
        let newest = coordinator.visibleVersion
        return coordinator.survivingVersion >= newest
    }

    /// Blocks the calling thread until a version newer than `version` may be read, at most for
    /// `timeout` (nil: without limit), and returns the newest version then. It is `version`, or an
    /// older one, if the time is over or `isCancelled` returns true.
    ///
    /// Commits of any process end the wait within microseconds. To cancel it, make `isCancelled`
    /// return true, then call ``wakeWaiters()``. It pins no version.
    public func waitForVersion(
        newerThan version: UInt64, timeout: Duration? = nil,
        isCancelled: () -> Bool = { false }
    ) -> UInt64 {
        coordinator.waitForVersion(
            newerThan: version, timeout: timeout, isCancelled: isCancelled)
    }

    /// Wakes all threads of all processes that wait for a version of this file. Those that are not
    /// cancelled go on waiting.
    public func wakeWaiters() { coordinator.wakeWaiters() }
}

extension Database {
    /// Whether the path by which the file was opened leads to it no more, because the file was
    /// moved or removed.
    public var hasLeftItsPath: Bool {
        if file.isInMemory { return false }
        guard let present = try? System.identity(path: path) else { return true }
        guard let own = try? System.identity(file.descriptor) else { return false }
        return present.device != own.device || present.inode != own.inode
    }
}
