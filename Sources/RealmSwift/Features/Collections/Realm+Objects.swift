extension Realm {
    /// Returns all objects of a class. Objects of its subclasses are not included.
    public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
        let isDecoded = !(type is ObjectBase.Type)
        let managedClass = instance.managedClass(forFetching: type._fetchedClass)
        return Results(query: ResultsQuery(managedClass, isDecoded: isDecoded))
    }
}
