/// Asking for the newest version of all processes, and waiting for a newer one.
extension Database {
    /// The longest time for which a waiting thread may overlook that it is to stop: `wakeWaiters`
    /// does not wake a thread that has just asked and is about to sleep.
    private static let longestSleep = Duration.seconds(1)

    /// The newest version that readers may see. Costs one load from memory.
    public var newestVersion: UInt64 { coordinator.visibleVersion }

    /// Whether the newest version would survive a power loss. For tools.
    package var isNewestVersionDurable: Bool {
        let newest = coordinator.visibleVersion
        return coordinator.durableVersion >= newest
    }

    /// Blocks the calling thread until a version newer than `version` may be read, at most for
    /// `timeout` (nil: without limit), and returns the newest version then. It is `version`, or an
    /// older one, if the time is over or `isCancelled` returns true.
    ///
    /// Commits of any process end the wait within microseconds. To cancel it, make `isCancelled`
    /// return true, then call ``wakeWaiters()``; the function returns a second later at the latest.
    /// It pins no version.
    public func waitForVersion(
        newerThan version: UInt64, timeout: Duration? = nil,
        isCancelled: () -> Bool = { false }
    ) -> UInt64 {
        let clock = ContinuousClock()
        let deadline = timeout.map { clock.now + $0 }
        while true {
            let newest = newestVersion
            if newest > version || isCancelled() { return newest }
            let remaining = deadline.map { clock.now.duration(to: $0) } ?? Self.longestSleep
            if remaining <= .zero { return newest }
            _ = coordinator.waitForVersion(
                newerThan: version, timeout: min(remaining, Self.longestSleep))
        }
    }

    /// Wakes all threads of all processes that wait for a version of this file. Those that are not
    /// cancelled go on waiting.
    public func wakeWaiters() { coordinator.wakeWaiters() }
}
