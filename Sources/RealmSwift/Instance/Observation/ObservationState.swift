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
    /// A suspended observation for the next version that a handler knows.
    private var spareObservation: ChangeObservation?
    /// In the order in which they are called.
    var registrations: [Registration] = []
    /// What is observed, in the background Realm.
    var observed: [ObservedIdentity: Observed] = [:]
    var realmHandlers: [RealmHandler] = []
    var subscription: VersionSubscription?

    /// What everything is prepared for; nil if it was taken.
    var prepared: Prepared?
    /// Whether preparing in the background has failed. It is tried again where the Realm is
    /// confined, so that an error is told there.
    var hasFailed = false
    /// Whether what was prepared was dropped, because the Realm did not take it for long.
    var wasDropped = false
    /// Whether the Realm is in a write transaction.
    var isWriting = false
    /// Whether that transaction is being committed.
    var isCommitting = false
    /// The version on which its last write transaction began.
    var versionOfWrite: UInt64 = 0
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
    /// Whether what was told last was not the newest version.
    var wasStale = false
    /// The version for which `.refreshRequired` was sent last.
    var versionRequired: UInt64 = 0
}

extension ObservationState {
    /// A version for which everything is prepared.
    struct Prepared {
        let version: UInt64
        /// When it was, in nanoseconds.
        let time: UInt64

        var age: UInt64 { System.monotonicNanoseconds - time }
    }

    /// Whether there are handlers.
    var isObserving: Bool { !registrations.isEmpty || !realmHandlers.isEmpty }

    var handlers: [ObservingHandler] {
        let handlers: [[ObservingHandler]] = [registrations, realmHandlers]
        return Array(handlers.joined())
    }
}

// MARK: Preparing

extension ObservationState {
    /// Finds out what to tell each handler about the newest version, or about the one that
    /// `target` reads.
    mutating func prepare(_ target: Connection? = nil) throws {
        try prepare { connection in
            if let target { try connection.read(like: target) } else { try connection.refresh() }
        }
    }

    /// Finds out what to tell each handler about a version that is being written.
    mutating func prepare(_ coming: UnpublishedVersion) throws {
        try prepare { connection in _ = try connection.read(coming) }
    }

    /// `move`: moves the background connection to the version.
    private mutating func prepare(_ move: (Connection) throws -> Void) throws {
        forgetPrepared()
        guard let background, !registrations.isEmpty else { return }
        hasFailed = true
        wasDropped = false
        defer { if hasFailed { background.connection.endRead() } }
        try move(background.connection)
        background.didMove()
        let version = background.connection.version
        var comparison = Comparison(background: background, observations: observations)
        for registration in registrations where registration.isActive && registration.isWaiting {
            let (report, base) = try comparison.result(for: registration)
            registration.pending = Registration.Pending(
                version: version, report: report, base: base)
        }
        prepared = Prepared(version: version, time: System.monotonicNanoseconds)
        hasFailed = false
    }

    /// Whether everything is prepared for a version that is published. If it was prepared while
    /// that was written, and the transaction failed, another one may have got its number.
    func isPrepared(for version: UInt64) -> Bool {
        prepared?.version == version && !hasPreparedFailure
            && registrations.allSatisfy { $0.pending != nil || !$0.isWaiting || !$0.isActive }
    }

    /// Whether the Realm is to be asked to take what is prepared for a published version. Notes
    /// that it is.
    mutating func ask(toTake version: UInt64) -> Bool {
        if isAsked || deliveries > 0 || !movesByItself || !isPrepared(for: version) { return false }
        isAsked = true
        return true
    }

