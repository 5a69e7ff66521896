import StorageEngine
import StressModel

/// Users of one file, as so many processes would be, and their connections, which stay at the
/// version that they found: as many as there are places for in `.lock` before it becomes longer.
final class Crowd {
    /// What there is of `.lock` at first, and is used up.
    enum Need: String, CaseIterable {
        case processes, connections

        /// Users, and connections of each.
        fileprivate var users: (count: Int, connections: Int) {
            switch self {
            case .processes: (64, 1)
            case .connections: (8, 96)
            }
        }
    }

    /// Of `.lock`, before it grows.
    private static let firstBytes: UInt64 = 32 << 10

    private let path: String
    private let options: Database.Options
    /// Of those that were there first, and of others that came later.
    private(set) var connections: [Connection] = []
    private var firstCount = 0

    /// `room`: for so many more users, or connections, there are places left.
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

    /// One more that opens the file.
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

    /// Some of those that were there first still see what they saw.
    func judge(_ look: (Connection) throws -> Void) throws {
        for index in [0, firstCount / 2, firstCount - 1] { try look(connections[index]) }
    }

    func hasMadeLockGrow() throws -> Bool {
        try System.status(path: path + ".lock").size > Self.firstBytes
    }

    /// Everybody's version is known to be pinned, and nobody else's.
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
