extension ClassModel {
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
