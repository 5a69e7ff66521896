import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct ChatTests {
    private let folder: TemporaryFolder
    private let room: String

    init() throws {
        folder = try TemporaryFolder()
        room = folder.url.appendingPathComponent("room.realm").path
    }

    @Test func messagesOfOtherProcessesAppearWhileTheInputIsOpen() throws {
        let bob = try enter("Bob")
        let ann = try enter("Ann")

        try ann.write(line: "Hello")
        #expect(bob.nextLine() == "Ann: Hello")
        try bob.write(line: "Hello yourself")
        #expect(ann.nextLine() == "Bob: Hello yourself")

        #expect(try bob.finish() == 0)
        #expect(try ann.finish() == 0)
        #expect(try who() == ["Ann is away, 0 unread", "Bob is away, 0 unread"])
    }

    @Test func whoWasKilledIsAwayAndMayEnterAgain() throws {
        let bob = try enter("Bob")
        #expect(try who() == ["Bob is here, 0 unread"])
        #expect(try ExampleProcess("chat", [room, "join", "Bob"]).finish() == 1)
        bob.end()
        #expect(try who() == ["Bob is away, 0 unread"])
        let again = try enter("Bob")
        #expect(try again.finish() == 0)
    }

    /// Starts a program, and waits until it is in the room.
    private func enter(_ name: String) throws -> ExampleProcess {
        let process = try ExampleProcess("chat", [room, "join", name])
        while try !who().contains(where: { $0.hasPrefix("\(name) is here") }) {
            usleep(10_000)
        }
        return process
    }

    private func who() throws -> [String] { try lines(of: "chat", [room, "who"]) }
}
