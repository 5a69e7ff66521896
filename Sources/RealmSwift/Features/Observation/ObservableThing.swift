import StorageEngine

/// Something of a Realm that can be observed, and how its changes are told.
struct ObservableThing<Change> {
    /// Turns reports into changes; nil for a report that changes nothing.
    typealias Translation = (Registration.Report) -> Change?

    let realm: RealmInstance
    let identity: ObservedIdentity
    /// Whether the first thing that is told is the state at the beginning.
    let isInitial: Bool
    /// Makes what is observed, in another Realm of the file.
    let make: (RealmInstance) -> Observed
    /// Called once for each handler, because a translation may depend on what was reported before.
    let makeTranslation: () -> Translation

    /// The same thing with its changes in another form.
    func map<Other>(_ transform: @escaping (Change) -> Other) -> ObservableThing<Other> {
        ObservableThing<Other>(
            realm: realm, identity: identity, isInitial: isInitial, make: make,
            makeTranslation: {
                let change = makeTranslation()
                return { change($0).map(transform) }
            })
    }

    /// Registers a handler that is called.
    func observe(_ block: @escaping (Change) -> Void) -> NotificationToken {
        let change = makeTranslation()
        let delivery = Registration.Delivery.call(
            { report in if let change = change(report) { block(change) } },
            skip: { _ = change($0) })
        return register(delivery).token
    }

    /// The changes as a sequence.
    var changes: ChangeSequence<Change> {
        ChangeSequence { signal in
            let change = makeTranslation()
            let (registration, token) = register(.pull(wake: signal.raise))
            return ChangeSource(token: token) { [realm] in
                guard let report = realm.takeReport(registration) else { return nil }
                let isLast = if case .deletion = report { true } else { false }
                return (change(report), isLast)
            }
        }
    }

    private func register(
        _ delivery: Registration.Delivery
    ) -> (registration: Registration, token: NotificationToken) {
        let notifier = realm.observableNotifier()
        let registration = attempt {
            try notifier.register(
                identity, in: realm, isInitial: isInitial, making: make, delivery: delivery)
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
