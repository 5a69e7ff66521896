extension ClassModel {
    /// The maximum length of a class name, in bytes of UTF-8.
    private static let longestClassName = 57
    private static let longestPropertyName = 63

    /// Stops the program with the documented message if a name is too long.
    private static func validateNames(_ properties: [PropertyModel], ofClass name: String) {
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
    static func validate(_ properties: [PropertyModel], ofClass name: String) {
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
        primaryKey name: String?, in properties: [PropertyModel], ofClass className: String
    ) {
        guard let name, !properties.contains(where: { $0.name == name }) else { return }
        stop("Primary key property '\(name)' does not exist on object '\(className)'")
    }

    private static func validateIndex(_ property: PropertyModel, ofClass name: String) {
        guard property.isIndexed else { return }
        switch (property.shape.type, property.shape.collection) {
        case (.bool, .none), (.int, .none), (.string, .none), (.date, .none), (.uuid, .none),
            (.objectID, .none), (.mixed, .none):
            return
        default:
            stop(
                "Property '\(name).\(property.name)' of type '\(property.typeDescription)' cannot "
                    + "be indexed.")
        }
    }

    private static func validateLink(_ property: PropertyModel) {
        guard property.shape.isLink else { return }
        if property.shape.collection == .none && !property.shape.isOptional {
            stop("Object property '\(property.name)' must be marked as optional.")
        }
        let name = property.linkedClassName ?? ""
        if property.linkOriginPropertyName == "" {
            stop(
                "LinkingObjects<\(name)> property '\(property.name)' must set the origin property "
                    + "name with @Persisted(originProperty: \"name\").")
        }
        switch (property.shape.collection, property.shape.isOptional) {
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

    private static func validatePrimaryKey(_ keys: [PropertyModel], ofClass name: String) {
        if keys.count > 1 {
            stop(
                "Properties '\(keys[0].name)' and '\(keys[1].name)' are both marked as the "
                    + "primary key of '\(name)'")
        }
        guard let key = keys.first else { return }
        switch key.shape.type {
        case .int, .string, .objectID, .uuid: break
        default:
            stop(
                "Property '\(key.name)' cannot be made the primary key of '\(name)' because it is "
                    + "not a 'string', 'int', 'objectId', or 'uuid' property.")
        }
    }

    /// Returns the message for a value that does not fit a property.
    func invalidValue(_ value: Any?, for property: PropertyModel) -> String {
        guard let value = unwrapped(value) else {
            return "Invalid value '<null>' of type 'NSNull' for '\(property.typeDescription)' "
                + "property '\(name).\(property.name)'."
        }
        return "Invalid value '\(described(value))' of type '\(Swift.type(of: value))' for "
            + "'\(property.typeDescription)' property '\(name).\(property.name)'."
    }

    /// Stops the program if an array has more values than the class has properties.
    func requireFit(_ array: [Any]) {
        if array.count <= properties.count { return }
        stop(
            "Invalid array input: more values (\(array.count)) than properties "
                + "(\(properties.count)).")
    }

    /// Stops the program because no object can be made from a value that has no keys.
    func stopForUnusable(_ value: Any) -> Never { stopForMissing(properties[0], in: value) }

    /// Stops the program because the value for a new object lacks a property.
    func stopForMissing(_ property: PropertyModel, in source: Any) -> Never {
        stop(
            "Invalid value '\(described(source))' to initialize object of type '\(name)': "
                + "missing key '\(property.name)'")
    }

    /// Returns the message for a string or data value beyond the size limit.
    func tooLarge(column: Int, of managedClass: ManagedClass, size: Int) -> String {
        let property = managedClass.property(ofColumn: column)
        return "Property '\(name).\(property.name)' is given \(size) bytes, but strings and data "
            + "are limited to \(RealmInstance.maximumValueSize) bytes."
    }
}

extension PropertyModel {
    /// The type as written in messages about values: `int?`, `array<string>`, `<Person>`.
    var typeDescription: String { StoredType(definition).description }
}
