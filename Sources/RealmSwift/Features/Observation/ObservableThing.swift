import StorageEngine

/// Something of a Realm that can be observed, and how its changes are told.
struct ObservableThing<Change> {
    /// Turns reports into changes; nil for a report that changes nothing.
    typealias Translation = (Registration.Report) -> Change?

    let realm: RealmInstance
    let identity: ObservedIdentity
    /// Whether the first thing that is told is the state at the beginning.
    let isInitial: Bool
    /// Whether nothing more can be told, because what is observed is gone, or invalid. Called where
    /// the Realm is confined.
    let isOver: () -> Bool
    /// Makes what is observed, in another Realm of the file.
    let make: (RealmInstance) -> Observed
    /// Called once for each handler, because a translation may depend on what was reported before.
    let makeTranslation: () -> Translation

    /// The same thing with its changes in another form.
    func map<Other>(_ transform: @escaping (Change) -> Other) -> ObservableThing<Other> {
        ObservableThing<Other>(
            realm: realm, identity: identity, isInitial: isInitial, isOver: isOver, make: make,
            makeTranslation: {
                let change = makeTranslation()
                return { change($0).map(transform) }
            })
    }

    /// Registers a handler that is called.
    ///
    /// - Parameter older: Reads an older version after which changes are told, unless there is an
    ///   initial call; nil for the version that the Realm shows.
    func observe(
        since older: Connection? = nil, _ block: @escaping (Change) -> Void
    ) -> NotificationToken {
        let change = makeTranslation()
        let delivery = Registration.Delivery.call(
            { report in if let change = change(report) { block(change) } },
            skip: { _ = change($0) })
        return register(delivery, since: older).token
    }

    /// The changes as a sequence.
    var changes: ChangeSequence<Change> {
        ChangeSequence { signal in
            if isOver() { return nil }
            let change = makeTranslation()
            let (registration, token) = register(.pull(wake: signal.raise, end: signal.end))
            return ChangeSource(token: token) { take(registration, change) }
        }
    }

    private func take(
        _ registration: Registration, _ change: Translation
    ) -> (change: Change?, isLast: Bool)? {
        // Where a thread has ended, nothing can be asked any more.
        if !registration.isActive { return (nil, true) }
        if let report = realm.takeReport(registration) {
            return (change(report), isOver())
        }
        // The deletion is told after the transaction.
        return !realm.isWriting && isOver() ? (nil, true) : nil
    }

    private func register(
        _ delivery: Registration.Delivery, since older: Connection? = nil
    ) -> (registration: Registration, token: NotificationToken) {
        let notifier = realm.observableNotifier()
        let registration = attempt {
            try notifier.register(
                identity, in: realm, isInitial: isInitial, since: older, making: make,
                delivery: delivery)
        }
        return (registration, HandlerToken(registration, notifier, of: realm))
    }
}

extension RealmInstance {
    fileprivate func takeReport(_ registration: Registration) -> Registration.Report? {
        checkThread()
        resumeReading()
        return attempt { try notifier?.takeReport(registration, in: self) }
    }
}
