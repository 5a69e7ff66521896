import Foundation
import RealmSwift
import Testing
import ToolSupport

/// Makes random changes of a graph of objects and compares it with a plain model. The seed is part
/// of every failure message.
@Suite struct ObjectGraphModelTests {
    class Node: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var value = 0
        @Persisted var text: String?
        @Persisted var link: Node?
        @Persisted var links: List<Node>
        @Persisted var part: Part?
        @Persisted var parts: List<Part>
    }

    class Part: EmbeddedObject {
        @Persisted var value = 0
        @Persisted var link: Node?
        @Persisted var part: Part?
    }

    fileprivate struct PartModel: Equatable {
        var value = 0
        var link: Int?
        /// Values of the nested parts.
        var inner: [Int] = []
    }

    fileprivate struct NodeModel: Equatable {
        var value = 0
        var text: String?
        var link: Int?
        var links: [Int] = []
        var part: PartModel?
        var parts: [PartModel] = []
    }

    /// A Realm, its model, and the random numbers for changing both.
    private struct Run {
        let realm: Realm
        var model: [Int: NodeModel] = [:]
        var random: SeededGenerator

        mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        mutating func existing() -> Int? { model.keys.sorted().randomElement(using: &random) }

        func node(_ id: Int) -> Node? { realm.object(ofType: Node.self, forPrimaryKey: id) }

        // MARK: Values for `create`

        mutating func partValue() -> (value: [String: Any], model: PartModel) {
            var part = PartModel(value: number(100))
            part.inner = (0..<number(3)).map { _ in number(100) }
            var value: [String: Any] = ["value": part.value]
            var inner: [String: Any]?
            for number in part.inner.reversed() {
                inner = ["value": number, "part": inner as Any]
            }
            if let inner { value["part"] = inner }
            if number(2) == 0, let target = existing(), let node = node(target) {
                part.link = target
                value["link"] = node
            }
            return (value, part)
        }

        /// Returns new values for some properties of a node, and the node's model after they are
        /// set.
        mutating func someValues(_ id: Int) -> (value: [String: Any], new: NodeModel) {
            var value: [String: Any] = ["id": id]
            var new = model[id] ?? NodeModel()
            if number(2) == 0 {
                new.value = number(100)
                value["value"] = new.value
            }
            if number(2) == 0 {
                new.text = number(3) == 0 ? nil : "text \(number(5))"
                value["text"] = new.text as Any
            }
            if number(2) == 0 {
                new.link = number(3) == 0 ? nil : existing()
                value["link"] = new.link.flatMap { node($0) } as Any
            }
            if number(2) == 0 {
                new.links = (0..<number(4)).compactMap { _ in existing() }
                value["links"] = new.links.compactMap { node($0) }
            }
            if number(3) == 0 {
                let parts = (0..<number(3)).map { _ in partValue() }
                new.parts = parts.map(\.model)
                value["parts"] = parts.map(\.value)
            }
            return (value, new)
        }

        // MARK: Steps

        mutating func step() {
            switch number(10) {
            case 0...3: upsert()
            case 4: addUnmanaged()
            case 5: setPart()
            case 6: changeList()
            case 7: changeThroughKeys()
            case 8: delete()
            default: deletePart()
            }
        }

        private mutating func upsert() {
            let id = number(12)
            let (value, given) = someValues(id)
            var new = given
            let policy: Realm.UpdatePolicy =
                model[id] == nil
                ? [.error, .modified, .all][number(3)]
                : [.modified, .all][number(2)]
            realm.create(Node.self, value: value, update: policy)
            if policy == .modified, value["parts"] != nil, let old = model[id] {
                // An update keeps the existing parts, with those properties that are not given.
                for (index, part) in old.parts.enumerated() where index < new.parts.count {
                    if new.parts[index].link == nil { new.parts[index].link = part.link }
                    if new.parts[index].inner.isEmpty { new.parts[index].inner = part.inner }
                }
            }
            model[id] = new
        }

        private mutating func addUnmanaged() {
            let id = number(12)
            let node = Node()
            node.id = id
            var new = NodeModel(value: number(100))
            node.value = new.value
            if let target = existing() {
                new.link = target
                node.link = self.node(target)
            }
            let (value, part) = partValue()
            node.parts.append(Part(value: value))
            new.parts = [part]
            realm.add(node, update: model[id] == nil ? .error : .modified)
            model[id] = new
        }

        private mutating func setPart() {
            guard let id = existing(), let node = node(id) else { return }
            if number(3) == 0 {
                node.part = nil
                model[id]?.part = nil
            } else {
                let (value, part) = partValue()
                node.part = Part(value: value)
                model[id]?.part = part
            }
        }

        private mutating func changeList() {
            guard let id = existing(), let target = existing(), let node = node(id) else { return }
            let count = node.links.count
            if count > 0 && number(2) == 0 {
                let index = number(count)
                node.links.remove(at: index)
                model[id]?.links.remove(at: index)
            } else if let object = self.node(target) {
                let index = number(count + 1)
                node.links.insert(object, at: index)
                model[id]?.links.insert(target, at: index)
            }
        }

        private mutating func changeThroughKeys() {
            guard let id = existing(),
                let object = realm.dynamicObject(ofType: Node.className(), forPrimaryKey: id)
            else { return }
            let value = number(100)
            object["value"] = value
            model[id]?.value = value
            if let target = existing(), let node = node(target) {
                object.setValue(node, forKey: "link")
                model[id]?.link = target
            }
            let (partValue, part) = partValue()
            object["part"] = partValue
            model[id]?.part = part
        }

        private mutating func delete() {
            guard let id = existing(), let node = node(id) else { return }
            realm.delete(node)
            model[id] = nil
            for other in model.keys {
                model[other]?.forget(id)
            }
        }

        private mutating func deletePart() {
            guard let id = existing(), let node = node(id), !node.parts.isEmpty else { return }
            let index = number(node.parts.count)
            realm.delete(node.parts[index])
            model[id]?.parts.remove(at: index)
        }

        // MARK: Comparing

        func read() -> [Int: NodeModel] {
            Dictionary(
                uniqueKeysWithValues: realm.objects(Node.self).map { node in
                    (
                        node.id,
                        NodeModel(
                            value: node.value, text: node.text, link: node.link?.id,
                            links: node.links.map(\.id), part: node.part.map(read),
                            parts: node.parts.map(read))
                    )
                })
        }

        private func read(_ part: Part) -> PartModel {
            var inner: [Int] = []
            var next = part.part
            while let part = next {
                inner.append(part.value)
                next = part.part
            }
            return PartModel(value: part.value, link: part.link?.id, inner: inner)
        }

        /// Number of embedded objects if each has an owner.
        var partCount: Int {
            model.values.reduce(0) { sum, node in
                ([node.part].compactMap { $0 } + node.parts).reduce(sum) {
                    $0 + 1 + $1.inner.count
                }
            }
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func agreesWithAPlainModel(seed: UInt64) throws {
        let directory = TestDirectory()
        let types: [ObjectBase.Type] = [Node.self, Part.self]
        var run = Run(realm: try directory.realm(types), random: SeededGenerator(seed: seed))
        for _ in 0..<40 {
            let before = run.model
            run.realm.beginWrite()
            for _ in 0...run.number(8) { run.step() }
            #expect(run.read() == run.model, "seed \(seed)")
            if run.number(5) == 0 {
                run.realm.cancelWrite()
                run.model = before
            } else {
                try run.realm.commitWrite()
            }
            #expect(run.read() == run.model, "seed \(seed)")
            let parts = run.realm.dynamicObjects(Part.className()).count
            #expect(parts == run.partCount, "seed \(seed)")
        }
    }
}

extension ObjectGraphModelTests.NodeModel {
    fileprivate mutating func forget(_ id: Int) {
        if link == id { link = nil }
        links.removeAll { $0 == id }
        if part?.link == id { part?.link = nil }
        for index in parts.indices where parts[index].link == id { parts[index].link = nil }
    }
}
