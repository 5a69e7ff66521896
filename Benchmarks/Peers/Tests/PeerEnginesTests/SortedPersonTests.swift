import Testing

@testable import BenchmarkKit
@testable import PeerEngines
@testable import ToolSupport

extension PeerTests {
    @Suite struct SortedPersonTests {
        @Test func personsAreInOrderOfBirthDateAndThenOfName() {
            var generator = SeededGenerator(seed: 5)
            for range in [1, 3, 5000, 1 << 40, Int.max] {
                let people = (0..<400).map { _ in
                    let birthdate = generator.next(below: range) - range / 2
                    return (birthdate, name: Array(String(generator.next(below: 300)).utf8))
                }
                let names = ByteArena()
                let value = ByteBuffer()
                var persons = people.map { birthdate, name in
                    PackedPerson.pack(
                        PersonValues(number: 0, birthdate: birthdate, age: 0),
                        withName: false, into: value)
                    return SortedPerson(name.withUnsafeBytes { names.copy($0) }, value.bytes)
                }
                persons.sortFromOldest()
                let expected = people.sorted {
                    $0.0 != $1.0 ? $0.0 < $1.0 : $0.name.lexicographicallyPrecedes($1.name)
                }
                #expect(persons.map(\.birthdate) == expected.map(\.0))
                #expect(persons.map { Array($0.name) } == expected.map(\.name))
            }
            var nobody: [SortedPerson] = []
            nobody.sortFromOldest()
            #expect(nobody.isEmpty)
        }
    }
}
