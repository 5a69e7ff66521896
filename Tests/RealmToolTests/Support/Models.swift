import Foundation
import RealmSwift

final class ToolPerson: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int?
    @Persisted var boss: ToolPerson?
    @Persisted var dogs: List<ToolDog>
    @Persisted var address: ToolAddress?
    @Persisted var tags: MutableSet<String>
    @Persisted var scores: Map<String, Double?>
    @Persisted var note: AnyRealmValue
}

final class ToolDog: Object {
    @Persisted var name: String
    @Persisted var born: Date?
    @Persisted var photo: Data?
}

final class ToolAddress: EmbeddedObject {
    @Persisted var city: String
    @Persisted var rooms: List<Int>
}

/// Opens the file at a path with the classes above.
func openRealm(_ path: String, key: Data? = nil) throws -> Realm {
    try Realm(
        configuration: .init(
            fileURL: URL(fileURLWithPath: path), encryptionKey: key,
            objectTypes: [ToolPerson.self, ToolDog.self, ToolAddress.self]))
}

/// Makes a file with a few persons, one of them with everything.
@discardableResult
func makePeople(_ path: String, key: Data? = nil) throws -> Realm {
    let realm = try openRealm(path, key: key)
    try realm.write {
        let ada = realm.create(ToolPerson.self, value: ["id": 1, "name": "Ada", "age": 36])
        let bob = realm.create(ToolPerson.self, value: ["id": 2, "name": "Bob \"B\", Jr.\nII"])
        bob.boss = ada
        let rex = ToolDog()
        rex.name = "Rex"
        rex.born = Date(timeIntervalSinceReferenceDate: 0.5)
        rex.photo = Data([0, 255, 1])
        ada.dogs.append(rex)
        ada.dogs.append(rex)
        ada.address = ToolAddress(value: ["city": "Zürich", "rooms": [3, 1]] as [String: Any])
        ada.tags.insert("b")
        ada.tags.insert("")
        ada.scores["x"] = 1.5
        ada.scores["none"] = .some(nil)
        ada.note = .date(Date(timeIntervalSinceReferenceDate: 1))
        realm.create(ToolPerson.self, value: ["id": 3, "name": "\u{0}漢字", "age": -7])
    }
    return realm
}
