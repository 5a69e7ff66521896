import StorageEngine
@_spi(Reflection) import Swift

/// The model of a projection class. There is one instance per class, made from the first instance
/// of the class.
///
/// Sendable although metatypes of protocols are not: everything is immutable, and `Projected` has
/// no isolated conformances.
final class ProjectionModel: @unchecked Sendable {
    struct Property {
        let name: String
        /// The offset of the wrapper from the start of the projection, in bytes.
        let offset: Int
        let wrapper: any AnyProjected.Type
        /// The names of the properties along the key path, joined by dots. There are several paths
        /// if the value is computed from several properties.
        let paths: [String]
        /// Whether the value is computed from those of the properties.
        let isComputed: Bool
    }

    /// The properties in the order of declaration.
    let properties: [Property]

    private static let models = Locked<[ObjectIdentifier: ProjectionModel]>(
        heldByForks: [:])

    /// Returns the model of a projection's class. Stops the program if a property refers to
    /// something that is not persisted.
    static func of(_ projection: AnyObject) -> ProjectionModel {
        let identifier = ObjectIdentifier(type(of: projection))
        if let model = models.withLock({ $0[identifier] }) { return model }
        let model = ProjectionModel(projection)
        models.withLock { $0[identifier] = model }
        return model
    }

    private init(_ projection: AnyObject) {
        var properties: [Property] = []
        let start = Unmanaged.passUnretained(projection).toOpaque()
        // The option with value 1 says that the type is a class.
        let options = _EachFieldOptions(rawValue: 1)
        _forEachField(of: type(of: projection), options: options) { label, offset, type, _ in
            guard let wrapper = type as? any AnyProjected.Type else { return true }
            let name = String(String(cString: label).dropFirst())
            let paths = wrapper.paths(at: start + offset)
            if paths.isEmpty {
                stop("@Projected property '\(name)' must be a part of Realm object")
            }
            properties.append(
                Property(
                    name: name, offset: offset, wrapper: wrapper, paths: paths,
                    isComputed: wrapper.path(at: start + offset) == nil))
            return true
        }
        self.properties = properties.sorted { $0.offset < $1.offset }
    }
}

extension ObjectPrinter {
    static func describe<Root>(_ projection: Projection<Root>) -> String {
        let start = Unmanaged.passUnretained(projection).toOpaque()
        let root = projection.rootObject
        if root.isInvalidated { return "[invalid object]" }
        var text = "\(type(of: projection))<\(type(of: root))> <\(start)> {\n"
        for property in ProjectionModel.of(projection).properties {
            let value = property.wrapper.value(of: root, at: start + property.offset)
            let paths = property.paths.map { "\\." + $0 }.joined(separator: ", ")
            text += "\t\(property.name)(\(paths)) = \(describe(value));\n"
        }
        return text + "}"
    }
}
