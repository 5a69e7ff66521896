import Foundation
import RealmSwift

let usage = """
    Usage: exams2 FILE add SUBJECT written|oral DAY FIRST-NAME LAST-NAME ROOM FLOOR
           exams2 FILE grade SUBJECT GRADE
           exams2 FILE list
    """

/// The second version of the program.
@main
struct Exams2 {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("exams2: \(error.localizedDescription)\n".utf8))
            exit(1)
        }
    }

    /// The block is called for files of an earlier version, when they are opened the next time.
    static func open(_ path: String) throws -> Realm {
        try Realm(
            configuration: .init(
                fileURL: URL(fileURLWithPath: path), schemaVersion: 2,
                migrationBlock: { migration, oldVersion in
                    if oldVersion < 2 { toVersion2(migration) }
                }, objectTypes: [Exam.self, Room.self]))
    }

    static func run(_ arguments: [String]) throws {
        guard arguments.count >= 2 else { return stopWithUsage() }
        let realm = try open(arguments[0])
        let rest = Array(arguments.dropFirst(2))
        switch (arguments[1], rest.count) {
        case ("add", 7):
            guard let form = Form(rawValue: rest[1]), let floor = Int(rest[6]) else {
                return stopWithUsage()
            }
            try realm.write {
                let exam = Exam()
                exam.subject = rest[0]
                exam.form = form
                exam.day = try? Date(rest[2], strategy: .iso8601.year().month().day())
                exam.examinerFirstName = rest[3]
                exam.examinerLastName = rest[4]
                exam.place =
                    realm.objects(Room.self).where { $0.name == rest[5] }.first
                    ?? realm.create(Room.self, value: ["name": rest[5], "floor": floor])
                realm.add(exam)
            }
        case ("grade", 2):
            guard let grade = Int(rest[1]) else { return stopWithUsage() }
            try realm.write {
                for exam in realm.objects(Exam.self).where({ $0.subject == rest[0] }) {
                    exam.grade = grade
                }
            }
        case ("list", 0): for exam in realm.objects(Exam.self) { print(line(about: exam)) }
        default: stopWithUsage()
        }
    }

    static func line(about exam: Exam) -> String {
        let day = exam.day?.formatted(.iso8601.year().month().day()) ?? "some day"
        let grade = exam.grade.map { ": \($0)" } ?? ""
        return "\(day) \(exam.subject), \(exam.form), \(exam.examinerFirstName) "
            + "\(exam.examinerLastName), \(exam.place?.name ?? "nowhere")\(grade)"
    }

    static func stopWithUsage() {
        FileHandle.standardError.write(Data((usage + "\n").utf8))
        exit(64)
    }
}
