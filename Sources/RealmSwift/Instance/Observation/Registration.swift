import StorageEngine

/// Something that is called until it has ended.
// Unchecked because of the variables of subclasses, which say what guards them.
class ObservingHandler: @unchecked Sendable {
    private let active = Locked(true)

    final var isActive: Bool { active.withLock { $0 } }
    final func deactivate() { active.withLock { $0 = false } }

    /// Lets go of the application's functions, where the Realm is confined, once the handler has
    /// ended: what they have captured is released there, whoever has the last reference to this.
    func letGo() {}

    /// Where the Realm was confined, when its thread ends.
    func threadDidEnd() {}
}

/// A handler of a Realm as a whole.
// Unchecked because of the block, which only runs where the Realm is confined.
final class RealmHandler: ObservingHandler, @unchecked Sendable {
    private var block: NotificationBlock?
    private let whenThreadEnds: () -> Void

    /// `whenThreadEnds`: called instead of `block` when nothing more can be told.
    init(_ block: @escaping NotificationBlock, whenThreadEnds: @escaping () -> Void = {}) {
        self.block = block
        self.whenThreadEnds = whenThreadEnds
    }

    func call(_ notification: Realm.Notification, _ realm: RealmInstance) {
        if isActive { block?(notification, Realm(instance: realm)) }
    }

    override func letGo() { block = nil }
    override func threadDidEnd() { whenThreadEnds() }
}

/// One handler of an object or collection, and what it has been told.
// Unchecked because of the variables, which the lock of the notifier guards, and of the functions,
// which only run where the Realm is confined.
final class Registration: ObservingHandler, @unchecked Sendable {
    /// What is reported to a handler.
    enum Report {
        /// The first call of a handler of a collection. `objects` are those of a query, if they are
        /// known.
        case initial(objects: OrderedKeys?)
        /// The changes of a collection, and the objects of a query after them, if they are known.
        case collection(IndexChanges, objects: OrderedKeys? = nil)
        /// The changes of the elements of sections, all of which count as modified that differ.
        /// `counted` are those that the handler is told as modified.
        case elements(IndexChanges, counted: [Int])
        case map(MapChanges)
        case object(ObjectChanges)
        /// It does not exist any more, and nothing else has changed. Only handlers of objects are
        /// told.
        case deletion

        /// The same report without the values before the changes.
        var withoutOldValues: Report {
            guard case .object(let changes) = self else { return self }
            return .object(
                ObjectChanges(properties: changes.properties.map { ($0.position, nil) }))
        }
    }

    /// How a handler gets its reports.
    enum Delivery {
        /// It is called with them. `skip` is called instead with a report of what it is not to be
        /// told.
        case call((Report) -> Void, skip: (Report) -> Void)
        /// It takes them (``RealmNotifier/takeReport(_:in:)``), and is only told when there is one,
        /// or when its thread has ended, so that there will be none.
        case pull(wake: () -> Void, end: () -> Void)
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
    /// What is observed, for others that observe the same; nil once it was let go of.
    private(set) var identity: ObservedIdentity?
    /// Whether the handler is called with the first version that it is told of.
    let isInitial: Bool
    /// Nil once it was let go of.
    private var delivery: Delivery?

    /// The version that the handler knows; nil before its initial call.
    var version: UInt64?
    /// The observed state in that version.
    var base: ObservedBase = .version
    var pending: Pending?
    /// What a handler that takes its reports was woken for. It is useless once the Realm shows
    /// another version.
    var offer: Pending?
    /// Whether the handler is to be told of newer versions: always, unless it takes its reports and
    /// is busy with the last one. Then it keeps the version that it knows, and no other.
    var isWaiting: Bool
    /// Whether the Realm's own transactions are among the changes since `version`.
    var includesOwn = false

    init(
        _ observed: Observed, _ identity: ObservedIdentity, isInitial: Bool, version: UInt64?,
        delivery: Delivery
    ) {
        self.observed = observed
        self.identity = identity
        self.isInitial = isInitial
        self.version = version
        self.delivery = delivery
        isWaiting = true
    }

    /// Whether the handler is to be told when the Realm shows another version than `target`.
    func isBehind(_ target: UInt64) -> Bool { isActive && isWaiting && version != target }

    /// Whether the handler knows a version, or is about to.
    func isUsing(_ version: UInt64) -> Bool {
        self.version == version || pending?.version == version || offer?.version == version
    }

    /// The handler knows the version that was prepared for it.
    func adoptPending() {
        guard let pending else { return }
        self.pending = nil
        adopt(pending)
    }

    private func adopt(_ pending: Pending) {
        version = pending.version
        if !planted("base-of-older-version") { base = pending.base }
        includesOwn = false
    }

    /// Returns what to call the handler with; nil if there is nothing to tell. A handler that takes
    /// its reports gets them as an offer.
    func deliver() -> Report? {
        guard isActive, let report = pending?.report else { return nil }
        if isPulling {
            offer = pending
            pending = nil
            isWaiting = false
            return report
        }
        let includesOwn = includesOwn
        adoptPending()
        return includesOwn ? report.withoutOldValues : report
    }

    /// Returns the offer if it leads to the version that the Realm shows.
    func takeOffer(at version: UInt64) -> Report? {
        guard let taken = offer else { return nil }
        offer = nil
        guard taken.version == version, let report = taken.report else { return nil }
        let includesOwn = includesOwn
        adopt(taken)
        return includesOwn ? report.withoutOldValues : report
    }

    /// Where the Realm is confined: calls the handler with a report, or wakes it.
    func call(_ report: Report) {
        switch delivery {
        case .call(let handler, _): handler(report)
        case .pull(let wake, _): wake()
        case nil: break
        }
    }

    /// Where the Realm is confined: tells the handler what it is not to show.
    func skip(_ report: Report) {
        if case .call(_, let skip) = delivery { skip(report) }
    }

    /// Whether it takes its reports.
    var isPulling: Bool { if case .pull = delivery { true } else { false } }

    /// Where the Realm is confined: has a handler that takes its reports look whether it can still
    /// be told anything.
    func wake() {
        if case .pull(let wake, _) = delivery { wake() }
    }

    override func letGo() {
        delivery = nil
        identity = nil
    }

    override func threadDidEnd() {
        if case .pull(_, let end) = delivery { end() }
    }
}
