import Foundation
import RealmSwift

/// A message. Messages are numbered in the order in which they were sent, over all processes.
final class Message: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var author: String
    @Persisted var text: String
}

/// Somebody who is in the room, or has been.
final class Member: Object {
    @Persisted(primaryKey: true) var name: String
    /// The number of the last message that was shown to the member.
    @Persisted var lastRead: Int
    /// The process that the member is in the room with; nil for somebody who has left.
    @Persisted var process: Int?

    /// Whether the member is in the room. A process that was killed did not say that it leaves, so
    /// the system is asked whether it runs.
    var isHere: Bool {
        guard let process else { return false }
        return kill(pid_t(process), 0) == 0 || errno == EPERM
    }
}
