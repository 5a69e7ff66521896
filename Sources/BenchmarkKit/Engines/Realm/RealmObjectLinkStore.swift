import Foundation
import RealmSwift
import StorageEngine

/// An object with a list of links.
final class LinkOwner: Object {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var members: List<LinkMember>
}

/// The target of the lists.
final class LinkMember: Object {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var value: Int
    @Persisted(originProperty: "members") var owners: LinkingObjects<LinkOwner>

    convenience init(value: Int) {
        self.init()
        self.value = value
    }
}

/// Lists of links through the public API.
final class RealmObjectLinkStore: LinkStore {
    private let realm: Realm
    private let path: String

    init(path: String, _ durability: Durability) throws {
        self.path = path
        realm = try Realm(
            configuration: Realm.Configuration(
                path: path, durability, objectTypes: [LinkOwner.self, LinkMember.self]))
    }

    func build(owners: Int, members: Int, batchSize: Int) throws {
        for first in stride(from: 0, to: owners, by: batchSize) {
            try realm.write {
                for owner in first..<min(first + batchSize, owners) {
                    let object = LinkOwner()
                    realm.add(object)
                    for member in 0..<members {
                        object.members.append(
                            LinkMember(value: (owner * members + member) % 1000))
                    }
                }
            }
        }
    }

    func sumOfMembers() -> Int {
        var sum = 0
        for owner in realm.objects(LinkOwner.self) {
            for member in owner.members { sum += member.value }
        }
        return sum
    }

    func forEachLink(_ body: (_ owner: Int, _ position: Int, _ value: Int) -> Void) {
        for (owner, object) in realm.objects(LinkOwner.self).enumerated() {
            for (position, member) in object.members.enumerated() {
                body(owner, position, member.value)
            }
        }
    }

    func countOfOwners() -> Int {
        var count = 0
        for member in realm.objects(LinkMember.self) { count += member.owners.count }
        return count
    }

    func countOfOwners(memberValue: Int) -> Int {
        realm.objects(LinkOwner.self).filter("ANY members.value == %@", memberValue).count
    }

    func size() throws -> StoreSize {
        StoreSize(try Database.open(path: path, options: .ofCase).statistics())
    }

    func problems() throws -> [String] {
        try Connection(Database.open(path: path, options: .ofCase)).verify()
    }
}