    /// Whether the transaction has failed for which everything was prepared.
    var hasPreparedFailure: Bool {
        if planted("prepared-for-failed-version") { return false }
        return prepared != nil && background?.connection.failureOfUnpublished != nil
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
        return version != target || registrations.contains { $0.isBehind(target) }
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
                let base = try registration.observed.base()
                return (.initial(objects: base.objects), base)
            }
            if version == background.connection.version { return (nil, registration.base) }
            return try registration.observed.compare(
                registration.base, over: try step(from: version))
        }

        private mutating func step(from version: UInt64) throws -> VersionStep {
            if let known = steps[version] { return known }
            let another = planted("step-from-another-version") ? observations.keys.max() : nil
            guard let observation = observations[another ?? version] else {
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
    /// Takes what is prepared for the version that `current` reads now. Returns the handlers to
    /// call; the others know the version from now on.
    mutating func take(for current: Connection) throws -> [Registration] {
        guard let background, let version = prepared?.version else { return [] }
        // What was prepared in memory is in the file now, so the memory need not be kept.
        if background.connection.isUnpublished, !current.isUnpublished {
            try background.connection.read(like: current)
        }
        try observe(since: background.connection)
        prepared = nil
        // Each handler's own version is pinned where that is needed.
        defer { background.connection.endRead() }
        var due: [Registration] = []
        for registration in registrations {
            if registration.offer?.version != version { registration.offer = nil }
            if registration.pending?.report != nil {
                due.append(registration)
            } else {
                registration.adoptPending()
            }
        }
        return due
    }

    /// Has handlers know the version that the Realm shows, without being told what has changed.
    /// Returns what that is.
    mutating func skip(
        _ skipped: [Registration], to current: Connection
    ) throws -> [(Registration, Registration.Report)] {
        let known = skipped.filter { $0.version != nil }
        try prepare(known, for: current)
        return known.compactMap { registration in
            let report = registration.pending?.report
            registration.adoptPending()
            return report.map { (registration, $0) }
        }
    }

    /// Returns what a handler that takes its reports is to be told, now that the Realm shows the
    /// version `current`. If that is nothing, the handler waits: it is woken when there is
    /// something.
    mutating func pull(
        _ registration: Registration, at current: Connection
    ) throws -> Registration.Report? {
        guard registration.isActive else { return nil }
        if let report = registration.takeOffer(at: current.version) { return report }
        let wasWoken = !registration.isWaiting
        registration.isWaiting = true
        if registration.version == current.version { return nil }
        // The first contents are found in the background, unless the Realm has moved since that was
        // done: it might do so each time.
        if registration.version == nil, !wasWoken { return nil }
        try prepare([registration], for: current)
        guard registration.deliver() != nil else {
            registration.adoptPending()
            return nil
        }
        return registration.takeOffer(at: current.version)
    }

    /// Finds out what to tell some handlers about the version that `current` reads, instead of what
    /// was prepared. What others are to be told that are just being called stays.
    mutating func prepare(_ chosen: [Registration], for current: Connection) throws {
        guard let background, !chosen.isEmpty else { return }
        if prepared != nil {
            // The scheduler was asked for the others.
            wasDropped = wasDropped || isAsked
            forgetPrepared()
        }
        defer { background.connection.endRead() }
        try background.connection.read(like: current)
        background.didMove()
        let version = background.connection.version
        try observe(since: background.connection)
        var comparison = Comparison(background: background, observations: observations)
        for registration in chosen {
            let (report, base) = try comparison.result(for: registration)
            registration.pending = Registration.Pending(
                version: version, report: report, base: base)
        }
    }

    /// Observes what comes after the version that a connection reads.
    mutating func observe(since connection: Connection) throws {
        guard let background, observations[connection.version] == nil else { return }
        if let spare = spareObservation {
            try spare.resume(since: connection)
            spareObservation = nil
            observations[connection.version] = spare
        } else {
            observations[connection.version] =
                try background.connection.observeChanges(since: connection)
        }
    }

    /// Releases the versions that no handler knows any more.
    mutating func dropUnusedObservations() {
        if registrations.isEmpty, planted("released-version-stays") { return }
        let unused = observations.keys.filter { version in
            !registrations.contains { $0.isUsing(version) }
        }
        for version in unused {
            let observation = observations.removeValue(forKey: version)
            if spareObservation == nil {
                observation?.suspend()
                spareObservation = observation
            }
        }
    }

    /// Removes handlers that have ended. Returns what is to be released, and the subscription if it
    /// is to be cancelled, outside of the lock.
    mutating func remove(_ ended: [ObservingHandler]) -> Removed {
        var removed = Removed(handlers: ended)
        for handler in ended {
            if let index = realmHandlers.firstIndex(where: { $0 === handler }) {
                realmHandlers.remove(at: index)
            }
            guard let index = registrations.firstIndex(where: { $0 === handler }) else { continue }
            let registration = registrations.remove(at: index)
            registration.observed.users -= 1
            if registration.observed.users == 0, let identity = registration.identity {
                observed[identity] = nil
            }
            if registration.offer != nil || registration.pending != nil
                || !registrations.contains(where: { $0.version == registration.version })
            {
                dropUnusedObservations()
            }
        }
        if !registrations.isEmpty { return removed }
        if let background {
            if prepared == nil { background.connection.endRead() } else { forgetPrepared() }
            removed.background = background
        }
        background = nil
        spareObservation = nil
        if isObserving || isFollowing { return removed }
        removed.subscription = subscription
        subscription = nil
        return removed
    }

    /// What was taken out of the state.
    struct Removed {
        var handlers: [ObservingHandler]
        var background: RealmInstance?
        var subscription: VersionSubscription?
    }
}
