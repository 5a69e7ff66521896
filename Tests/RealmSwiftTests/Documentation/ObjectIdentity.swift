import Foundation
import RealmSwift
import Testing

// Equality, hashes, printing and lifetimes of objects.

private enum Identity {
    class Keyed: Object {
        @Persisted(primaryKey: true) var id: Int
    }

    class Plain: Object {
        @Persisted var text = ""
        @Persisted var flag = true
        @Persisted var data = Data()
        @Persisted var next: Plain?
        @Persisted var numbers: List<Int>
    }

    static let types: [ObjectBase.Type] = [Keyed.self, Plain.self]
}

@Suite struct ObjectIdentityRules {
    private typealias Keyed = Identity.Keyed
    private typealias Plain = Identity.Plain

    let realm: Realm

    init() throws { realm = try temporaryRealm(Identity.types) }

    @Test func managedObjectsWithAPrimaryKeyAreEqualByRow() throws {
        let object = try realm.write { realm.create(Keyed.self, value: [1]) }
        let again = try #require(realm.object(ofType: Keyed.self, forPrimaryKey: 1))
        #expect(object == again && object.hashValue == again.hashValue)
        #expect(Set([object, again, realm.objects(Keyed.self)[0]]).count == 1)
    }

    @Test func managedObjectsWithoutAPrimaryKeyAreEqualByInstance() throws {
        let object = try realm.write { realm.create(Plain.self) }
        let again = try #require(realm.objects(Plain.self).first)
        #expect(object == object && object !== again && object != again)
        #expect(object.isSameObject(as: again) && !object.isSameObject(as: nil))
    }

    @Test func unmanagedObjectsAreEqualToThemselvesOnly() {
        let (one, two) = (Keyed(value: [1]), Keyed(value: [1]))
        #expect(one == one && one != two && !one.isSameObject(as: two))
    }

    @Test func objectsOfDifferentRealmsAreNeverEqual() throws {
        let other = try temporaryRealm(Identity.types)
        let one = try realm.write { realm.create(Keyed.self, value: [1]) }
        let two = try other.write { other.create(Keyed.self, value: [1]) }
        #expect(one != two && !one.isSameObject(as: two))
    }

    @Test func textAndBytesPrint() throws {
        let object = Plain(value: ["text": "two\nlines", "data": Data(1...30)])
        let description = object.description
        #expect(description.hasPrefix("Identity_Plain {\n\ttext = two\n\tlines;\n\tflag = 1;\n"))
        #expect(description.contains(" — 30 total bytes>;\n\tnext = (null);\n"))
        #expect(description.contains("\tnumbers = List<int> <0x"))
        try realm.write { realm.add(object) }
        #expect(withoutAddresses(object.description) == withoutAddresses(description))
    }

    @Test(arguments: [false, true]) func printingStopsAtDepthFive(managed: Bool) throws {
        let first = Plain(value: ["text": "0"])
        var last = first
        for level in 1..<10 {
            let next = Plain(value: ["text": "\(level)"])
            last.next = next
            last = next
        }
        if managed { try realm.write { realm.add(first) } }
        #expect(first.description.contains("text = 4;"))
        #expect(!first.description.contains("text = 5;"))
        #expect(first.description.contains("next = <Maximum depth exceeded>;"))
    }

    @Test(arguments: [false, true]) func cyclesPrint(managed: Bool) throws {
        let object = Plain()
        object.next = object
        if managed { try realm.write { realm.add(object) } }
        #expect(object.description.contains("<Maximum depth exceeded>"))
        if !managed { object.next = nil }
    }

    @Test func collectionsPrintAHundredElements() {
        let object = Plain()
        object.numbers.append(objectsIn: 0..<105)
        #expect(object.numbers.description.contains("\t[99] 99\n\t... 5 objects skipped.\n)"))
        #expect(!object.numbers.description.contains("[100]"))
    }

    @Test func theRealmOfAnObject() throws {
        let object = Plain()
        #expect(object.realm == nil)
        try realm.write { realm.add(object) }
        #expect(object.realm == realm)
        try realm.write { realm.delete(object) }
        #expect(object.realm == nil || object.isInvalidated)
    }
}
