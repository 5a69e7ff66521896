import Foundation
import RealmSwift

// The models of this file are not part of default schemas. The Realm files of the benchmarks name
// their classes, and a program that links this module may have classes of the same names.

/// A public model class in another module than the code that reads it, as in applications with a
/// separate module of models. Its accessors are calls, not inlined code.
public final class PublicPerson: Object {
    public override static func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted(primaryKey: true) public var number: Int
    @Persisted public var name: String
    @Persisted public var birthdate: Date
    @Persisted public var age: Int
}
