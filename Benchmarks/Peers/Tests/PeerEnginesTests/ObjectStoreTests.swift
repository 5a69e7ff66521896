import Testing

@testable import BenchmarkKit
@testable import PeerEngines

extension PeerTests {
    @Suite struct ObjectStoreTests {
        static let peers = Peer.supporting(.objects)

        @Test(arguments: peers, ItemWidth.allCases)
        func itemsComeBack(_ peer: Peer, _ width: ItemWidth) throws {
            let folder = try TemporaryFolder()
            let path = folder.path + "/items"
            let items = (0..<60).map { ItemValues(number: $0, seed: 3) }
            for attempt in 0..<2 {
                let store = try peer.engine.openItems(at: path, width, peer.fastest)
                if attempt == 0 {
                    try store.add(items[..<30])
                    let dictionaries = stride(from: 30, to: 60, by: width.groups).map {
                        store.dictionary(of: items[$0..<$0 + width.groups])
                    }
                    try store.create(from: dictionaries[...])
                }
                var found: [ItemValues] = []
                try store.forEach { found.append($0) }
                let wanted = items.map { $0.narrowed(to: width) }
                #expect(found.sorted { $0.name < $1.name } == wanted.sorted { $0.name < $1.name })
                #expect(try store.problems() == [])
                #expect(try store.size().fileBytes > 0)
            }
        }

        @Test(arguments: peers, ElementKind.allCases)
        func elementsAreFound(_ peer: Peer, _ kind: ElementKind) throws {
            let folder = try TemporaryFolder()
            let path = folder.path + "/elements"
            let elements = (0..<70).map { ElementValues(position: $0, seed: 5) }
            do {
                let store = try peer.engine.openElements(at: path, peer.fastest)
                try store.add(elements[..<40], to: kind)
                try store.add(elements[40...], to: kind)
                // A set and a map have each text once.
                if kind == .set || kind == .map { try store.add(elements[10..<20], to: kind) }
            }
            let store = try peer.engine.openElements(at: path, peer.fastest)
            var found = ResultDigest()
            try store.forEach(in: kind) { found.add(ElementValues.row($0, $1, $2)) }
            var wanted = ResultDigest()
            for element in elements { wanted.add(element.row(in: kind)) }
            #expect(found == wanted)
            let chosen = [elements[7], elements[69], elements[7], elements[0]]
            let sum = chosen.reduce(0) { $0 + $1.term(in: kind) }
            #expect(try store.sum(of: chosen[...], in: kind) == sum)
            #expect(try store.problems() == [])
        }

        @Test(arguments: peers, PropertyKind.allCases)
        func propertiesAreReadAndWritten(_ peer: Peer, _ kind: PropertyKind) throws {
            let folder = try TemporaryFolder()
            let path = folder.path + "/properties"
            let objects = (0..<12).map { PropertyValues(number: $0, seed: 9) }
            let others = (12..<14).map { PropertyValues(number: $0, seed: 9) }
            do {
                let store = try peer.engine.openProperties(at: path, peer.fastest)
                try store.add(objects)
                try store.hold(objects.count)
                for object in objects {
                    #expect(
                        try store.sum(of: kind, object: object.number, times: 3)
                            == 3 &* object.word(of: kind))
                }
                try store.write {
                    try store.set(kind, object: 4, to: (others[0], others[1]), times: 6)
                    try store.set(kind, object: 5, to: (others[0], others[1]), times: 1)
                }
            }
            let store = try peer.engine.openProperties(at: path, peer.fastest)
            var found: [Int: [String]] = [:]
            try store.forEach { found[$0] = $1 }
            #expect(found.count == objects.count)
            for object in objects {
                let source =
                    object.number == 4 ? others[1] : object.number == 5 ? others[0] : object
                let texts = PropertyKind.allCases.map {
                    ($0 == kind ? source : object).text(of: $0)
                }
                #expect(found[object.number] == texts)
            }
            #expect(try store.problems() == [])
        }

        @Test(arguments: peers)
        func whatIsMissingFails(_ peer: Peer) throws {
            let folder = try TemporaryFolder()
            let store = try peer.engine.openProperties(at: folder.path + "/p", peer.fastest)
            let value = PropertyValues(number: 0, seed: 1)
            #expect(throws: (any Error).self) {
                try store.hold(4)
                _ = try store.sum(of: .int, object: 3, times: 1)
            }
            #expect(throws: (any Error).self) {
                try store.hold(4)
                try store.write { try store.set(.int, object: 3, to: (value, value), times: 1) }
            }
        }
    }
}
