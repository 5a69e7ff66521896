import Foundation
import RealmSwift

let usage = """
    Usage: exams FILE add CODE SUBJECT written|oral DAY EXAMINER ROOM FLOOR
           exams FILE grade CODE GRADE
           exams FILE list
           exams FILE version                     the version of the file
           exams FILE differences                 what differs from the classes of this program
           exams FILE update [--kill-after N]     only migrate; end in the middle, after N exams
    """

/// What cannot be done.
struct Refusal: LocalizedError {
    let errorDescription: String?
}

/// The present version of the program.
@main
struct Exams {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("exams: \(error.localizedDescription)\n".utf8))
            exit(1)
        }
    }

    /// The steps stand beside each other. A file begins with the one behind its version, whichever
    /// versions its user has skipped.
    static func configuration(_ path: String, killedAfter limit: Int? = nil) -> Realm.Configuration
    {
        Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), schemaVersion: 3,
            migrationBlock: { migration, oldVersion in
                print("The file has version \(oldVersion).")
                fflush(nil)
                if oldVersion < 2 { toVersion2(migration) }
                if oldVersion < 3 { toVersion3(migration, killedAfter: limit) }
            }, objectTypes: [Exam.self, Room.self])
    }

    static func run(_ arguments: [String]) throws {
        guard arguments.count >= 2 else { return stopWithUsage() }
        let configuration = configuration(arguments[0])
        let rest = Array(arguments.dropFirst(2))
        switch (arguments[1], rest.count) {
        case ("add", 7):
            guard let form = Form(rawValue: rest[2]), let floor = Int(rest[6]) else {
                return stopWithUsage()
            }
            let exam = Exam(value: ["code": rest[0], "subject": rest[1], "examiner": rest[4]])
            exam.form = form
            exam.day = try? Date(rest[3], strategy: .iso8601.year().month().day())
            exam.place = Room(value: ["name": rest[5], "floor": floor])
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(exam, update: .modified) }
        case ("grade", 2):
            guard let grade = Int(rest[1]) else { return stopWithUsage() }
            let realm = try Realm(configuration: configuration)
            guard let exam = realm.object(ofType: Exam.self, forPrimaryKey: rest[0]) else {
                throw Refusal(errorDescription: "There is no exam '\(rest[0])'.")
            }
            try realm.write { exam.grade = grade }
        case ("list", 0):
            let realm = try Realm(configuration: configuration)
            for exam in realm.objects(Exam.self).sorted(by: \.code) { print(line(about: exam)) }
        case ("version", 0): print(try schemaVersionAtURL(URL(fileURLWithPath: arguments[0])))
        case ("differences", 0): try showDifferences(configuration)
        case ("update", 0): try Realm.performMigration(for: configuration)
        case ("update", 2):
            guard rest[0] == "--kill-after", let limit = Int(rest[1]) else {
                return stopWithUsage()
            }
            try Realm.performMigration(for: Self.configuration(arguments[0], killedAfter: limit))
        default: stopWithUsage()
        }
    }

    /// Shows the error of a program that has changed its classes, and has no block.
    static func showDifferences(_ configuration: Realm.Configuration) throws {
        var configuration = configuration
        configuration.migrationBlock = nil
        do {
            _ = try Realm(configuration: configuration)
            print("The file fits.")
        } catch let error as Realm.Error where error.code == .schemaMismatch {
            print(error.localizedDescription)
        }
    }

    static func line(about exam: Exam) -> String {
        let place = exam.place.map { "\($0.name), floor \($0.floor)" } ?? "nowhere"
        let grade = exam.grade.map { ": \($0)" } ?? ""
        return "\(exam.code) (\(exam.form)), \(exam.examiner), \(place)\(grade)"
    }

    static func stopWithUsage() {
        FileHandle.standardError.write(Data((usage + "\n").utf8))
        exit(64)
    }
}
