import Foundation
import RealmSwift
import Testing

/// A programming error, and the text with which it stops the program.
///
/// An exit test runs in a process of its own and is handed the misuse's name only, so that each
/// suite looks its misuses up in a table, by a test like this one:
///
///     @Test(arguments: misuses.names) func stops(_ name: String) async {
///         let result = await #expect(
///             processExitsWith: .failure, observing: [\.standardErrorContent]
///         ) { [name] in try misuses[name]?.body() }
///         misuses.expectStop(name, result)
///     }
struct Misuse: Sendable {
    let text: String
    let body: @Sendable () throws -> Void

    init(_ text: String, _ body: @escaping @Sendable () throws -> Void) {
        self.text = text
        self.body = body
    }
}

extension [String: Misuse] {
    var names: [String] { keys.sorted() }

    func expectStop(
        _ name: String, _ result: ExitTest.Result?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        RealmSwiftTests.expectStop(self[name]!.text, result, sourceLocation: sourceLocation)
    }
}

/// A printed collection without what differs from run to run.
func withoutAddresses(_ description: String) -> String {
    description.replacing(/<0x[0-9a-f]+>/, with: "<0x>")
}
