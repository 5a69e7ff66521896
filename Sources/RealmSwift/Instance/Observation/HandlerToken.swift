import StorageEngine

/// The token of a handler where its Realm is confined.
// Sendable because everything in it is; unchecked because its superclass says so.
final class HandlerToken: NotificationToken, @unchecked Sendable {
    /// Nil once the token is invalidated.
    private let handler: Locked<ObservingHandler?>
    private let notifier: RealmNotifier
    /// The Realm, which the token keeps open. Only its identity is used here.
    private let realm: RealmInstance

    init(_ handler: ObservingHandler, _ notifier: RealmNotifier, of realm: RealmInstance) {
        self.handler = Locked(handler)
        self.notifier = notifier
        self.realm = realm
        super.init()
    }

    deinit { invalidate() }

    override var observedInstance: RealmInstance? { realm }
    override var handlers: [ObservingHandler] { handler.withLock { $0.map { [$0] } ?? [] } }

    @discardableResult
    override func invalidate() -> Bool {
        let ended = handler.withLock { handler in
            defer { handler = nil }
            return handler
        }
        guard let ended else { return false }
        notifier.end(ended)
        return true
    }
}
