import Foundation
import RealmSwift

let usage = """
    Usage: exams1 FILE add TITLE DAY FIRST-NAME LAST-NAME ROOM FLOOR
           exams1 FILE drop TITLE
           exams1 FILE list
    """

/// The first version of the program. It has nothing to migrate.
@main
struct Exams1 {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("exams1: \(error.localizedDescription)\n".utf8))
            exit(1)
        }
    }

    static func run(_ arguments: [String]) throws {
        guard arguments.count >= 2 else { return stopWithUsage() }
        let realm = try Realm(
            configuration: .init(
                fileURL: URL(fileURLWithPath: arguments[0]), schemaVersion: 1,
                objectTypes: [Exam.self, Room.self]))
        let rest = Array(arguments.dropFirst(2))
        switch (arguments[1], rest.count) {
        case ("add", 6):
            guard let floor = Int(rest[5]) else { return stopWithUsage() }
            try realm.write {
                let exam = realm.create(Exam.self, value: Array(rest[..<4]))
                exam.room =
                    realm.objects(Room.self).where { $0.name == rest[4] }.first
                    ?? realm.create(Room.self, value: ["name": rest[4], "floor": floor])
            }
        case ("drop", 1):
            // The room stays, whether another exam is there or not.
            try realm.write {
                realm.delete(realm.objects(Exam.self).where { $0.title == rest[0] })
            }
        case ("list", 0):
            for exam in realm.objects(Exam.self) {
                print(
                    "\(exam.day) \(exam.title), \(exam.examinerFirstName) "
                        + "\(exam.examinerLastName), \(exam.room?.name ?? "nowhere")")
            }
        default: stopWithUsage()
        }
    }

    static func stopWithUsage() {
        FileHandle.standardError.write(Data((usage + "\n").utf8))
        exit(64)
    }
}
