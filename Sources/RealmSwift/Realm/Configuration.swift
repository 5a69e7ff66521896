import Foundation
import StorageEngine

extension Realm {
    /// How a Realm is opened: where it lies, and which classes it stores.
    ///
    /// ```swift
    /// var configuration = Realm.Configuration()
    /// configuration.fileURL = directory.appendingPathComponent("people.realm")
    /// configuration.objectTypes = [Person.self, Dog.self]
    /// let realm = try Realm(configuration: configuration)
    /// ```
    public struct Configuration: Sendable {
        /// What ``Realm/init()`` opens. Every thread sees an assignment at once.
        public static var defaultConfiguration: Configuration {
            get { sharedDefault.withLock { $0 } ?? Configuration() }
            set { sharedDefault.withLock { $0 = newValue } }
        }

        private static let sharedDefault = Locked<Configuration?>(heldByForks: nil)

        /// The file. Setting it clears `inMemoryIdentifier`. Opening a Realm throws for a URL that
        /// is not a file URL.
        public var fileURL: URL? {
            get { storedFileURL }
            set {
                if newValue?.path.isEmpty == true { stop("Realm path must not be empty") }
                storedFileURL = newValue
                storedIdentifier = nil
            }
        }

        /// Names a Realm that lives in memory, and ends with the last reference to it. Setting it
        /// clears `fileURL`.
        public var inMemoryIdentifier: String? {
            get { storedIdentifier }
            set {
                if newValue?.isEmpty == true { stop("In-memory identifier must not be empty") }
                storedIdentifier = newValue
                storedFileURL = nil
            }
        }

        /// 64 bytes with which the file is encrypted; nil for a plain file. A file is opened with the
        /// key that it was created with. A Realm in memory ignores it.
        ///
        /// The key is not kept anywhere: who loses it loses the data.
        public var encryptionKey: Data? {
            didSet { Realm.requireValid(encryptionKey: encryptionKey) }
        }

        /// What has happened to a write transaction when `write` returns.
        public enum Durability: Sendable {
            /// It survives a loss of power. One sync of the disk serves all writers that wait.
            case full
            /// It survives the end of the process, and everybody sees it. Within 100 ms it survives
            /// a loss of power; one before that takes back the newest transactions, never a part of
            /// one, and leaves the file whole.
            case relaxed
            /// It ends with the last reference to the Realm. For Realms with an
            /// `inMemoryIdentifier`, and only for those.
            case memoryOnly
        }

        /// How durable write transactions are: ``Durability/full`` unless set, and
        /// ``Durability/memoryOnly`` for Realms in memory, whatever is set.
        public var durability: Durability {
            get { storedIdentifier == nil ? storedDurability : .memoryOnly }
            set { storedDurability = newValue }
        }

        /// Whether the Realm can be read only. The file must exist then.
        public var readOnly = false {
            didSet {
                if readOnly, shouldCompactOnLaunch != nil {
                    stop("Cannot set `readOnly` when `shouldCompactOnLaunch` is set.")
                }
            }
        }

        /// Asked when a Realm is opened of a file that this process does not have open yet: whether
        /// to rewrite it without free space first. Nil: never.
        ///
        /// It is given the bytes of the file and how many of them hold data, runs on the thread that
        /// opens the Realm, and must not open the same one. Compacting takes time in proportion to
        /// the data, and space for a second file. The file is opened as it is when another process
        /// has it open or compacts it too, when the disk has no room for the second file, or when
        /// anything else keeps it from being compacted. Not asked of a new file, and of a Realm in
        /// memory.
        public var shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? {
            didSet {
                if readOnly, shouldCompactOnLaunch != nil {
                    stop("Cannot set `shouldCompactOnLaunch` when `readOnly` is set.")
                }
            }
        }

        /// The version of the model. Opening a file that has a higher one throws.
        public var schemaVersion: UInt64

        /// The classes that the Realm stores; nil: all model classes of the process. Classes that
        /// properties link to must be listed as well.
        public var objectTypes: [ObjectBase.Type]? {
            get { givenTypes ?? discoveredTypes }
            set {
                givenTypes = newValue
                discoveredTypes = nil
            }
        }

        private var storedFileURL: URL?
        private var storedIdentifier: String?
        private var storedDurability = Durability.full
        private var givenTypes: [ObjectBase.Type]?
        /// In the configuration of an open Realm: what discovery found.
        private var discoveredTypes: [ObjectBase.Type]?

