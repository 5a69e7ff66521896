import Foundation
import RealmSwift
import Testing

/// A programming error, and the text with which it stops the program.
///
/// An exit test runs in a process of its own, to which only the misuse's name is passed. So each
/// suite looks its misuses up in a table, with a test like this one:
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

/// Removes addresses, which differ from run to run, from the description of a collection.
func withoutAddresses(_ description: String) -> String {
    description.replacing(/<0x[0-9a-f]+>/, with: "<0x>")
}
