import Foundation
import RealmSwift
import StressModel

// What an observer of a query must be told, found naively: from all objects and their links, and
// from the contents of a fresh query before and after.

/// What a step from one version to a later one did to pets.
struct PetStep {
    /// The pets that must be reported as modified: they, or objects up to four links away, differ.
    var changed: Set<Int>
    /// The pets that may be reported as modified: they, or objects up to four links away, were
    /// written to.
    var written: Set<Int>
    /// The pets whose place in an order may have changed.
    var movable: Set<Int>
    /// The only object that was written to; nil if there are several, or if it is a keeper.
    var onlyPet: Int?
}

/// The properties and links of all objects, by node: `p3` is pet 3, and `k0` is keeper 0.
struct PetModel {
    private var texts: [String: String] = [:]
    private var links: [String: [String]] = [:]

    init() {}

    init(_ realm: Realm) {
        for pet in realm.objects(Pet.self) { add(pet) }
        for keeper in realm.objects(Keeper.self) { add(keeper) }
    }

    private mutating func add(_ pet: Pet) {
        let node = "p\(pet.id)"
        let friends = Array(pet.friends).map { "p\($0.id)" }
        let values = "\(pet.name) \(pet.kind) \(pet.age) \(pet.weight) \(pet.score ?? -1)"
        texts[node] = "\(values) \(pet.isTame) \(pet.owner?.id ?? -1) \(friends)"
        links[node] = friends + (pet.owner.map { ["k\($0.id)"] } ?? [])
    }

    private mutating func add(_ keeper: Keeper) {
        let favourites = Array(keeper.favourites).map { "p\($0.id)" }
        texts["k\(keeper.id)"] = "\(keeper.name) \(keeper.level) \(favourites)"
        links["k\(keeper.id)"] = favourites
    }

    /// Reads again what was written to.
    mutating func update(_ realm: Realm, _ touched: Set<String>) -> PetStep {
        var changed: Set<String> = []
        for node in touched {
            let old = texts[node]
            (texts[node], links[node]) = (nil, nil)
            let id = Int(node.dropFirst()) ?? -1
            if node.hasPrefix("p") {
                if let pet = realm.object(ofType: Pet.self, forPrimaryKey: id) { add(pet) }
            } else if let keeper = realm.object(ofType: Keeper.self, forPrimaryKey: id) {
                add(keeper)
            }
            if let old, let new = texts[node], old != new { changed.insert(node) }
        }
        let keepers = touched.filter { $0.hasPrefix("k") }
        let pets = Self.pets(touched)
        return PetStep(
            changed: Self.pets(affected(by: changed, links: 4)),
            written: Self.pets(affected(by: touched, links: 4)),
            movable: pets.union(Self.pets(affected(by: keepers, links: 1))),
            onlyPet: touched.count == 1 ? pets.first : nil)
    }

    private static func pets(_ nodes: Set<String>) -> Set<Int> {
        Set(nodes.filter { $0.hasPrefix("p") }.compactMap { Int($0.dropFirst()) })
    }

    /// Returns the nodes that are among `nodes` or at most `count` links away from one.
    private func affected(by nodes: Set<String>, links count: Int) -> Set<String> {
        var referrers: [String: [String]] = [:]
        for (node, targets) in links {
            for target in targets { referrers[target, default: []].append(node) }
        }
        var found = nodes
        var frontier = nodes
        for _ in 0..<count {
            frontier = Set(frontier.flatMap { referrers[$0] ?? [] }).subtracting(found)
            found.formUnion(frontier)
        }
        return found
    }
}

/// An observer of a query, and the check of what it is told in one step.
final class QueryCheck {
    private let query: PetQuery
    private var name: String { query.testDescription }
    private let realm: Realm
    private let log = ChangeLog<Recorded>()
    private var token: NotificationToken?
    private var ids: [Int] = []

    init(_ query: PetQuery, _ realm: Realm) {
        self.query = query
        self.realm = realm
        let log = log
        token = query.make(realm).observe { log.append(Recorded($0)) }
    }

    /// Takes note of the initial contents, after they are delivered.
    func begin() -> String? {
        ids = freshIDs()
        defer { log.removeAll() }
        return log.entries == [.initial(ids.count)] ? nil : "\(name) begins with \(log.entries)"
    }

    /// The contents that a query has that was never asked before.
    private func freshIDs() -> [Int] { Array(query.make(realm)).map(\.id) }

