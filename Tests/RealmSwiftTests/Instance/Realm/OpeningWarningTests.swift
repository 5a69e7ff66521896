import Foundation
import Testing

@testable import RealmSwift

private class Note: Object {
    @Persisted var text: String
}

@Suite struct OpeningWarningTests {
    /// The damaged records are those of the newest two commits of a killed process. Both commits
    /// were durable, and both are lost.
    @Test func damagedCommitRecordsAreToldOnOpening() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            let directory = TestDirectory()
            let realm = try directory.realm([Note.self])
            let url = realm.configuration.fileURL!
            for _ in 0..<2 { try realm.write { _ = realm.create(Note.self) } }
            var bytes = try Data(contentsOf: url)
            func number(_ block: Int) -> UInt64 {
                bytes[block * 4096 + 104..<block * 4096 + 112].reversed().reduce(0) {
                    $0 << 8 | UInt64($1)
                }
            }
            let newest = (2..<10).sorted { number($0) > number($1) }.prefix(2)
            for block in newest { bytes[block * 4096 + 20] ^= 1 }
            let copy = directory.url.appendingPathComponent("damaged.realm")
            try bytes.write(to: copy)
            var configuration = realm.configuration
            configuration.fileURL = copy
            for _ in 0..<2 {
                let damaged = try Realm(configuration: configuration)
                #expect(damaged.objects(Note.self).isEmpty)
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("Realm [") }
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("Realm [warn]: Realm at path '") == true)
        #expect(
            lines.first?.contains("damaged.realm': 2 of its commit records are damaged") == true)
    }
}
