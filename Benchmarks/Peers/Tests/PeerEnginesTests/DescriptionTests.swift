import Testing

@testable import BenchmarkKit
@testable import PeerEngines

extension PeerTests {
    @Suite struct DescriptionTests {
        @Test func everyEngineIsDescribedInItsFolder() {
            let described = PeerDescription.all
            #expect(described.map(\.name) == PeerEngines.all.map { $0.name })
            #expect(described.map(\.layer) == PeerEngines.all.map { $0.layer })
            let own = described.filter { $0.variants != nil || !$0.name.contains("-") }
            #expect(own.map(\.order) == Array(1...own.count))
        }
    }
}
