import StorageEngine
import StressModel

/// Many users of one file, each with connections that stay at the version they found. Each user
/// behaves like a process of its own. Together they use up the places that `.lock` has before it
/// grows.
final class Crowd {
    /// The kind of places in `.lock` that are used up.
    enum Need: String, CaseIterable {
        case processes, connections

        /// Number of users, and of connections for each user.
        fileprivate var users: (count: Int, connections: Int) {
            switch self {
            case .processes: (64, 1)
            case .connections: (8, 96)
            }
        }
    }

    /// Size of `.lock` before it grows.
    private static let firstBytes: UInt64 = 32 << 10

    private let path: String
    private let options: Database.Options
    /// Connections of the first users, then those of users added later.
    private(set) var connections: [Connection] = []
    private var firstCount = 0

    /// Opens the file for all users.
    ///
    /// - Parameter room: the number of users, or connections, for which places are left.
    init(_ path: String, _ options: Database.Options, _ need: Need, room: Int = 0) throws {
        self.path = path
        self.options = options
        let (users, connectionsOfEach) = need.users
        let roomForUsers = need == .processes ? room : 0
        let roomForConnections = need == .connections ? room : 0
        for _ in roomForUsers + 1..<users { try addUser(connections: connectionsOfEach) }
        try addUser(connections: connectionsOfEach - roomForConnections)
        firstCount = connections.count
    }

    /// Adds a user, which opens the file.
    func addUser(connections count: Int) throws {
        connections += try Self.open(path, options, connections: count)
    }

    static func open(
        _ path: String, _ options: Database.Options, connections count: Int
    ) throws -> [Connection] {
        let database = try Database.openUnregistered(path: path, options: options)
        return try (0..<count).map { _ in
            let connection = try Connection(database)
            _ = try connection.refresh()
            return connection
        }
    }

    /// Checks that some of the first connections still see their version.
    func judge(_ look: (Connection) throws -> Void) throws {
        for index in [0, firstCount / 2, firstCount - 1] { try look(connections[index]) }
    }

    func hasMadeLockGrow() throws -> Bool {
        try System.status(path: path + ".lock").size > Self.firstBytes
    }

    /// Checks that statistics list the pinned version of every connection, and no other.
    func checkPins() throws {
        let pins = try connections[0].database.statistics().pinnedVersions
        let own = pins.count { $0.processID == System.processID }
        guard own == connections.count, own == pins.count else {
            throw Finding(
                .wrongState,
                "\(pins.count) versions are pinned, \(own) of them by this process, which has "
                    + "\(connections.count) connections.")
        }
    }
}
