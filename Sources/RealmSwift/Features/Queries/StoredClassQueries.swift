import Foundation
import StorageEngine

/// Predicates about the classes that a file stores, for a program that has no such classes.
///
/// ```swift
/// let queries = StoredClassQueries(connection)
/// let condition = try queries.condition("age > 30 AND owner.name == 'Ada'", on: "Dog")
/// let plan = try QueryPlan(table, condition)
/// ```
/// It is used where its connection is used, and as long as the schema of that stays the same.
package final class StoredClassQueries {
    /// An invalid predicate.
    package struct Problem: Error {
        /// A sentence.
        package let message: String
        /// The place of the mistake, in Unicode scalars from the beginning of the predicate.
        package let position: Int
    }

    private let realm: RealmInstance

    package init(_ connection: Connection) {
        let path = connection.database.path
        let configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), readOnly: true, objectTypes: [])
        realm = RealmInstance(
            configuration: configuration, path: path, schema: SchemaModel([]),
            connection: connection, confinement: .guarded)
    }

    /// Returns what objects of a class must satisfy.
    ///
    /// - Throws: ``Problem`` for an invalid predicate, `StorageError`.
    /// - Precondition: The file has the class.
    package func condition(
        _ predicate: String, on className: String
    ) throws -> QueryCondition {
        do {
            let syntax = try PredicateParser.parse(predicate)
            return try PredicateResolver.resolve(
                syntax, format: predicate, in: realm.dynamicClass(named: className))
        } catch let problem as InvalidPredicate {
            throw Problem(message: problem.message, position: problem.position)
        }
    }
}
