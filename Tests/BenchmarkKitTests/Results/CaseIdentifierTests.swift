import Testing

@testable import BenchmarkKit

@Suite struct CaseIdentifierTests {
    @Test func hasSixParts() {
        let identifier = CaseIdentifier(workload: "insert", strategy: "api", size: 1000)
        #expect(identifier.description == "insert/api/full/plain/1000/realm")
    }

    @Test func isReadBack() {
        var identifier = CaseIdentifier(workload: "sensors", strategy: "current", size: 50_000)
        #expect(CaseIdentifier(identifier.description) == identifier)
        identifier.isEncrypted = true
        identifier.durability = .relaxed
        identifier.engine = "sqlite"
        #expect(CaseIdentifier(identifier.description) == identifier)
    }

    @Test(arguments: [
        "", "sensors", "a/b/full/plain/1", "a/b/full/plain/x/realm", "a/b/full/grey/1/realm",
        "a//full/plain/1/realm", "a/b/full/plain/-1/realm", "a/b/full/plain/1/realm/more",
    ])
    func refusesOtherTexts(text: String) {
        #expect(CaseIdentifier(text) == nil)
    }
}
