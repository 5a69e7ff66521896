import Foundation
import RealmSwift

/// A model class as applications have it in a module of models: public, in another module than the
/// code that reads it, so that its accessors are calls instead of inlined code.
public final class PublicPerson: Object {
    @Persisted(primaryKey: true) public var number: Int
    @Persisted public var name: String
    @Persisted public var birthdate: Date
    @Persisted public var age: Int
}
