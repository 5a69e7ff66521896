import StorageEngine
import StressModel
import Testing

@testable import StressKit

@Suite struct SealUseTests {
    private let folder: ScratchFolder
    private let trial: Trial

    init() throws {
        folder = try ScratchFolder()
        trial = Trial(directory: folder.path, secondsLeft: 60)
    }

    /// Returns the events of writing an encrypted database.
    private func events() throws -> [SystemTraceEvent] {
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: folder.path), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        _ = try trial.prepare(
            StressPoint("power-loss", "encrypted").with("file", "encrypted"), transactions: 5)
        return interceptor.trace
    }

    @Test func aDatabaseSealsNothingTwice() throws {
        var seals = SealUse()
        let events = try events()
        try seals.add(events)
        // Sealing the same bytes again is not a second use.
        try seals.add(events)
    }

    @Test func otherContentsUnderAUsedNonceAreFound() throws {
        var events = try events()
        let index = try #require(
            events.lastIndex {
                guard case .write(let offset, let bytes) = $0.change else { return false }
                // A run behind the commit slots.
                return offset >= 10 * 4096 && bytes[16..<32].contains { $0 != 0 }
            })
        guard case .write(let offset, var bytes) = events[index].change else { return }
        bytes[3] ^= 1
        var seals = SealUse()
        try seals.add(events)
        events[index].change = .write(offset: offset, bytes: bytes)
        #expect(throws: Finding.self) { try seals.add([events[index]]) }
    }
}
