extension Realm {
    /// Calls a function after each write transaction that changes what this Realm shows.
    ///
    /// After a transaction of this Realm, the function is called before its `write` or
    /// `commitWrite` returns. After one of another thread or process it is called
    /// where this Realm is confined, once the Realm has moved to the newest version, with
    /// ``Notification/didChange``. If ``autorefresh`` is false the Realm does not move, and the
    /// function is called with ``Notification/refreshRequired``.
    ///
    /// - Returns: A token. The function is called as long as the token exists.
    /// - Precondition: The Realm is confined to the main thread, a queue or a thread with a running
    ///   run loop, and is not read-only.
    public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
        observe(RealmHandler(block))
    }

    private func observe(_ handler: RealmHandler) -> NotificationToken {
        let notifier = instance.observableNotifier()
        return attempt { try notifier.register(handler, in: instance) }
    }

    /// What a handler of the Realm is told, as a sequence. See ``ChangeSequence``.
    ///
    /// Several notifications that a loop has not taken are one element, the last of them.
    ///
    /// - Precondition: As for `observe`.
    public var changes: ChangeSequence<Notification> {
        ChangeSequence { signal in
            let last = LastNotification()
            let handler = RealmHandler(
                { notification, _ in
                    last.notification = notification
                    signal.raise()
                }, whenThreadEnds: signal.end)
            let token = observe(handler)
            return ChangeSource(token: token) {
                defer { last.notification = nil }
                return last.notification.map { ($0, false) }
            }
        }
    }

    private final class LastNotification {
        var notification: Notification?
    }

    /// A Boolean value that indicates whether the Realm moves to newer versions by itself, when its
    /// run loop or queue gets to it. The default is true.
    ///
    /// This takes a Realm that was opened on a queue, by a run loop that is running, or on the main
    /// queue. It is always false for a frozen Realm, and setting it there stops the program.
    public var autorefresh: Bool {
        get {
            instance.checkThread()
            return instance.autorefresh
        }
        nonmutating set {
            instance.checkThread()
            if instance.isFrozen { stop("Auto-refresh cannot be enabled for frozen Realms.") }
            instance.autorefresh = newValue
            instance.notifier?.setMovesByItself(newValue, instance)
        }
    }
}
