extension RealmInstance {
    /// Adds an unmanaged object and everything it leads to. Returns its key, or nil if the
    /// transaction has failed.
    func addGraph(_ object: ObjectBase, update: Realm.UpdatePolicy) -> Int64? {
        let key = managedClass(for: type(of: object)).addRow(of: object, update: update)
        completeAdditions()
        return key
    }

    /// Adds a new object made from a value that an application gives.
    func create(
        _ type: ObjectBase.Type, from value: Any, update: Realm.UpdatePolicy
    ) -> ObjectBase {
        let conversion = _ValueConversion(realm: self, notesGiven: update != .error)
        let object = conversion.make(type, from: value)
        whileAdding(from: conversion) { _ = addGraph(object, update: update) }
        return object
    }

    /// Runs `body`, which adds objects that a conversion has made.
    func whileAdding(from conversion: _ValueConversion, _ body: () -> Void) {
        let outer = self.conversion
        self.conversion = conversion
        body()
        self.conversion = outer
    }

    /// Queues the second step of adding an object.
    func completeLater(_ addition: _Addition) { additions.append(addition) }

    /// Takes the second step of all objects that were added. Called by such a step, this leaves
    /// them to the caller who is taking it.
    func completeAdditions() {
        if isCompletingAdditions || additions.isEmpty { return }
        isCompletingAdditions = true
        while let addition = additions.popLast() { addition.complete() }
        isCompletingAdditions = false
    }

    /// The properties that the value gave from which `create` made an object; nil for all.
    func givenProperties(of object: ObjectBase) -> Set<String>? {
        conversion?.given[ObjectIdentifier(object)]
    }
}
