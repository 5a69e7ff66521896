import StorageEngine

extension Realm {
    /// Opens a file with classes that are known only by their definitions, migrates it as opening a
    /// Realm of such classes would, and closes it.
    ///
    /// For programs that read the schemas of files, or make them up.
    ///
    /// - Parameter definitions: The classes that the file is to have, each with its properties in
    ///   the form in which the object layer stores them. They are instead of the configuration's.
    /// - Throws: ``Realm/Error`` if the file cannot be opened or migrated.
    package static func migrate(
        to definitions: [TableDefinition], for configuration: Configuration
    ) throws {
        do {
            let path = try configuration.path
            let schema = SchemaModel(
                dynamic: definitions.map { ClassModel(dynamic: $0, named: nil) })
            let database = try RealmInstance.openDatabase(configuration, path: path)
            _ = try RealmInstance.open(
                database, configuration, path: path, schema: schema, confinement: .current)
        } catch {
            throw Error.of(error)
        }
    }
}
