import StorageEngine

extension ClassSchema {
    /// The maximum length of a class name, in bytes of UTF-8.
    private static let longestClassName = 57
    private static let longestPropertyName = 63

    /// Stops the program with the documented message if a name is too long.
    private static func validateNames(_ properties: [PropertySchema], ofClass name: String) {
        let length = name.utf8.count
        if length > longestClassName {
            stop(
                "Class names are limited to a maximum of \(longestClassName) UTF8 characters. "
                    + "'\(name)' has \(length).")
        }
        for property in properties {
            for text in [property.name, property.columnName]
            where text.utf8.count > longestPropertyName {
                stop(
                    "Property names are limited to a maximum of \(longestPropertyName) UTF8 "
                        + "characters. '\(name).\(text)' has \(text.utf8.count).")
            }
        }
    }

    /// Stops the program with the documented message if the class cannot be stored.
    static func validate(_ properties: [PropertySchema], ofClass name: String) {
        validateNames(properties, ofClass: name)
        if properties.isEmpty {
            stop(
                "No properties are defined for '\(name)'. Did you remember to mark them with "
                    + "'@objc' or '@Persisted' in your model?")
        }
        var names: Set<String> = []
        var columns: Set<String> = []
        for property in properties {
            if !names.insert(property.name).inserted {
                stop(
                    "Property '\(property.name)' is declared multiple times in the class "
                        + "hierarchy of '\(name)'")
            }
            if !columns.insert(property.columnName).inserted {
                stop(
                    "Two properties of '\(name)' are stored as '\(property.columnName)'; see "
                        + "propertiesMapping().")
            }
            validateLink(property)
            validateIndex(property, ofClass: name)
        }
        validatePrimaryKey(properties.filter(\.isPrimaryKey), ofClass: name)
    }

    /// Stops the program with the documented message if `primaryKey()` names a property that does
    /// not exist.
    static func validate(
        primaryKey name: String?, in properties: [PropertySchema], ofClass className: String
    ) {
        guard let name, !properties.contains(where: { $0.name == name }) else { return }
        stop("Primary key property '\(name)' does not exist on object '\(className)'")
    }

    private static func validateIndex(_ property: PropertySchema, ofClass name: String) {
        guard property.isIndexed else { return }
        let isIndexable = property.type.traits.indexKeyKind != nil || property.type == .mixed
        if property.collection == .none, isIndexable { return }
        stop(
            "Property '\(name).\(property.name)' of type '\(property.typeDescription)' cannot "
                + "be indexed.")
    }

    private static func validateLink(_ property: PropertySchema) {
        guard property.isLink else { return }
        if property.collection == .none && !property.isOptional {
            stop("Object property '\(property.name)' must be marked as optional.")
        }
        let name = property.linkedClassName ?? ""
        if property.linkOriginPropertyName == "" {
            stop(
                "LinkingObjects<\(name)> property '\(property.name)' must set the origin property "
                    + "name with @Persisted(originProperty: \"name\").")
        }
        switch (property.collection, property.isOptional) {
        case (.list, true):
            stop("List<\(name)> property '\(property.name)' must not be marked as optional.")
        case (.set, true):
            stop(
                "MutableSet<\(name)> property '\(property.name)' must not be marked as optional.")
        case (.map, false):
            stop("Map<String, \(name)> property '\(property.name)' must be marked as optional.")
        default: break
        }
    }

    private static func validatePrimaryKey(_ keys: [PropertySchema], ofClass name: String) {
        if keys.count > 1 {
            stop(
                "Properties '\(keys[0].name)' and '\(keys[1].name)' are both marked as the "
                    + "primary key of '\(name)'")
        }
        guard let key = keys.first else { return }
        if key.type.traits.mayBePrimaryKey { return }
        stop(
            "Property '\(key.name)' cannot be made the primary key of '\(name)' because it is "
                + "not a \(PropertyType.namesOfPrimaryKeys) property.")
    }
}
