import RealmSwift
import Testing

@Suite struct UnmanagedListTests {
    private func list(_ elements: Int...) -> List<Int> {
        let list = List<Int>()
        list.append(objectsIn: elements)
        return list
    }

    @Test func insertsReplacesAndRemoves() {
        let list = list(1, 2, 3)
        list.insert(0, at: 0)
        list.insert(9, at: 4)
        list.replace(index: 1, object: 11)
        list[2] = 12
        list.remove(at: 3)
        #expect(Array(list) == [0, 11, 12, 9])
        list.removeFirst()
        list.removeLast(2)
        #expect(Array(list) == [11])
        list.removeAll()
        #expect(list.isEmpty && list.first == nil && list.last == nil)
    }

    @Test func movesToThePositionAfterRemoval() {
        let list = list(0, 1, 2, 3)
        list.move(from: 0, to: 2)
        #expect(Array(list) == [1, 2, 0, 3])
        list.move(from: 3, to: 0)
        #expect(Array(list) == [3, 1, 2, 0])
    }

    @Test func swaps() {
        let list = list(0, 1, 2, 3)
        list.swapAt(0, 3)
        list.swapAt(1, 1)
        #expect(Array(list) == [3, 1, 2, 0])
    }

    @Test func findsElements() {
        #expect(list(5, 6, 6).index(of: 6) == 1)
        #expect(list(5).index(of: 7) == nil)
        #expect(list(5, 6).first == 5 && list(5, 6).last == 6)
    }

    @Test func iteratesOverASnapshot() {
        let list = list(1, 2, 3)
        var visited: [Int] = []
        for element in list {
            visited.append(element)
            list.removeAll()
        }
        #expect(visited == [1, 2, 3])
    }

    @Test func comparesElements() {
        #expect(list(1, 2) == list(1, 2))
        #expect(list(1, 2) != list(2, 1))
    }
}
