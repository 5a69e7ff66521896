import RealmSwift

/// An exam, as the first version of the program had it: mostly texts.
final class Exam: Object {
    /// The subject and the form: `Algebra (oral)`.
    @Persisted var title: String
    /// What somebody typed: `2026-02-11`, but also `soon`.
    @Persisted var day: String
    @Persisted var examinerFirstName: String
    @Persisted var examinerLastName: String
    @Persisted var room: Room?
}

/// A room, to which several exams may lead.
final class Room: Object {
    @Persisted var name: String
    @Persisted var floor: Int
}
