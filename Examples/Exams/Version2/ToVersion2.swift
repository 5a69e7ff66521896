import Foundation
import RealmSwift

/// From version 1 to 2: the title becomes a subject and a form, the day a date, the room a place.
///
/// No program has the classes of version 1 any more. So objects have no class here, and their
/// properties go by names, which are written out: a name in a class may change with the next
/// version, and this step must not.
func toVersion2(_ migration: Migration) {
    // At first, before objects are looked at: then it costs nothing. Values and links stay.
    migration.renameProperty(onType: "Exam", from: "room", to: "place")
    migration.enumerateObjects(ofType: "Exam") { old, new in
        guard let old, let new else { return }
        // Properties that are gone have their values in the old object only.
        let title = old["title"] as? String ?? ""
        let parts = title.wholeMatch(of: #/(.+) \((written|oral)\)/#)
        new["subject"] = parts.map { String($0.1) } ?? title
        new["form"] = parts.map { String($0.2) } ?? "written"
        // So has a property that has stayed with another type. The new one begins empty.
        new["day"] = (old["day"] as? String).flatMap {
            try? Date($0, strategy: .iso8601.year().month().day())
        }
    }
}
