import Foundation
import StorageEngine

extension Realm {
    /// The settings with which a Realm is opened: its location, its classes, and how it is written.
    ///
    /// ```swift
    /// var configuration = Realm.Configuration()
    /// configuration.fileURL = directory.appendingPathComponent("people.realm")
    /// configuration.objectTypes = [Person.self, Dog.self]
    /// let realm = try Realm(configuration: configuration)
    /// ```
    public struct Configuration: Sendable {
        /// The configuration that ``Realm/init(queue:)`` opens.
        ///
        /// Can be read and set on any thread. An assignment is visible to all threads at once.
        public static var defaultConfiguration: Configuration {
            get { sharedDefault.withLock { $0 } ?? Configuration() }
            set { sharedDefault.withLock { $0 = newValue } }
        }

        private static let sharedDefault = Locked<Configuration?>(heldByForks: nil)

        /// The URL of the Realm file. Setting it clears `inMemoryIdentifier`.
        ///
        /// Opening a Realm throws for a URL that is not a file URL.
        ///
        /// - Precondition: The path is not empty.
        public var fileURL: URL? {
            get { storedFileURL }
            set {
                if newValue?.path.isEmpty == true { stop("Realm path must not be empty") }
                storedFileURL = newValue
                storedIdentifier = nil
            }
        }

        /// The name of an in-memory Realm. Setting it clears `fileURL`.
        ///
        /// The data of an in-memory Realm is lost with the last reference to that Realm.
        ///
        /// - Precondition: The identifier is not empty.
        public var inMemoryIdentifier: String? {
            get { storedIdentifier }
            set {
                if newValue?.isEmpty == true { stop("In-memory identifier must not be empty") }
                storedIdentifier = newValue
                storedFileURL = nil
            }
        }

        /// The encryption key of the file, 64 bytes; nil for an unencrypted file.
        ///
        /// A file is opened with the key that it was created with. In-memory Realms ignore the key.
        /// The library does not store the key: without it, the data cannot be recovered.
        ///
        /// - Precondition: The key has exactly 64 bytes.
        public var encryptionKey: Data? {
            didSet { Realm.requireValid(encryptionKey: encryptionKey) }
        }

        /// The guarantee that `write` gives about a transaction when it returns.
        public enum Durability: Sendable {
            /// The transaction survives a power loss. Writers that wait share one sync of the disk.
            case full
            /// The transaction survives the end of the process, and all readers can see it.
            ///
            /// It survives a power loss once it is on disk, within 100 ms. An earlier power loss
            /// undoes the newest transactions, each as a whole, and leaves the file intact.
            case relaxed
            /// The transaction is lost with the last reference to the Realm. Only valid for Realms
            /// with an `inMemoryIdentifier`.
            case memoryOnly
        }

        /// The durability of write transactions. The default is ``Durability/full``.
        ///
        /// For in-memory Realms the value is always ``Durability/memoryOnly``.
        public var durability: Durability {
            get { storedIdentifier == nil ? storedDurability : .memoryOnly }
            set { storedDurability = newValue }
        }

        /// A Boolean value that indicates whether the Realm is read-only. A read-only Realm
        /// requires an existing file.
        ///
        /// - Precondition: `shouldCompactOnLaunch` is nil, and `deleteRealmIfMigrationNeeded` is
        ///   false, when this is set to true.
        public var readOnly = false {
            didSet {
                if readOnly, deleteRealmIfMigrationNeeded {
                    stop("Cannot set `readOnly` when `deleteRealmIfMigrationNeeded` is set.")
                }
                if readOnly, shouldCompactOnLaunch != nil {
                    stop("Cannot set `readOnly` when `shouldCompactOnLaunch` is set.")
                }
            }
        }

        /// A function that decides whether to compact the file when it is opened; nil to never
        /// compact.
        ///
        /// The function is called with the size of the file and the size of its data, both in
        /// bytes. It is called only for a file that this process does not have open yet, on the
        /// thread that opens the Realm. It must not open the same Realm. It is not called for a new
        /// file, nor for an in-memory Realm.
        ///
        /// Compacting rewrites the file without free space. It takes time in proportion to the
        /// data, and disk space for a second file. If the file cannot be compacted, it is opened
        /// unchanged. Possible reasons are another process that has the file open or compacts it,
        /// or too little disk space.
        ///
        /// - Precondition: `readOnly` is false when this is set.
        public var shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? {
            didSet {
                if readOnly, shouldCompactOnLaunch != nil {
                    stop("Cannot set `shouldCompactOnLaunch` when `readOnly` is set.")
                }
            }
        }

        /// The version of the schema. Opening a file with a higher version throws. A file with a
        /// lower one is migrated if there is a ``migrationBlock``.
        public var schemaVersion: UInt64

