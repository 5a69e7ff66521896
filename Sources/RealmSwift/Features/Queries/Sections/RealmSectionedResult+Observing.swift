import Dispatch

extension RealmSectionedResult {
    /// Calls a function when the sections, or the elements of this one, change.
    ///
    /// The first call, with ``SectionedResultsChange/initial(_:)``, comes soon after this method
    /// has returned. Each further call tells what has changed since the call before, by the rules
    /// of ``SectionedResultsChange``. An observer of one section is told of its own elements only,
    /// with the positions that the section has among all. When it loses its last element, it is to
    /// be deleted, and to be inserted when it has elements again.
    ///
    /// ```swift
    /// let token = dogsByBreed.observe { change in
    ///     if case .update(let sections, _, let insertions, _, _, _) = change {
    ///         for path in insertions { print("new: \(sections[path].name)") }
    ///     }
    /// }
    /// ```
    /// The keys of elements that have changed are computed where the function is called. That takes
    /// time for these elements only, but each call also takes some for every element that there is.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties of the elements whose changes count as modifications, as for
    ///     collections. An element that gets another key changes its section in any case.
    ///   - queue: The serial queue on which to call the function, with the sections as a Realm
    ///     confined to that queue sees them; nil for where this Realm is confined. The function
    ///     that computes the keys is then called on the queue, too.
    ///   - block: The function.
    /// - Returns: A token. The function is called as long as the token exists.
    /// - Precondition: As for collections.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths, on: queue, block)
    }

    /// The changes of the sections, or of this one, as a sequence, first the initial contents. See
    /// ``ChangeSequence``.
    public var changes: ChangeSequence<SectionedResultsChange<Self>> { changes(keyPaths: []) }
}

extension SectionedResults {
    public func observe(
        keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
    ) -> NotificationToken {
        let observable = sectioning.observable(self, keyPaths, only: nil)
        guard let queue else { return observable.observe(block) }
        observable.realm.requireObservable()
        return QueuedToken(on: queue, observable.realm) { realm in
            SectionedResults(sectioning: sectioning.moved(to: Realm(instance: realm)))
                .observe(keyPaths: keyPaths, on: nil, block)
        }
    }

    /// The changes of the sections as a sequence, first the initial contents.
    ///
    /// - Parameter keyPaths: The properties of the elements whose changes count as modifications,
    ///   as for `observe`.
    public func changes(
        keyPaths: [String]
    ) -> ChangeSequence<SectionedResultsChange<SectionedResults>> {
        sectioning.observable(self, keyPaths, only: nil).changes
    }
}

extension ResultsSection {
    public func observe(
        keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
    ) -> NotificationToken {
        let observable = sectioning.observable(self, keyPaths, only: StoredIdentity(key))
        guard let queue else { return observable.observe(block) }
        observable.realm.requireObservable()
        return QueuedToken(on: queue, observable.realm) { realm in
            ResultsSection(sectioning: sectioning.moved(to: Realm(instance: realm)), key: key)
                .observe(keyPaths: keyPaths, on: nil, block)
        }
    }

    /// The changes of the section as a sequence, first the initial contents.
    ///
    /// - Parameter keyPaths: The properties of the elements whose changes count as modifications,
    ///   as for `observe`.
    public func changes(
        keyPaths: [String]
    ) -> ChangeSequence<SectionedResultsChange<ResultsSection>> {
        sectioning.observable(self, keyPaths, only: StoredIdentity(key)).changes
    }
}

extension RealmSectionedResult where Element: RealmSectionedResult, Element.Element: ObjectBase {
    /// Calls a function when the sections change, as the method with names does.
    public func observe(
        keyPaths: [PartialKeyPath<Element.Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }

    /// The changes of the sections as a sequence, as the method with names.
    public func changes(
        keyPaths: [PartialKeyPath<Element.Element>]
    ) -> ChangeSequence<SectionedResultsChange<Self>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }
}

extension RealmSectionedResult where Element: ObjectBase {
    /// Calls a function when the section changes, as the method with names does.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }

    /// The changes of the section as a sequence, as the method with names.
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> ChangeSequence<SectionedResultsChange<Self>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }
}

// MARK: On an actor

extension RealmSectionedResult {
    /// Calls a function on an actor when the sections, or the elements of this one, change, as the
    /// method with a queue does on a queue.
    ///
    /// The method returns when the function is registered; its calls come after that. A task that
    /// is cancelled does not register, and its token is not valid. If the actor is not the one of
    /// this Realm, the function gets the sections of a Realm that is confined to the actor.
    ///
    /// ```swift
    /// let token = await dogsByBreed.observe(on: screen) { screen, change in screen.show(change) }
    /// ```
    /// - Parameters:
    ///   - keyPaths: The properties of the elements whose changes count as modifications.
    ///   - actor: The actor on which the function is called, which the registration keeps alive.
    ///   - block: The function.
    /// - Returns: A token. The function is called as long as the token exists.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        guard let realm = realm?.instance else {
            stop("Change notifications are only supported on managed collections.")
        }
        return await realm.observe(on: actor, _isolation: _isolation) {
            self._counterpart(in: Realm(instance: $0))?.observe(
                keyPaths: keyPaths, on: nil, calls(block, on: $1))
        }
    }
}

extension RealmSectionedResult where Element: RealmSectionedResult, Element.Element: ObjectBase {
    /// Calls a function on an actor when the sections change, as the method with names does.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element.Element>], on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}

extension RealmSectionedResult where Element: ObjectBase {
    /// Calls a function on an actor when the section changes, as the method with names does.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>], on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}
