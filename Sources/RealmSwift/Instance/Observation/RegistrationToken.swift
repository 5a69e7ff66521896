import StorageEngine

/// The token of a handler where its Realm is confined.
// Sendable because everything in it is; unchecked because its superclass says so.
final class RegistrationToken: NotificationToken, @unchecked Sendable {
    private let ended = Locked(false)
    let registration: Registration
    private let notifier: RealmNotifier
    /// The Realm, which the token keeps open. Only its identity is used here.
    private let realm: RealmInstance

    init(_ registration: Registration, _ notifier: RealmNotifier, of realm: RealmInstance) {
        self.registration = registration
        self.notifier = notifier
        self.realm = realm
        super.init()
    }

    deinit { invalidate() }

    override var observedInstance: RealmInstance? { realm }
    override var registrations: [Registration] { [registration] }

    @discardableResult
    override func invalidate() -> Bool {
        let isFirst = ended.withLock { ended in
            defer { ended = true }
            return !ended
        }
        if isFirst { notifier.end(registration) }
        return isFirst
    }
}

/// One handler, and what it has been told.
// Unchecked because of the variables, which the lock of the notifier guards, and of the handler,
// which only runs where the Realm is confined.
final class Registration: @unchecked Sendable {
    /// What is reported to a handler.
    enum Report {
        /// The first call of a handler of a collection.
        case initial
        case collection(IndexChanges)
        case map(MapChanges)
        case object(ObjectChanges)
        case deletion

        /// The same report without the values before the changes.
        var withoutOldValues: Report {
            guard case .object(let changes) = self else { return self }
            return .object(
                ObjectChanges(properties: changes.properties.map { ($0.position, nil) }))
        }
    }

    /// What the handler is told next.
    struct Pending {
        /// The version that the Realm shows then.
        var version: UInt64
        /// Nil if there is nothing to tell.
        var report: Report?
        var base: ObservedBase
    }

    let observed: Observed
    /// Whether the handler is called with the first version that it is told of.
    let isInitial: Bool
    let handler: (Report) -> Void

    /// The version that the handler knows; nil before its initial call.
    var version: UInt64?
    /// The observed state in that version.
    var base: ObservedBase = .version
    var pending: Pending?
    /// Whether the Realm's own transactions are among the changes since `version`.
    var includesOwn = false
    private let active = Locked(true)

    init(
        _ observed: Observed, isInitial: Bool, version: UInt64?,
        _ handler: @escaping (Report) -> Void
    ) {
        self.observed = observed
        self.isInitial = isInitial
        self.version = version
        self.handler = handler
    }

    var isActive: Bool { active.withLock { $0 } }
    func deactivate() { active.withLock { $0 = false } }

    /// The handler knows the version that was prepared for it.
    func adoptPending() {
        guard let pending else { return }
        version = pending.version
        base = pending.base
        includesOwn = false
        self.pending = nil
    }
}

/// A handler of a Realm as a whole.
// Unchecked because of the block, which only runs where the Realm is confined.
final class RealmHandler: @unchecked Sendable {
    let block: NotificationBlock
    private let active = Locked(true)

    init(_ block: @escaping NotificationBlock) { self.block = block }

    var isActive: Bool { active.withLock { $0 } }
    func deactivate() { active.withLock { $0 = false } }
}

/// The token of a handler of a Realm as a whole.
// Sendable because everything in it is; unchecked because its superclass says so.
final class RealmToken: NotificationToken, @unchecked Sendable {
    private let ended = Locked(false)
    let handler: RealmHandler
    private let notifier: RealmNotifier
    /// The Realm, which the token keeps open. Only its identity is used here.
    private let realm: RealmInstance

    init(_ handler: RealmHandler, _ notifier: RealmNotifier, of realm: RealmInstance) {
        self.handler = handler
        self.notifier = notifier
        self.realm = realm
        super.init()
    }

    deinit { invalidate() }

    override var observedInstance: RealmInstance? { realm }

    @discardableResult
    override func invalidate() -> Bool {
        let isFirst = ended.withLock { ended in
            defer { ended = true }
            return !ended
        }
        if isFirst { notifier.end(handler) }
        return isFirst
    }
}
