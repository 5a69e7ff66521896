import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// No pair of key and nonce is ever used for two different contents, on any path.
///
/// The test examines what processes really write. Every sealed item in a recorded write names the
/// session, which identifies the key, and the nonce.
@Suite struct EncryptionNonceTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    /// The contents that were written under each pair.
    private struct Ledger {
        struct Nonce: Hashable {
            var salt: SessionSalt
            var number: UInt32
        }
        private var contents: [Nonce: [UInt8]] = [:]
        private(set) var repeated = 0
        var sessions: Int { Set(contents.keys.map(\.salt)).count }
        var count: Int { contents.count }

        mutating func add(_ found: [EncryptedImage.Sealed], _ label: String) {
            for sealed in found {
                let nonce = Nonce(salt: sealed.seal.salt, number: sealed.seal.number)
                if let known = contents[nonce] {
                    // Only recovery writes the same bytes to the same place again.
                    #expect(known == sealed.bytes, "\(label): a nonce is used twice")
                    repeated += 1
                }
                contents[nonce] = sealed.bytes
            }
        }
    }

    private func add(
        _ events: [SystemTraceEvent], _ image: EncryptedImage, to ledger: inout Ledger,
        _ label: String
    ) {
        for event in events {
            guard case .write(let offset, let bytes) = event.change, offset > 0 else { continue }
            let (found, unsealed) = image.sealed(in: bytes, at: Int(offset))
            #expect(unsealed.isEmpty, "\(label): bytes at \(offset) are not sealed")
            ledger.add(found, label)
        }
    }

    /// Opens an image in a separate file, and records the writes from then on.
    private func record(
        _ image: [UInt8], named name: String, _ interceptor: SystemInterceptor,
        _ body: (String) throws -> Void
    ) throws -> [SystemTraceEvent] {
        let path = directory.file(name)
        try Data(image).write(to: URL(fileURLWithPath: path))
        defer {
            unlink(path)
            unlink(path + ".lock")
        }
        let start = interceptor.trace.count
        try body(path)
        return interceptor.trace[start...].filter { $0.path == path }
    }

    private func run(_ steps: ClosedRange<Int>, _ path: String, _ kind: FileKind) throws {
        let connection = try kind.open(path)
        for step in steps { try CrashWorkload.run(step, on: connection) }
    }

    @Test(arguments: [FileKind.encrypted, .encryptedAhead])
    func noncesAreNeverRepeatedOverCrashesCopiesAndFailures(kind: FileKind) throws {
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        let states = try CrashStates.of(kind)
        let image = try EncryptedImage(states.image)
        var ledger = Ledger()
        ledger.add(image.sealed(in: states.image, at: 0).found, "prepared")
        let first = CrashStates.preparedStep + 1

        // The file is closed cleanly, opened and continued.
        let whole = try record(states.image, named: "whole", interceptor) {
            try run(first...(first + 2), $0, kind)
        }
        add(whole, image, to: &ledger, "whole")
        // Another process continues a copy of the same file.
        let copy = try record(states.image, named: "copy", interceptor) {
            try run(first...(first + 6), $0, kind)
        }
        add(copy, image, to: &ledger, "copy")

        // The states that power loss leaves are recovered and continued, several times.
        var random = SeededGenerator(seed: 9)
        var history = PowerLossHistory(durable: states.image, pending: [], acknowledged: 0)
        for event in copy { history.add(event) }
        for (number, moment) in history.moments.enumerated() where number % 3 == 0 {
            var lost = moment.sample(&random)
            for life in 0..<3 {
                let label = "moment \(number), life \(life)"
                let events = try record(lost, named: "lost", interceptor) { path in
                    let connection = try kind.open(path)
                    let step = try CrashWorkload.step(of: connection)
                    try CrashWorkload.run(step + 1, on: connection)
                }
                add(events, image, to: &ledger, label)
                var next = PowerLossHistory(durable: lost, pending: [], acknowledged: 0)
                for event in events { next.add(event) }
                lost = next.moments[random.next(below: next.moments.count)].sample(&random)
            }
        }
        #expect(ledger.sessions > 20 && ledger.count > 200, "\(ledger.sessions), \(ledger.count)")
        #expect(ledger.repeated > 0, "recovery rewrote nothing")
    }

    /// A failed commit is repeated with other contents in the same places.
    @Test func noncesAreNeverRepeatedAfterFailedWrites() throws {
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        let path = directory.file("failing")
        let pager = try Pager(database: .open(path: path, options: FileKind.encrypted.options))
        try pager.write { try $0.set(0, value(1)) }
        for round in 0..<30 {
            let call: SystemCall = round % 2 == 0 ? .pwrite : .pwritev
            // A short write is recorded as far as it was written; the rest fails.
            interceptor.setFaults([
                SystemCallFault(.short, call: call, ordinal: 1),
                SystemCallFault(.fail(errno: EIO), call: .pwrite, ordinal: round % 2 == 0 ? 2 : 1),
            ])
            _ = try? pager.write { try $0.set(round % 5, value(UInt8(round), count: 3000)) }
            interceptor.setFaults([])
            if pager.database.coordinator.isPoisoned { break }
            try pager.write { try $0.set(round % 5, value(UInt8(round + 100), count: 3000)) }
        }
        let image = try EncryptedImage(readBytes(path))
        var ledger = Ledger()
        for event in interceptor.trace where event.path == path {
            guard case .write(let offset, let bytes) = event.change, offset > 0 else { continue }
            ledger.add(image.sealed(in: bytes, at: Int(offset)).found, "failing")
        }
        #expect(ledger.repeated == 0)
        #expect(ledger.sessions == 1 && ledger.count > 60)
    }
}
