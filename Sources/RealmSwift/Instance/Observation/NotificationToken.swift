/// A registration of a handler of changes, returned by the `observe` methods.
///
/// The handler is called as long as the token exists and is not invalidated. Keep a reference to
/// the token. It keeps its Realm open.
///
/// Any thread may use and release a token. If its handler is running meanwhile, it runs to its end.
// Sendable because subclasses guard what they store. Unchecked because the class is open.
open class NotificationToken: @unchecked Sendable {
    init() {}

    /// The Realm whose changes are told; nil if nothing is registered, or not yet.
    var observedInstance: RealmInstance? { nil }

    /// The handlers that the token stands for.
    var handlers: [ObservingHandler] { [] }

    /// Ends the registration. The handler is not called any more.
    ///
    /// - Returns: Whether there was a registration: false if it had been ended before.
    @discardableResult
    open func invalidate() -> Bool { false }
}