        /// A function that brings the objects of a file into the form of the present classes; nil
        /// if there is none.
        ///
        /// The function is called when a file is opened whose schema version is lower than
        /// ``schemaVersion``, whether or not classes have changed, and not for a new file. It is
        /// called on the thread that opens the Realm, inside a write transaction: what it does is
        /// stored as a whole, together with the new schema, or not at all. It must not open the
        /// same Realm. A file of which a Realm is open in the process is not migrated: opening it
        /// throws `.alreadyOpen`.
        ///
        /// ```swift
        /// configuration.schemaVersion = 2
        /// configuration.migrationBlock = { migration, oldVersion in
        ///     if oldVersion < 1 {
        ///         migration.enumerateObjects(ofType: "Person") { old, new in
        ///             new?["fullName"] = "\(old!["firstName"]!) \(old!["lastName"]!)"
        ///         }
        ///     }
        ///     if oldVersion < 2 {
        ///         migration.renameProperty(onType: "Person", from: "yearsOld", to: "age")
        ///     }
        /// }
        /// ```
        public var migrationBlock: MigrationBlock?

        /// A Boolean value that indicates whether a file that needs a migration is deleted, and
        /// created anew without objects.
        ///
        /// A file needs one if its classes or its schema version are others than those of the
        /// configuration. The ``migrationBlock`` is not called. Useful during development.
        ///
        /// - Precondition: `readOnly` is false when this is set to true.
        public var deleteRealmIfMigrationNeeded = false {
            didSet {
                if deleteRealmIfMigrationNeeded, readOnly {
                    stop("Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set.")
                }
            }
        }

        /// The path of a file that is copied to ``fileURL`` when there is no file there; nil for a
        /// new file without objects.
        ///
        /// The file has the ``seedEncryptionKey``; without one, the ``encryptionKey`` of the
        /// configuration, or none. The copy has the ``encryptionKey``, and is compacted. It appears
        /// at once, and complete, however many threads and processes open it together, and whatever
        /// interrupts them. The file itself may be read-only. A Realm in memory, and a read-only
        /// one, ignore the path.
        ///
        /// ```swift
        /// configuration.seedFilePath = bundle.appendingPathComponent("articles.realm")
        /// ```
        public var seedFilePath: URL? {
            get { seed?.url }
            set { seed = SeedFile(newValue, encryptionKey: seed?.encryptionKey) }
        }

        /// The encryption key of the file at ``seedFilePath``, 64 bytes, if it is another one than
        /// the ``encryptionKey``; nil if it is that key, or the file is not encrypted.
        ///
        /// So an application can come with a file encrypted to a key that it contains, while each
        /// user's copy has a key of its own:
        ///
        /// ```swift
        /// configuration.seedEncryptionKey = keyOfTheApplication
        /// configuration.encryptionKey = keyOfTheUser
        /// ```
        ///
        /// Opening a file that does not exist yet throws if this is not the key of the seed. It is
        /// not used once there is a file.
        ///
        /// - Precondition: The key has exactly 64 bytes.
        public var seedEncryptionKey: Data? {
            get { seed?.encryptionKey }
            set {
                Realm.requireValid(encryptionKey: newValue)
                seed = SeedFile(seed?.url, encryptionKey: newValue)
            }
        }

        /// The most versions that may be in use when a write transaction begins; nil for no limit.
        ///
        /// All versions from the oldest one that something reads count. What later transactions
        /// replace is kept for its readers, so a Realm that does not move, or a frozen object that
        /// is kept, makes the file grow. If there are more versions, write transactions throw
        /// ``Realm/Error``. A limit helps to find such places during development. Setting 0 sets
        /// nil.
        ///
        /// Apart from that, all processes together can read a file through some fourteen thousand
        /// Realms and frozen versions at a time. Opening another Realm throws then, and freezing
        /// another version stops the program.
        public var maximumNumberOfActiveVersions: UInt? {
            get { mostActiveVersions == 0 ? nil : mostActiveVersions }
            set { mostActiveVersions = newValue ?? 0 }
        }

        /// The classes that the Realm stores; nil for all model classes of the process.
        ///
        /// The list must include the classes that properties link to.
        public var objectTypes: [ObjectBase.Type]? {
            get { givenTypes ?? discoveredTypes }
            set {
                givenTypes = newValue
                discoveredTypes = nil
            }
        }

