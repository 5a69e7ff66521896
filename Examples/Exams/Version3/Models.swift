import Foundation
import RealmSwift

enum Form: String, PersistableEnum {
    case written, oral
}

final class Exam: Object {
    /// Subject and day: `Algebra-2026-02-11`.
    @Persisted(primaryKey: true) var code: String
    @Persisted(indexed: true) var subject: String
    @Persisted var form: Form
    @Persisted var day: Date?
    /// First and last name.
    @Persisted var examiner: String
    @Persisted var place: Room?
    @Persisted var grade: Int?
}

/// A room, which belongs to one exam now.
final class Room: EmbeddedObject {
    @Persisted var name: String
    @Persisted var floor: Int
}