        /// - Parameters:
        ///   - fileURL: `default.realm` in the directory named for the executable below
        ///     `$XDG_DATA_HOME` or `$HOME/.local/share`.
        ///   - inMemoryIdentifier: if given, `fileURL` is not used.
        public init(
            fileURL: URL? = Configuration.defaultFileURL, inMemoryIdentifier: String? = nil,
            encryptionKey: Data? = nil, readOnly: Bool = false, schemaVersion: UInt64 = 0,
            shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? = nil,
            objectTypes: [ObjectBase.Type]? = nil
        ) {
            self.schemaVersion = schemaVersion
            self.fileURL = fileURL
            if let inMemoryIdentifier { self.inMemoryIdentifier = inMemoryIdentifier }
            Realm.requireValid(encryptionKey: encryptionKey)
            self.encryptionKey = encryptionKey
            if readOnly, shouldCompactOnLaunch != nil {
                stop("Cannot set `shouldCompactOnLaunch` when `readOnly` is set.")
            }
            self.readOnly = readOnly
            self.shouldCompactOnLaunch = shouldCompactOnLaunch
            givenTypes = objectTypes
        }

        /// The file of the default configuration. The environment decides at the time of asking;
        /// a relative path in a variable counts as none. Without `$HOME` it is the user's home
        /// directory.
        public static var defaultFileURL: URL {
            let data: URL
            if let directory = directory(in: "XDG_DATA_HOME") {
                data = directory
            } else {
                // Foundation asks the system's list of users, whatever `$HOME` says.
                let home =
                    directory(in: "HOME") ?? FileManager.default.homeDirectoryForCurrentUser
                data = home.appendingPathComponent(".local/share", isDirectory: true)
            }
            let executable = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent
            return data.appendingPathComponent(executable, isDirectory: true)
                .appendingPathComponent(defaultFileName)
        }

        private static func directory(in variable: String) -> URL? {
            guard let value = getenv(variable) else { return nil }
            let path = String(cString: value)
            return path.hasPrefix("/") ? URL(fileURLWithPath: path, isDirectory: true) : nil
        }

        static let defaultFileName = "default.realm"

        /// What the engine is to do with a commit.
        var engineDurability: CommitDurability {
            switch durability {
            case .full, .memoryOnly: .full
            case .relaxed: .relaxed
            }
        }

        mutating func setDiscoveredTypes(_ types: [ObjectBase.Type]) {
            if givenTypes == nil { discoveredTypes = types }
        }

        /// The path that identifies the Realm in this process.
        ///
        /// - Throws: `.invalidInput` for a URL that is not a file URL.
        var path: String {
            get throws {
                if let storedFileURL { return try Realm.path(of: storedFileURL) }
                if let storedIdentifier {
                    return FileManager.default.temporaryDirectory
                        .appendingPathComponent(storedIdentifier).path
                }
                stop("A Realm Configuration must specify a path or an in-memory identifier.")
            }
        }
    }
}

extension Realm.Configuration: Equatable {
    /// Compares where the Realm lies, its key, whether it can be written, and the schema version.
    public static func == (left: Realm.Configuration, right: Realm.Configuration) -> Bool {
        left.fileURL == right.fileURL
            && left.inMemoryIdentifier.map(StoredText.init)
                == right.inMemoryIdentifier.map(StoredText.init)
            && left.encryptionKey == right.encryptionKey
            && left.readOnly == right.readOnly && left.durability == right.durability
            && left.schemaVersion == right.schemaVersion
    }
}

extension Realm.Configuration: CustomStringConvertible {
    /// All settings, one a line. Of an encryption key only its length.
    public var description: String {
        var lines: [String] = []
        if let fileURL { lines.append("fileURL = \(fileURL.absoluteString);") }
        if let inMemoryIdentifier { lines.append("inMemoryIdentifier = \(inMemoryIdentifier);") }
        let key = encryptionKey.map { "<\($0.count) bytes>" }
        lines.append("encryptionKey = \(key ?? "(null)");")
        if durability == .relaxed { lines.append("durability = relaxed;") }
        lines.append("readOnly = \(readOnly ? 1 : 0);")
        lines.append("schemaVersion = \(schemaVersion);")
        let compacts = shouldCompactOnLaunch == nil ? "(null)" : "<block>"
        lines.append("shouldCompactOnLaunch = \(compacts);")
        let types = objectTypes?.map { $0.className() }.joined(separator: ", ")
        lines.append("objectTypes = \(types.map { "[\($0)]" } ?? "(null)");")
        return "Realm.Configuration {\n" + lines.map { "\t\($0)\n" }.joined() + "}"
    }
}
