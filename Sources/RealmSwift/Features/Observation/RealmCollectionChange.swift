/// What a handler of a collection is told.
///
/// Positions are in ascending order. Deletions and modifications are positions in the collection as
/// it was before, insertions are positions in it as it is now. An element that has moved counts as
/// deleted and inserted. To bring a list on a screen up to date, delete, then insert, then reload
/// the modified rows.
public enum RealmCollectionChange<CollectionType> {
    /// The first call: the collection can be read.
    case initial(CollectionType)
    /// The collection has changed since the last call.
    case update(
        CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// Never passed. Errors that prevent reading the file stop the program.
    case error(any Error)
}

extension RealmCollectionChange {
    /// The same change with another collection.
    func map<Other>(_ transform: (CollectionType) -> Other) -> RealmCollectionChange<Other> {
        switch self {
        case .initial(let collection): .initial(transform(collection))
        case .update(let collection, let deletions, let insertions, let modifications):
            .update(
                transform(collection), deletions: deletions, insertions: insertions,
                modifications: modifications)
        case .error(let error): .error(error)
        }
    }
}

/// What a handler of a map is told. Keys are in ascending order.
public enum RealmMapChange<Collection: RealmKeyedCollection> {
    /// The first call: the map can be read.
    case initial(Collection)
    /// The map has changed since the last call.
    case update(
        Collection, deletions: [Collection.Key], insertions: [Collection.Key],
        modifications: [Collection.Key])
    /// Never passed. Errors that prevent reading the file stop the program.
    case error(any Error)
}

/// What a handler of an object is told.
public enum ObjectChange<T> {
    /// Never passed. Errors that prevent reading the file stop the program.
    case error(any Error)
    /// Properties of the object were changed.
    case change(T, [PropertyChange])
    /// The object was deleted. The handler is not called any more.
    case deleted
}

extension ObjectChange {
    /// The same change with another object.
    func map<Other>(_ transform: (T) -> Other) -> ObjectChange<Other> {
        switch self {
        case .error(let error): .error(error)
        case .change(let object, let properties): .change(transform(object), properties)
        case .deleted: .deleted
        }
    }
}

/// The change of a property of an object.
public struct PropertyChange {
    /// The name of the property.
    public let name: String
    /// The value before the change; nil for a collection, for linking objects, and for a change
    /// that was made on the thread of the handler, which is over when it is told.
    public let oldValue: Any?
    /// The value now; nil for a collection and for linking objects.
    public let newValue: Any?
}
