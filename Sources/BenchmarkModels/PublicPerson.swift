import Foundation
import RealmSwift

// The models of this file are no part of default schemas: files here name their classes, and a
// program that links these modules may have classes of the same names.

/// A model class as applications have it in a module of models: public, in another module than the
/// code that reads it, so that its accessors are calls instead of inlined code.
public final class PublicPerson: Object {
    public override static func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted(primaryKey: true) public var number: Int
    @Persisted public var name: String
    @Persisted public var birthdate: Date
    @Persisted public var age: Int
}
