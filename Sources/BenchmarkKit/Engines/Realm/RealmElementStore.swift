import RealmSwift

/// The object whose collections are measured.
final class ElementOwner: Object {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var list: List<Int>
    @Persisted var links: List<LinkTarget>
    @Persisted var set: MutableSet<String>
    @Persisted var map: Map<String, Int>
}

/// The target of the list of links, without inverse links.
final class LinkTarget: Object {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var value: Int

    convenience init(value: Int) {
        self.init()
        self.value = value
    }
}

/// The elements of the collections of one object.
final class RealmElementStore: ElementStore, RealmObjectStore {
    let realm: Realm
    let path: String
    private let owner: ElementOwner

    init(path: String, _ durability: Durability) throws {
        self.path = path
        let realm = try Realm(
            configuration: Realm.Configuration(
                path: path, durability, objectTypes: [ElementOwner.self, LinkTarget.self]))
        self.realm = realm
        if let owner = realm.objects(ElementOwner.self).first {
            self.owner = owner
        } else {
            owner = try realm.write {
                let owner = ElementOwner()
                realm.add(owner)
                return owner
            }
        }
    }

    func add(_ elements: ArraySlice<ElementValues>, to kind: ElementKind) throws {
        try realm.write {
            switch kind {
            case .list: for element in elements { owner.list.append(element.value) }
            case .links:
                for element in elements { owner.links.append(LinkTarget(value: element.value)) }
            case .set: for element in elements { owner.set.insert(element.text) }
            case .map: for element in elements { owner.map[element.text] = element.value }
            }
        }
    }

    func sum(of elements: ArraySlice<ElementValues>, in kind: ElementKind) -> Int {
        var sum = 0
        switch kind {
        case .list: for element in elements { sum += owner.list[element.position] }
        case .links: for element in elements { sum += owner.links[element.position].value }
        case .set: for element in elements where owner.set.contains(element.text) { sum += 1 }
        case .map: for element in elements { sum += owner.map[element.text] ?? 0 }
        }
        return sum
    }

    func forEach(in kind: ElementKind, _ body: (Int, String, Int) -> Void) {
        switch kind {
        case .list: for (position, value) in owner.list.enumerated() { body(position, "", value) }
        case .links:
            for (position, link) in owner.links.enumerated() { body(position, "", link.value) }
        case .set: for text in owner.set { body(0, text, 0) }
        case .map: for entry in owner.map { body(0, entry.key, entry.value) }
        }
    }
}
