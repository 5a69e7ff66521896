import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct ProcessStatusTests {
    @Test func peakMemoryIsKnown() {
        #expect(ProcessStatus.peakResidentBytes() > 1_000_000)
        #expect(ProcessStatus.threadCount() >= 1)
    }
}
