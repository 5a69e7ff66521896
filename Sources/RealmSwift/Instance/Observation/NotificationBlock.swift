extension Realm {
    /// What a handler of a Realm is told.
    public enum Notification: String, Sendable {
        /// A write transaction was committed, and the Realm shows its changes.
        case didChange = "RLMRealmDidChangeNotification"
        /// Another thread or process has committed a write transaction, and the Realm, which does
        /// not refresh itself, still shows an older version.
        case refreshRequired = "RLMRealmRefreshRequiredNotification"
    }
}

/// A handler of a Realm.
public typealias NotificationBlock = (_ notification: Realm.Notification, _ realm: Realm) -> Void
