import Foundation
import RealmSwift
import Testing
import ToolSupport

@Suite struct ListRangeTests {
    let directory = TestDirectory()

    /// Returns a list, and a function in which changes of the list are made.
    private func list(
        isManaged: Bool, _ elements: [Int]
    ) throws -> (List<Int>, (() -> Void) throws -> Void) {
        let shelf = Shelf(value: ["id": 1, "ints": elements])
        guard isManaged else { return (shelf.ints, { $0() }) }
        let realm = try directory.realm(shelfTypes)
        try realm.write { realm.add(shelf) }
        return (shelf.ints, { try realm.write($0) })
    }

    @Test(arguments: [false, true])
    func replacesAndRemovesRanges(isManaged: Bool) throws {
        let (list, change) = try list(isManaged: isManaged, Array(0..<6))
        try change {
            list.replaceSubrange(1..<3, with: [10, 11, 12])
            list.removeSubrange(5...)
            list.insert(contentsOf: [7, 8], at: 0)
            list.insert(contentsOf: list, at: 2)
        }
        #expect(Array(list) == [7, 8, 7, 8, 0, 10, 11, 12, 3, 0, 10, 11, 12, 3])
        try change {
            list.removeSubrange(...3)
            list.removeFirst(5)
            list.removeLast()
            list.removeFirst()
        }
        #expect(Array(list) == [10, 11, 12])
    }

    @Test(arguments: [false, true])
    func slicesAreViewsThatCanBeAssigned(isManaged: Bool) throws {
        let (list, change) = try list(isManaged: isManaged, [1, 2, 3, 4])
        #expect(Array(list[1..<3]) == [2, 3] && list[1...].first == 2)
        try change {
            list[0..<2] = list[2..<4]
            list[3] = 9
        }
        #expect(Array(list) == [3, 4, 3, 9])
        #expect(Array(list.prefix(2)) == [3, 4] && Array(list.reversed()) == [9, 3, 4, 3])
    }

    @Test(arguments: [false, true])
    func removesAndMovesByOffsets(isManaged: Bool) throws {
        let (list, change) = try list(isManaged: isManaged, Array(0..<8))
        try change { list.move(fromOffsets: [0, 1, 6], toOffset: 4) }
        #expect(Array(list) == [2, 3, 0, 1, 6, 4, 5, 7])
        try change { list.remove(atOffsets: [0, 2, 7]) }
        #expect(Array(list) == [3, 1, 6, 4, 5])
        try change { list.move(fromOffsets: [0], toOffset: 5) }
        #expect(Array(list) == [1, 6, 4, 5, 3])
        try change { list.move(fromOffsets: [3, 4], toOffset: 0) }
        #expect(Array(list) == [5, 3, 1, 6, 4])
    }

    @Test(arguments: [11, 12] as [UInt64])
    func behavesLikeAnArray(seed: UInt64) throws {
        let (list, change) = try list(isManaged: true, [])
        var random = SeededGenerator(seed: seed)
        var model: [Int] = []
        try change {
            for step in 0..<600 {
                let low = Int.random(in: 0...model.count, using: &random)
                let high = min(model.count, low + Int.random(in: 0..<4, using: &random))
                let new = (0..<Int.random(in: 0..<4, using: &random)).map { step * 10 + $0 }
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    list.replaceSubrange(low..<high, with: new)
                    model.replaceSubrange(low..<high, with: new)
                case 1:
                    list.removeSubrange(low..<high)
                    model.removeSubrange(low..<high)
                case 2:
                    list.insert(contentsOf: new, at: low)
                    model.insert(contentsOf: new, at: low)
                default:
                    list.append(objectsIn: new)
                    model.append(contentsOf: new)
                }
            }
        }
        #expect(Array(list) == model, "seed \(seed)")
    }
}
