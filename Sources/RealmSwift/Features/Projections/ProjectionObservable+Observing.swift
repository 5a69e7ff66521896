import Dispatch
import StorageEngine

extension ProjectionObservable {
    /// Calls a function when a projected property changes or the object is deleted.
    ///
    /// The changes have the names of the projection. A property that is reached through links
    /// changes when the object at the end does, or a link on the way. Old values are told of
    /// properties of the object itself. Everything else is as for objects.
    ///
    /// ```swift
    /// let token = person.observe { change in
    ///     if case .change(_, let properties) = change {
    ///         for property in properties { print(property.name, property.newValue ?? "nil") }
    ///     }
    /// }
    /// ```
    /// - Parameters:
    ///   - keyPaths: The properties of the projected object that count, among those that are
    ///     projected; nil or empty for all of these.
    ///   - queue: The serial queue on which to call the function, with the projection as a Realm
    ///     confined to that queue sees it; nil for where this Realm is confined.
    ///   - block: The function.
    /// - Returns: A token. The function is called as long as the token exists.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        let observable = observable(keyPaths)
        guard let queue else { return observable.observe(block) }
        let older = observable.realm.pinnedForObserving()
        return QueuedToken(on: queue, observable.realm, since: older) { realm, older in
            guard let projection = self._counterpart(in: Realm(instance: realm)) else {
                block(.deleted)
                return nil
            }
            return projection.observable(keyPaths).observe(since: older, block)
        }
    }

    /// Calls a function when a projected property changes or the object is deleted, as the method
    /// with names does.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties of the projection that count: `[\.name, \.homeCity]`.
    ///   - queue: The serial queue on which to call the function; nil for where the Realm is
    ///     confined.
    ///   - block: The function.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }

    /// The changes of the projection as a sequence, which ends when the object is deleted. See
    /// ``ChangeSequence``.
    public var changes: ChangeSequence<ObjectChange<Self>> { observable(nil).changes }

    /// The changes of the projection as a sequence, which ends when the object is deleted.
    ///
    /// - Parameter keyPaths: The properties of the projected object that count, as for `observe`.
    public func changes(keyPaths: [String]) -> ChangeSequence<ObjectChange<Self>> {
        observable(keyPaths).changes
    }

    private func observable(_ keyPaths: [String]?) -> ObservableThing<ObjectChange<Self>> {
        let properties = ProjectionModel.of(self).properties
        if let keyPaths, let managedClass = rootObject._managedClass {
            // An unknown name stops the program, although it is no part of a projected property.
            _ = ObservedClass.paths(keyPaths, of: managedClass)
        }
        let view = ObjectIdentifier(type(of: self))
        let start = Unmanaged.passUnretained(self).toOpaque()
        return rootObject.observable(keyPaths, of: view) { managedClass in
            properties.enumerated().compactMap {
                $1.observedPart($0, keyPaths ?? [], of: managedClass.model)
            }
        } _: { [self] changes in
            changes.properties.map { number, old in
                let property = properties[number]
                let position = property.declaredPosition(in: rootObject._model)
                let value = property.wrapper.value(of: rootObject, at: start + property.offset)
                return PropertyChange(
                    name: property.name,
                    oldValue: old.flatMap { old in
                        position.flatMap { rootObject.oldValue(old, at: $0) }
                    },
                    newValue: value is any RandomAccessCollection & ThreadConfined
                        || value is any RealmKeyedCollection ? nil : value)
            }
        }.map { $0.map { _ in self } }
    }
}

extension ProjectionModel.Property {
    /// Returns what is to be observed of the object for this property; nil if no key path has to do
    /// with it.
    fileprivate func observedPart(
        _ number: Int, _ keyPaths: [String], of model: ClassModel
    ) -> ObservedObject.Part? {
        let observed =
            keyPaths.isEmpty
            ? paths
            : keyPaths.filter { keyPath in
                paths.contains { Self.isPart($0, of: keyPath) || Self.isPart(keyPath, of: $0) }
            }
        if observed.isEmpty { return nil }
        return ObservedObject.Part(
            number: number, paths: observed, oldPosition: declaredPosition(in: model))
    }

    /// Whether a path is the beginning of another one.
    private static func isPart(_ path: String, of other: String) -> Bool {
        path == other || other.hasPrefix(path + ".")
    }

    /// The position of the property among the declared ones of the object; nil if the value is
    /// computed or reached through a link.
    fileprivate func declaredPosition(in model: ClassModel) -> Int? {
        guard !isComputed, let path = paths.first else { return nil }
        return model.declared.firstIndex { $0.name == path }
    }
}

// MARK: On an actor

extension ProjectionObservable {
    /// Calls a function on an actor when a projected property changes or the object is deleted, as
    /// the method with a queue does on a queue.
    ///
    /// The method returns when the function is registered; its calls come after that. A task that
    /// is cancelled does not register, and its token is not valid. If the actor is not the one of
    /// this Realm, the function gets the projection of a Realm that is confined to the actor.
    ///
    /// ```swift
    /// let token = await person.observe(on: screen) { screen, change in screen.show(change) }
    /// ```
    /// - Parameters:
    ///   - keyPaths: The properties of the projected object that count.
    ///   - actor: The actor on which the function is called, which the registration keeps alive.
    ///   - block: The function.
    /// - Returns: A token. The function is called as long as the token exists.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        let realm = observable(keyPaths).realm
        let older = realm.pinnedForObserving()
        return await realm.observe(on: actor, _isolation: _isolation, since: older) {
            let handler = calls(block, on: $1)
            guard let projection = self._counterpart(in: Realm(instance: $0)) else {
                handler(.deleted)
                return nil
            }
            return projection.observable(keyPaths).observe(since: $2, handler)
        }
    }

    /// Calls a function on an actor when a projected property changes or the object is deleted, as
    /// the method with names does.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>], on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}
