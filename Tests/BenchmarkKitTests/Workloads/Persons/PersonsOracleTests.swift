import Testing

@testable import BenchmarkKit

@Suite struct PersonsOracleTests {
    @Test func aPersonIsKnownWithoutThoseBefore() {
        let persons = PersonStoreTests.persons(50, seed: 99)
        #expect((0..<50).map { PersonValues(number: $0, seed: 99) } == persons)
    }

    @Test func randomNamesArePartOfTheContents() {
        let persons = PersonStoreTests.persons(300, seed: 4, names: .letters)
        var oracle = PersonsOracle(size: 300, seed: 4, names: .letters)
        var found: [PersonValues] = []
        oracle.forEach { found.append($0) }
        #expect(found == persons)
        #expect(oracle.person(17) == persons[17])
        #expect(oracle.contents().digest != PersonsOracle(size: 300, seed: 4).contents().digest)
        let before = oracle.contents()
        Ageing.forEachStep(size: 300, seed: 4, names: .letters) { oracle.apply($0) }
        #expect(oracle.contents().rows == 300)
        #expect(oracle.contents().digest != before.digest)
    }

    @Test func ageingKeepsEveryPersonAndChangesMany() {
        var oracle = PersonsOracle(size: 500, seed: 4)
        let before = oracle.contents()
        Ageing.forEachStep(size: 500, seed: 4) { oracle.apply($0) }
        #expect(oracle.contents().rows == 500)
        #expect(oracle.contents().digest != before.digest)
    }

    @Test func itAnswersLikePlainSwift() {
        let persons = PersonStoreTests.persons(800, seed: 5)
        var oracle = PersonsOracle(size: 800, seed: 5)
        #expect(oracle.sumOfAges() == persons.reduce(0) { $0 + $1.age })
        let sorted = persons.sorted { ($0.age, $0.name) < ($1.age, $1.name) }.map(\.name)
        #expect(oracle.names(sortedByAge: 10) == Array(sorted.prefix(10)))
        let odd = persons.filter { $0.age % 2 == 1 }.count
        #expect(oracle.deleteOddAges() == odd)
        #expect(oracle.contents().rows == 800 - odd)
    }
}
