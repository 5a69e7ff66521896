/// Which version is the newest, in whatever process it was written.
extension Database {
    /// How long a waiting thread may overlook that it is to stop: `wakeWaiters` does not reach one
    /// that has just asked and is about to sleep.
    private static let longestSleep = Duration.seconds(1)

    /// The newest version that readers may see. Costs one load from memory.
    public var newestVersion: UInt64 { coordinator.visibleVersion }

    /// Whether a loss of power leaves the newest version. For tools.
    package var isNewestVersionDurable: Bool {
        let newest = coordinator.visibleVersion
        return coordinator.durableVersion >= newest
    }

    /// Blocks the calling thread until a version newer than `version` may be read, at most for
    /// `timeout` (nil: without limit), and returns the newest version then. It is `version`, or an
    /// older one, if the time is over or `isCancelled` says true.
    ///
    /// Commits of other processes end it within microseconds, as those of this one do. To stop it,
    /// make `isCancelled` true, then call ``wakeWaiters()``; at the latest it returns a second
    /// later. It keeps no version from going.
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

    /// Wakes all threads of all processes that wait for a version of this file; those that are not
    /// cancelled go on waiting.
    public func wakeWaiters() { coordinator.wakeWaiters() }
}
