import StorageEngine

/// What a notifier knows; guarded by its lock.
struct ObservationState {
    /// The Realm; nil when it has gone. It is retained only with `ReferenceCounts`, because its
    /// last reference may be going.
    var realm: Unmanaged<RealmInstance>?
    /// Reads versions in the background; nil unless something is registered.
    var background: RealmInstance?
    /// For each version that some handler knows, one that can tell what came after.
    var observations: [UInt64: ChangeObservation] = [:]
    /// In the order in which they are called.
    var registrations: [Registration] = []
    var realmHandlers: [RealmHandler] = []
    var subscription: VersionSubscription?

    /// The version for which everything is prepared, and since when; nil if it was taken.
    var prepared: (version: UInt64, time: UInt64)?
    /// Whether preparing in the background has failed. It is tried again where the Realm is
    /// confined, so that an error is told there.
    var hasFailed = false
    /// Whether the Realm is in a write transaction.
    var isWriting = false
    /// The number of deliveries that are under way: more than one if a handler moves the Realm.
    var deliveries = 0
    /// Whether the scheduler was asked, and has not yet called.
    var isAsked = false
    /// Whether the Realm moves to newer versions by itself.
    var movesByItself = true
    /// Whether the Realm moves although nothing is observed.
    var isFollowing = false
    /// Whether what was prepared is prepared again, because there were more transactions.
    var isRetrying = false
    /// The version for which `.refreshRequired` was sent last.
    var versionRequired: UInt64 = 0
}

extension ObservationState {
    /// Whether there are handlers.
    var isObserving: Bool { !registrations.isEmpty || !realmHandlers.isEmpty }
}

// MARK: Preparing

extension ObservationState {
    /// Finds out what to tell each handler about the newest version, or about the one that
    /// `target` reads.
    mutating func prepare(_ target: Connection? = nil) throws {
        forgetPrepared()
        guard let background, !registrations.isEmpty else { return }
        hasFailed = true
        if let target {
            try background.connection.read(like: target)
        } else {
            _ = try background.connection.refresh()
        }
        background.didMove()
        let version = background.connection.version
        var comparison = Comparison(background: background, observations: observations)
        for registration in registrations where registration.isActive {
            let (report, base) = try comparison.result(for: registration)
            registration.pending = Registration.Pending(
                version: version, report: report, base: base)
        }
        prepared = (version, System.monotonicNanoseconds)
        hasFailed = false
    }

    /// Whether everything is prepared for a version.
    func isPrepared(for version: UInt64) -> Bool {
        prepared?.version == version && registrations.allSatisfy { $0.pending != nil }
    }

    /// Forgets what was prepared, and releases the version.
    mutating func forgetPrepared() {
        for registration in registrations { registration.pending = nil }
        if prepared == nil { return }
        prepared = nil
        background?.connection.endRead()
    }

    /// Whether there is something to do: the Realm, if it moves by itself, does not show the
    /// version `newest`, or a handler does not know the version that it is to be told of.
    func isBehind(_ newest: UInt64, realmShows version: UInt64) -> Bool {
        // A version that the Realm has committed and that is not published yet. Its publication
        // wakes the watch thread.
        if version > newest { return false }
        // Otherwise a Realm that stays at its version would be asked to move for ever.
        let target = movesByItself ? newest : version
        return version != target || registrations.contains { $0.isActive && $0.version != target }
    }

    /// Comparisons with one version. Handlers of the same thing share the result.
    private struct Comparison {
        let background: RealmInstance
        let observations: [UInt64: ChangeObservation]
        private var steps: [UInt64: VersionStep] = [:]
        private var results: [Key: (Registration.Report?, ObservedBase)] = [:]

        private struct Key: Hashable {
            var observed: ObjectIdentifier
            var version: UInt64?
        }

        init(background: RealmInstance, observations: [UInt64: ChangeObservation]) {
            self.background = background
            self.observations = observations
        }

        mutating func result(
            for registration: Registration
        ) throws -> (Registration.Report?, ObservedBase) {
            let key = Key(
                observed: ObjectIdentifier(registration.observed), version: registration.version)
            if let known = results[key] { return known }
            let result = try compare(registration)
            results[key] = result
            return result
        }

        private mutating func compare(
            _ registration: Registration
        ) throws -> (Registration.Report?, ObservedBase) {
            guard let version = registration.version else {
                return (.initial, try registration.observed.base())
            }
            if version == background.connection.version { return (nil, registration.base) }
            return try registration.observed.compare(
                registration.base, over: try step(from: version))
        }

        private mutating func step(from version: UInt64) throws -> VersionStep {
            if let known = steps[version] { return known }
            guard let observation = observations[version] else {
                stop("Version \(version) is not observed.")
            }
            let step = VersionStep(
                try observation.changes(), from: observation.previous, in: background)
            steps[version] = step
            return step
        }
    }
}

// MARK: Telling

extension ObservationState {
    /// Takes what is prepared for the version that the Realm shows now. Returns the handlers to
    /// call; the others know the version from now on.
    mutating func take() throws -> [Registration] {
        guard let background, let version = prepared?.version else { return [] }
        if observations[version] == nil {
            observations[version] = try background.connection.observeChanges()
        }
        prepared = nil
        var due: [Registration] = []
        for registration in registrations {
            if registration.pending?.report != nil {
                due.append(registration)
            } else {
                registration.adoptPending()
            }
        }
        return due
    }

    /// Returns what to tell a handler now; nil if it has ended, or was told meanwhile because a
    /// handler that was called before it moved the Realm.
    func takeReport(_ registration: Registration) -> Registration.Report? {
        guard registration.isActive, let report = registration.pending?.report else { return nil }
        let includesOwn = registration.includesOwn
        registration.adoptPending()
        return includesOwn ? report.withoutOldValues : report
    }

    /// Has handlers know the version that the Realm shows, without being told what has changed.
    mutating func skip(_ skipped: [Registration], to current: Connection) throws {
        guard let background else { return }
        forgetPrepared()
        try background.connection.read(like: current)
        background.didMove()
        let version = background.connection.version
        if observations[version] == nil {
            observations[version] = try background.connection.observeChanges()
        }
        var comparison = Comparison(background: background, observations: observations)
        for registration in skipped where registration.version != nil {
            registration.base = try comparison.result(for: registration).1
            registration.version = version
            registration.includesOwn = false
        }
    }

    /// Releases the versions that no handler knows any more.
    mutating func dropUnusedObservations() {
        let used = Set(
            registrations.compactMap(\.version) + registrations.compactMap(\.pending?.version))
        observations = observations.filter { used.contains($0.key) }
    }

    /// Removes handlers that have ended, and releases what nobody needs any more. Returns what to
    /// cancel outside of the lock.
    mutating func clean() -> VersionSubscription? {
        registrations.removeAll { !$0.isActive }
        realmHandlers.removeAll { !$0.isActive }
        dropUnusedObservations()
        if !registrations.isEmpty { return nil }
        background = nil
        prepared = nil
        if isObserving || isFollowing { return nil }
        defer { subscription = nil }
        return subscription
    }
}
