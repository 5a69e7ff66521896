import Dispatch

extension Object {
    /// Calls a function when the object changes or is deleted.
    ///
    /// The function is called where the Realm is confined, when its run loop or queue gets to it,
    /// and by ``Realm/refresh()`` and ``Realm/beginWrite()``; there is no initial call. The changes
    /// name the properties of this object. A property that is reached through a link in a key path,
    /// as in `"owner.name"`, is told as a change of the link, `owner`.
    ///
    /// ```swift
    /// let token = dog.observe { (change: ObjectChange<Dog>) in
    ///     if case .change(_, let properties) = change {
    ///         for property in properties { print(property.name, property.newValue ?? "nil") }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPaths: The properties that count, also through links; nil or empty for all properties
    ///     of the object itself.
    ///   - queue: The serial queue on which to call the function, with the object as a Realm
    ///     confined to that queue sees it; nil for where this Realm is confined.
    ///   - block: The function.
    /// - Returns: A token. The function is called as long as the token exists.
    /// - Precondition: The object is managed and not deleted. Its Realm is confined to the main
    ///   thread, a queue or a thread with a running run loop, is not read-only, and is not in a
    ///   write transaction that has changed something.
    public func observe<T: ObjectBase>(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        observe(keyPaths, on: queue) { block($0.cast()) }
    }

    /// Calls a function when the object changes or is deleted, as the method with names does.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties that count: `[\.name, \.owner?.name]`.
    ///   - queue: The serial queue on which to call the function; nil for where the Realm is
    ///     confined.
    ///   - block: The function.
    public func observe<T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }
}

extension EmbeddedObject {
    /// Calls a function when the object changes or is deleted, as for an object that is not
    /// embedded.
    public func observe<T: ObjectBase>(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        observe(keyPaths, on: queue) { block($0.cast()) }
    }
}

// In an extension of a protocol, so that a model may have a property of this name.
extension ThreadConfined where Self: ObjectBase {
    /// The changes of the object as a sequence, which ends when the object is deleted. See
    /// ``ChangeSequence``.
    public var changes: ChangeSequence<ObjectChange<Self>> {
        observable(nil).map { $0.cast() }.changes
    }

    /// The changes of the object as a sequence, which ends when the object is deleted.
    ///
    /// - Parameter keyPaths: The properties that count, as for `observe`.
    /// - Precondition: As for `observe`.
    public func changes(keyPaths: [String]) -> ChangeSequence<ObjectChange<Self>> {
        observable(keyPaths).map { $0.cast() }.changes
    }

    /// The changes of the object as a sequence, as the method with names.
    ///
    /// - Parameter keyPaths: The properties that count: `[\.name, \.owner?.name]`.
    public func changes(
        keyPaths: [PartialKeyPath<Self>]
    ) -> ChangeSequence<ObjectChange<Self>> { changes(keyPaths: keyPaths.map { _name(for: $0) }) }
}

extension ObjectChange where T == ObjectBase {
    /// The same change of an object of a subclass.
    fileprivate func cast<Subclass: ObjectBase>() -> ObjectChange<Subclass> {
        map { object in
            guard let object = object as? Subclass else {
                stop("An object of class '\(type(of: object))' is not a '\(Subclass.self)'.")
            }
            return object
        }
    }
}

// MARK: On an actor

extension ObjectBase {
    fileprivate func observe<A: Actor, T: ObjectBase>(
        _ keyPaths: [String]?, actor: A, _isolation: isolated (any Actor)?,
        _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        let realm = observable(keyPaths).realm
        let older = realm.pinnedForObserving()
        return await realm.observe(on: actor, _isolation: _isolation, since: older) {
            let handler = calls(block, on: $1)
            guard let object = self._counterpart(in: Realm(instance: $0)) else {
                handler(.deleted)
                return nil
            }
            return object.observable(keyPaths).observe(since: $2) { handler($0.cast()) }
        }
    }
}

extension Object {
    /// Calls a function on an actor when the object changes or is deleted, as the method with a
    /// queue does on a queue.
    ///
    /// The method returns when the function is registered; its calls come after that. A task that
    /// is cancelled does not register, and its token is not valid. If the actor is not the one of
    /// this Realm, the function gets the object of a Realm that is confined to the actor.
    ///
    /// ```swift
    /// let token = await dog.observe(on: screen) { (screen, change: ObjectChange<Dog>) in
    ///     screen.show(change)
    /// }
    /// ```
    /// - Parameters:
    ///   - keyPaths: The properties that count, also through links.
    ///   - actor: The actor on which the function is called, which the registration keeps alive.
    ///   - block: The function.
    /// - Returns: A token. The function is called as long as the token exists.
    public func observe<A: Actor, T: Object>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths, actor: actor, _isolation: _isolation, block)
    }

    /// Calls a function on an actor when the object changes or is deleted, as the method with names
    /// does.
    public func observe<A: Actor, T: Object>(
        keyPaths: [PartialKeyPath<T>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths.map { _name(for: $0) }, actor: actor, _isolation: _isolation, block)
    }
}

extension EmbeddedObject {
    /// Calls a function on an actor when the object changes or is deleted, as for an object that is
    /// not embedded.
    public func observe<A: Actor, T: EmbeddedObject>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths, actor: actor, _isolation: _isolation, block)
    }

    /// Calls a function on an actor when the object changes or is deleted, as the method with names
    /// does.
    public func observe<A: Actor, T: EmbeddedObject>(
        keyPaths: [PartialKeyPath<T>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths.map { _name(for: $0) }, actor: actor, _isolation: _isolation, block)
    }
}
