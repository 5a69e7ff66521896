import StorageEngine

/// The token of a handler where its Realm is confined.
// Sendable because everything in it is; unchecked because its superclass says so.
final class HandlerToken: NotificationToken, @unchecked Sendable {
    private let ended = Locked(false)
    private let handler: ObservingHandler
    private let notifier: RealmNotifier
    /// The Realm, which the token keeps open. Only its identity is used here.
    private let realm: RealmInstance

    init(_ handler: ObservingHandler, _ notifier: RealmNotifier, of realm: RealmInstance) {
        self.handler = handler
        self.notifier = notifier
        self.realm = realm
        super.init()
    }

    deinit { invalidate() }

    override var observedInstance: RealmInstance? { realm }
    override var handlers: [ObservingHandler] { [handler] }

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