    /// Returns what is wrong with what was told since the last call, after everything is
    /// delivered.
    func fault(_ step: PetStep) -> String? {
        let (old, new) = (ids, freshIDs())
        let told = log.entries
        ids = new
        log.removeAll()
        if told.count > 1 { return "\(name): \(told.count) changes in one step: \(told)" }
        guard let change = told.first else {
            let missed = old != new || !step.changed.isDisjoint(with: old)
            return missed ? "\(name): no change from \(old) to \(new)" : nil
        }
        guard case .update(let deletions, let insertions, let modifications) = change else {
            return "\(name): \(change)"
        }
        let positions = ChangedPositions(
            deletions: deletions, insertions: insertions, modifications: modifications)
        let found =
            positions.fault(oldCount: old.count, newCount: new.count)
            ?? transformationFault(positions, old, new)
            ?? modificationFault(positions, old, step)
            ?? moveFault(positions, old, new, step)
            ?? singleFault(positions, old, new, step)
        return found.map { "\(name): a change \($0): \(positions), from \(old) to \(new)" }
    }

    private func transformationFault(
        _ change: ChangedPositions, _ old: [Int], _ new: [Int]
    ) -> String? {
        var result = old
        for index in change.deletions.reversed() { result.remove(at: index) }
        for index in change.insertions { result.insert(new[index], at: index) }
        return result == new ? nil : "leads to \(result)"
    }

    private func modificationFault(
        _ change: ChangedPositions, _ old: [Int], _ step: PetStep
    ) -> String? {
        let (deleted, modified) = (Set(change.deletions), Set(change.modifications))
        for (index, id) in old.enumerated() where !deleted.contains(index) {
            if step.changed.contains(id) && !modified.contains(index) {
                return "does not report \(id) as modified"
            }
            if modified.contains(index) && !step.written.contains(id) {
                return "reports \(id) as modified"
            }
        }
        return nil
    }

    /// Objects that were not written to need not move.
    private func moveFault(
        _ change: ChangedPositions, _ old: [Int], _ new: [Int], _ step: PetStep
    ) -> String? {
        let kept = Set(old).intersection(new)
        let moved = change.deletions.filter { kept.contains(old[$0]) }
        return moved.count > kept.intersection(step.movable).count
            ? "moves \(moved.count) elements" : nil
    }

    /// A single object that moves by more than one place is the only one that is deleted and
    /// inserted. Of two neighbours that change places, either may be.
    private func singleFault(
        _ change: ChangedPositions, _ old: [Int], _ new: [Int], _ step: PetStep
    ) -> String? {
        guard let pet = step.onlyPet, old.filter({ $0 != pet }) == new.filter({ $0 != pet }) else {
            return nil
        }
        let (from, to) = (old.firstIndex(of: pet), new.firstIndex(of: pet))
        if let from, let to, abs(from - to) == 1 { return nil }
        let isInPlace = from == to
        let deletions = isInPlace ? [] : [from].compactMap { $0 }
        let insertions = isInPlace ? [] : [to].compactMap { $0 }
        return change.deletions == deletions && change.insertions == insertions
            ? nil : "is not the move of \(pet) from \(from ?? -1) to \(to ?? -1)"
    }
}

/// One case of a model test: random changes of pets, and observers of queries.
final class IncrementalRun {
    private let scene: ModelScene
    private var operations: PetOperations
    private var model = PetModel()
    private var checks: [QueryCheck] = []

    private var realm: Realm { scene.realm }

    init(seed: UInt64, pets: Int, queries: [PetQuery]) throws {
        scene = try ModelScene(incrementalTypes)
        operations = PetOperations(seed: seed)
        try scene.realm.write { operations.fill(scene.realm, pets: pets) }
        model = PetModel(scene.realm)
        checks = queries.map { QueryCheck($0, scene.realm) }
    }

    /// Returns what went wrong in `count` rounds, or in the first round that failed. A transaction
    /// changes at most `limit` objects; if that is one, a round is one transaction.
    func faults(after count: Int, changing limit: Int) throws -> [String] {
        try scene.settle()
        let wrong = checks.compactMap { $0.begin() }
        if !wrong.isEmpty { return wrong }
        for round in 0..<count {
            try makeChanges(limit)
            if operations.number(3) == 0 { realm.refresh() }
            try scene.settle()
            let step = model.update(realm, operations.touched)
            operations.touched = []
            let faults = checks.compactMap { $0.fault(step) }
            if !faults.isEmpty { return ["round \(round)"] + faults }
        }
        return []
    }

    private func makeChanges(_ limit: Int) throws {
        if operations.number(2) == 0 {
            try realm.write { operations.change(realm, atMost: limit) }
            return
        }
        // Several commits before a delivery are one step.
        for _ in 0..<(limit == 1 ? 1 : 1 + operations.number(3)) {
            operations = try scene.writeElsewhere { [operations] realm in
                var copy = operations
                copy.change(realm, atMost: limit)
                return copy
            }
        }
    }
}
