extension RealmInstance {
    /// Adds an unmanaged object and all objects that it references. Returns its key, or nil if the
    /// transaction has failed.
    func addGraph(_ object: ObjectBase, update: Realm.UpdatePolicy) -> Int64? {
        let key = managedClass(for: type(of: object)).addRow(of: object, update: update)
        completeAdditions()
        return key
    }

    /// Creates an object from a value given by the application, and adds it.
    func create(
        _ type: ObjectBase.Type, from value: Any, update: Realm.UpdatePolicy
    ) -> ObjectBase {
        let conversion = _ValueConversion(realm: self, notesGiven: update != .error)
        let object = conversion.make(type, from: value)
        whileAdding(from: conversion) { _ = addGraph(object, update: update) }
        return object
    }

    /// Runs `body` while `conversion`, which made the objects to add, is the current conversion.
    func whileAdding(from conversion: _ValueConversion, _ body: () -> Void) {
        let outer = self.conversion
        self.conversion = conversion
        body()
        self.conversion = outer
    }

    /// Queues the second step of adding an object.
    func completeLater(_ addition: _Addition) { additions.append(addition) }

    /// Performs the queued second steps. A call from within such a step returns at once, because
    /// the outer call processes the whole queue.
    func completeAdditions() {
        if isCompletingAdditions || additions.isEmpty { return }
        isCompletingAdditions = true
        while let addition = additions.popLast() { addition.complete() }
        isCompletingAdditions = false
    }

    /// Returns the names of the properties for which the value given to `create` had a value; nil
    /// for all.
    func givenProperties(of object: ObjectBase) -> Set<String>? {
        conversion?.given[ObjectIdentifier(object)]
    }
}