        /// Both settings in one, so that configurations without them do not grow.
        var seed: SeedFile?
        /// 0 for no limit.
        private var mostActiveVersions: UInt = 0
        private var storedFileURL: URL?
        private var storedIdentifier: String?
        private var storedDurability = Durability.full
        private var givenTypes: [ObjectBase.Type]?
        /// The classes found by discovery. Set only in the configuration of an open Realm.
        private var discoveredTypes: [ObjectBase.Type]?

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - fileURL: The URL of the file. The default is `default.realm` in a directory named
        ///     after the executable, below `$XDG_DATA_HOME` or `$HOME/.local/share`.
        ///   - inMemoryIdentifier: The name of an in-memory Realm. If it is given, `fileURL` is not
        ///     used.
        ///   - encryptionKey: The encryption key, 64 bytes; nil for an unencrypted file.
        ///   - readOnly: Whether the Realm is read-only.
        ///   - schemaVersion: The version of the schema.
        ///   - migrationBlock: A function that migrates a file with a lower schema version.
        ///   - deleteRealmIfMigrationNeeded: Whether a file that needs a migration is deleted.
        ///   - shouldCompactOnLaunch: A function that decides whether to compact the file.
        ///   - objectTypes: The classes that the Realm stores; nil for all model classes of the
        ///     process.
        ///   - seedFilePath: The path of a file that is copied if there is none yet.
        ///
        /// - Precondition: The key has exactly 64 bytes, and a read-only Realm has neither
        ///   `deleteRealmIfMigrationNeeded` nor `shouldCompactOnLaunch`.
        public init(
            fileURL: URL? = Configuration.defaultFileURL, inMemoryIdentifier: String? = nil,
            encryptionKey: Data? = nil, readOnly: Bool = false, schemaVersion: UInt64 = 0,
            migrationBlock: MigrationBlock? = nil, deleteRealmIfMigrationNeeded: Bool = false,
            shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? = nil,
            objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil
        ) {
            self.schemaVersion = schemaVersion
            self.migrationBlock = migrationBlock
            self.seedFilePath = seedFilePath
            self.fileURL = fileURL
            if let inMemoryIdentifier { self.inMemoryIdentifier = inMemoryIdentifier }
            Realm.requireValid(encryptionKey: encryptionKey)
            self.encryptionKey = encryptionKey
            if readOnly, deleteRealmIfMigrationNeeded {
                stop("Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set.")
            }
            if readOnly, shouldCompactOnLaunch != nil {
                stop("Cannot set `shouldCompactOnLaunch` when `readOnly` is set.")
            }
            self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
            self.readOnly = readOnly
            self.shouldCompactOnLaunch = shouldCompactOnLaunch
            givenTypes = objectTypes
        }

        /// The URL of the file of the default configuration.
        ///
        /// The environment is read on each access. A relative path in `$XDG_DATA_HOME` or `$HOME`
        /// is ignored. Without `$HOME`, the user's home directory is used.
        public static var defaultFileURL: URL {
            let data: URL
            if let directory = directory(in: "XDG_DATA_HOME") {
                data = directory
            } else {
                // Foundation reads the home directory from the system's user database and ignores
                // `$HOME`.
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

        /// The durability of a commit in terms of the storage engine.
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
    /// Returns a Boolean value that indicates whether two configurations are equal.
    ///
    /// The comparison covers the location, the encryption key, `readOnly`, `durability` and the
    /// schema version. It ignores `objectTypes`, and how a file is migrated, seeded and compacted.
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
    /// A description of all settings, one per line. It contains only the lengths of encryption
    /// keys.
    public var description: String {
        var lines: [String] = []
        if let fileURL { lines.append("fileURL = \(fileURL.absoluteString);") }
        if let inMemoryIdentifier { lines.append("inMemoryIdentifier = \(inMemoryIdentifier);") }
        let key = encryptionKey.map { "<\($0.count) bytes>" }
        lines.append("encryptionKey = \(key ?? "(null)");")
        if durability == .relaxed { lines.append("durability = relaxed;") }
        lines.append("readOnly = \(readOnly ? 1 : 0);")
        lines.append("schemaVersion = \(schemaVersion);")
        lines.append("migrationBlock = \(migrationBlock == nil ? "(null)" : "<block>");")
        lines.append(
            "deleteRealmIfMigrationNeeded = \(deleteRealmIfMigrationNeeded ? 1 : 0);")
        if let seedFilePath { lines.append("seedFilePath = \(seedFilePath.absoluteString);") }
        if let seedEncryptionKey {
            lines.append("seedEncryptionKey = <\(seedEncryptionKey.count) bytes>;")
        }
        if let limit = maximumNumberOfActiveVersions {
            lines.append("maximumNumberOfActiveVersions = \(limit);")
        }
        let compacts = shouldCompactOnLaunch == nil ? "(null)" : "<block>"
        lines.append("shouldCompactOnLaunch = \(compacts);")
        let types = objectTypes?.map { $0.className() }.joined(separator: ", ")
        lines.append("objectTypes = \(types.map { "[\($0)]" } ?? "(null)");")
        return "Realm.Configuration {\n" + lines.map { "\t\($0)\n" }.joined() + "}"
    }
}

// MARK: - Checking values

extension Realm {
    /// Stops the program if a key does not have the required length.
    static func requireValid(encryptionKey: Data?) {
        if let encryptionKey, encryptionKey.count != 64 {
            stop("Encryption key must be exactly 64 bytes long")
        }
    }

    /// Returns the path of a file URL.
    ///
    /// - Throws: `.invalidInput` for a URL that is not a file URL.
    static func path(of url: URL) throws -> String {
        if url.isFileURL { return url.standardizedFileURL.path }
        throw Error(
            .invalidInput,
            message: "'\(url.absoluteString)' is not a file URL. Make the URL of a Realm with "
                + "URL(fileURLWithPath:).")
    }
}
