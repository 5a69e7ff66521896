import StorageEngine
import ToolSupport

/// The objects of a file as JSON.
///
/// | value | text |
/// | --- | --- |
/// | data | a string in Base64 |
/// | date | a string; see ``DateText`` |
/// | UUID, object id, decimal | a string |
/// | `nan`, `inf` | a string |
/// | link | the primary key of the object; `{"$key": 5}` without one |
/// | embedded object | an object |
/// | list, set; map | an array; an object |
/// | mixed value | see ``MixedText`` |
final class ObjectText {
    /// What is needed of a property for each object. A class, because a copy of so many references
    /// would take as long as a value.
    final class Property {
        let column: Int
        let definition: ColumnDefinition
        /// The name as JSON, with a colon.
        let jsonName: [UInt8]
        /// The table of linked or embedded objects.
        let target: Table?
        let targetKey: Int?

        init(
            column: Int, definition: ColumnDefinition, jsonName: [UInt8], target: Table?,
            targetKey: Int?
        ) {
            self.column = column
            self.definition = definition
            self.jsonName = jsonName
            self.target = target
            self.targetKey = targetKey
        }

        var isComplex: Bool {
            definition.collection != .none || definition.type == .mixed
                || definition.type == .embedded || definition.type == .typedLink
        }
    }

    let connection: Connection
    private var embeddedProperties: [Int: [Property]] = [:]
    /// The most objects that are embedded in each other, for reading and writing.
    static let maximumDepth = 500

    init(_ connection: Connection) { self.connection = connection }

    /// The properties of a class, or those of them that are named.
    func properties(of table: Table, named names: [String]? = nil) throws -> [Property] {
        let definition = table.definition
        let columns =
            try names?.map { try table.column(named: $0) } ?? Array(definition.columns.indices)
        return try columns.map { column in
            let property = definition.columns[column]
            let name = ByteOutput()
            JSONText.append(string: property.name, to: name)
            name.append(UInt8(ascii: ":"))
            let target = try property.linkTarget.flatMap { try connection.table(named: $0) }
            return Property(
                column: column, definition: property, jsonName: Array(name.bytes), target: target,
                targetKey: target?.primaryKey)
        }
    }

    // MARK: Objects

    /// Appends the members of an object, without braces.
    func appendMembers(
        _ properties: [Property], of table: Table, at location: RowLocation,
        to output: ByteOutput, depth: Int = 0
    ) throws {
        var isFirst = true
        for property in properties {
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            property.jsonName.withUnsafeBytes { output.append($0) }
            try append(property, of: table, at: location, to: output, depth: depth)
        }
    }

    /// Appends the value of a property as JSON.
    func append(
        _ property: Property, of table: Table, at location: RowLocation, to output: ByteOutput,
        depth: Int = 0
    ) throws {
        guard depth < Self.maximumDepth else {
            throw ToolError(
                .internalError,
                "More than \(Self.maximumDepth) objects of '\(table.definition.name)' are embedded "
                    + "in each other.")
        }
        if property.definition.collection == .none {
            let value = try table.value(property.column, at: location)
            return try append(value, property, to: output, depth: depth)
        }
        try appendCollection(
            property, of: table, table.key(at: location), to: output, depth: depth)
    }

    private func appendCollection(
        _ property: Property, of table: Table, _ key: ObjectKey, to output: ByteOutput, depth: Int
    ) throws {
        // Kept aside, because a walk over elements throws errors of the engine only.
        var failure: (any Error)?
        var isFirst = true
        func element(_ value: Scalar) -> Bool {
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            do { try append(value, property, to: output, depth: depth + 1) } catch {
                failure = error
            }
            return failure == nil
        }
        let isMap = property.definition.collection == .map
        output.append(UInt8(ascii: isMap ? "{" : "["))
        switch property.definition.collection {
        case .list: try table.list(property.column, of: key).forEach(element)
        case .set: try table.set(property.column, of: key).forEach(element)
        case .map, .none:
            try table.map(property.column, of: key).forEach { name, value in
                if !isFirst { output.append(UInt8(ascii: ",")) }
                isFirst = true
                JSONText.append(string: name, to: output)
                output.append(UInt8(ascii: ":"))
                return element(value)
            }
        }
        if let failure { throw failure }
        output.append(UInt8(ascii: isMap ? "}" : "]"))
    }

    /// Appends a single value, or an element of a collection, as JSON.
    func append(
        _ value: Scalar, _ property: Property, to output: ByteOutput, depth: Int
    ) throws {
        switch property.definition.type {
        case .link:
            guard case .integer(let key) = value else { return output.append("null") }
            try appendLink(to: ObjectKey(rawValue: key), property, to: output)
        case .embedded:
            guard case .integer(let key) = value, let target = property.target else {
                return output.append("null")
            }
            try appendEmbedded(ObjectKey(rawValue: key), of: target, to: output, depth: depth)
        case .mixed, .typedLink:
            guard let mixed = MixedValue(value, storedAs: property.definition.type) else {
                throw ToolError(.damaged, "A mixed value cannot be read. The file is damaged.")
            }
            try MixedText(self).append(mixed, to: output)
        case .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectID, .decimal128:
            ScalarWriter.appendJSON(value, property.definition.type, to: output)
        }
    }

    private func appendEmbedded(
        _ key: ObjectKey, of target: Table, to output: ByteOutput, depth: Int
    ) throws {
        guard let location = try target.location(of: key) else { return output.append("null") }
        let properties: [Property]
        if let known = embeddedProperties[target.number] {
            properties = known
        } else {
            properties = try self.properties(of: target)
            embeddedProperties[target.number] = properties
        }
        output.append(UInt8(ascii: "{"))
        try appendMembers(properties, of: target, at: location, to: output, depth: depth + 1)
        output.append(UInt8(ascii: "}"))
    }

    // MARK: Links

    /// The primary key of a linked object; nil if it has none, or it is null.
    func primaryKey(_ key: ObjectKey, _ property: Property) throws -> (Scalar, ValueType)? {
        guard let target = property.target, let column = property.targetKey,
            let location = try target.location(of: key)
        else { return nil }
        let value = try target.value(column, at: location)
        return value.isNull ? nil : (value, target.definition.columns[column].type)
    }

    private func appendLink(
        to key: ObjectKey, _ property: Property, to output: ByteOutput
    ) throws {
        if let (value, type) = try primaryKey(key, property) {
            ScalarWriter.appendJSON(value, type, to: output)
        } else {
            Self.append(key, to: output)
        }
    }

    /// Appends what stands for an object without a primary key.
    static func append(_ key: ObjectKey, to output: ByteOutput) {
        output.append("{\"$key\":")
        output.append(decimal: key.rawValue)
        output.append(UInt8(ascii: "}"))
    }
}
