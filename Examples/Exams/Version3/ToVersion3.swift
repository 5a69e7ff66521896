import Foundation
import RealmSwift

/// From version 2 to 3: an exam has a code as primary key, one name of its examiner, and a room of
/// its own.
///
/// - Parameter limit: After how many exams the process kills itself, to show what becomes of the
///   file then; nil: it does not.
func toVersion3(_ migration: Migration, killedAfter limit: Int? = nil) {
    var codes: Set<String> = []
    var count = 0
    migration.enumerateObjects(ofType: "Exam") { old, new in
        guard let old, let new else { return }
        let first = old["examinerFirstName"] as? String ?? ""
        let last = old["examinerLastName"] as? String ?? ""
        new["examiner"] = "\(first) \(last)"

        // The old object of a file of version 1 has no subject. What the step before has written
        // is in the new one.
        let subject = new["subject"] as? String ?? ""
        let day = (new["day"] as? Date)?.formatted(.iso8601.year().month().day())
        new["code"] = unusedCode("\(subject)-\(day ?? "someday")", &codes)

        // At the end, each embedded object must have one owner. So exams get copies of rooms.
        if let room = new["place"] as? MigrationObject {
            let (name, floor) = (room["name"] as? String ?? "", room["floor"] as? Int ?? 0)
            new["place"] = ["name": name, "floor": floor] as [String: Any]
        }

        count += 1
        if count == limit { kill(getpid(), SIGKILL) }
    }
    // The rooms of before, some of which no exam had. The copies have no old object.
    migration.enumerateObjects(ofType: "Room") { old, new in
        if old != nil, let new { migration.delete(new) }
    }
}

/// A primary key must be unique when the block has ended: otherwise the migration fails with an
/// error that names class and value, and the file stays what it was.
private func unusedCode(_ wanted: String, _ codes: inout Set<String>) -> String {
    var code = wanted
    var number = 1
    while !codes.insert(code).inserted {
        number += 1
        code = "\(wanted)-\(number)"
    }
    return code
}
