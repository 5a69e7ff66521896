import Foundation
import RealmSwift

/// How somebody is examined. The file has its text.
enum Form: String, PersistableEnum {
    case written, oral
}

final class Exam: Object {
    @Persisted var subject: String
    @Persisted var form: Form
    /// Nil as long as nobody knows it.
    @Persisted var day: Date?
    @Persisted var examinerFirstName: String
    @Persisted var examinerLastName: String
    @Persisted var place: Room?
    @Persisted var grade: Int?
}

final class Room: Object {
    @Persisted var name: String
    @Persisted var floor: Int
}
