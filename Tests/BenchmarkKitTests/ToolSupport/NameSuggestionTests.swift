import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct NameSuggestionTests {
    @Test func suggestionsAreClose() {
        let names = ["batched", "dedicated-thread", "current"]
        #expect(NameSuggestion.closest(to: "bached", among: names) == ["batched"])
        #expect(NameSuggestion.closest(to: "dedicated", among: names) == ["dedicated-thread"])
        #expect(NameSuggestion.closest(to: "zzzzzzzz", among: names) == [])
        #expect(NameSuggestion.editDistance("kitten", "sitting") == 3)
    }
}
