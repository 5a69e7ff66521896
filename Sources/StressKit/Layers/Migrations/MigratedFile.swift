import Foundation
import RealmSwift
import StorageEngine
import StressModel

/// A file that is migrated: how it is made, how it is migrated, and what it must hold then.
struct MigratedFile: Sendable {
    let plan: MigrationPlan
    let options: Database.Options
    private let oldLines: [String]
    /// nil if the migration must fail.
    private let newLines: [String]?

    /// What is known of the migration.
    enum Outcome: Equatable {
        /// It has returned without an error.
        case acknowledged
        case unknown
        /// It was told to have failed, and how.
        case failed(String)
    }

    init(_ point: StressPoint) throws {
        plan = MigrationPlan(
            seed: try point.value("seed", default: 0),
            scale: try point.value("scale", default: MigrationScale.mixed),
            migrations: try point.number("migrations", in: 1...8, default: 1))
        options = try point.options()
        oldLines = plan.last.before.lines
        newLines = plan.last.after?.lines
    }

    var mustFail: Bool { newLines == nil }

    // MARK: Writing

    private func configuration(
        _ path: String, version: UInt64, _ block: MigrationBlock? = nil
    ) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: URL(fileURLWithPath: path),
            encryptionKey: options.encryptionKey.map { Data($0) },
            schemaVersion: version, migrationBlock: block, objectTypes: [])
    }

    /// Makes the file as it is before the last migration, and closes it.
    func make(_ path: String) throws {
        let bystander = TableDefinition(
            name: StressSchema.bystander,
            columns: [ColumnDefinition(name: "count", type: .int, integerBits: 64)])
        let first = MigrationPlan.firstVersion
        try Realm.migrate(
            to: plan.initial.definitions.values + [bystander],
            for: configuration(path, version: first))
        try fill(path, first)
        for number in plan.stages.indices.dropLast() { try migrate(path, stage: number) }
    }

    /// Writes the first contents. A separate function, so that the file is closed when it returns.
    private func fill(_ path: String, _ version: UInt64) throws {
        let realm = try Realm(configuration: configuration(path, version: version))
        try MigrationScript.write(plan.initial, to: realm)
        try realm.write { realm.dynamicCreate(StressSchema.bystander, value: ["count": 0]) }
    }

    /// Returns the contents of the file before the last migration.
    func prepare(_ trial: Trial) throws -> [UInt8] {
        let path = trial.file("prepared")
        trial.remove(path)
        defer { trial.remove(path) }
        try make(path)
        return try trial.read(path)
    }

    private func migrate(_ path: String, stage number: Int) throws {
        let stage = plan.stages[number]
        try Realm.migrate(
            to: stage.wanted,
            for: configuration(path, version: MigrationPlan.firstVersion + UInt64(number) + 1) {
                migration, _ in MigrationScript.run(stage.actions, on: migration)
            })
    }

    /// Carries out the last migration.
    ///
    /// - Throws: `Realm.Error`.
    func migrate(_ path: String) throws { try migrate(path, stage: plan.stages.count - 1) }

    // MARK: Judging

    /// Returns whether the lines of a version are those after the migration. Throws a ``Finding``
    /// if they are none of the plan.
    func isNew(_ connection: Connection) throws -> Bool {
        let isNew = try connection.schemaVersion() == plan.lastVersion
        guard let expected = isNew ? newLines : oldLines else {
            throw Finding(.wrongState, "a migration that must fail is part of the file.")
        }
        let found = try MigratedContents.lines(of: connection)
        if found == expected { return isNew }
        let missing = Set(expected).subtracting(found).sorted().first ?? "nothing"
        let wrong = Set(found).subtracting(expected).sorted().first ?? "nothing"
        throw Finding(
            .wrongState,
            "the file \(isNew ? "after" : "before") the migration holds '\(wrong)' instead of "
                + "'\(missing)'.")
    }

    /// Opens the file and judges it. It is closed when this returns.
    ///
    /// - Returns: whether it is the one after the migration.
    @discardableResult
    func judge(_ path: String, _ outcome: Outcome) throws -> Bool {
        let connection = try Connection(Database.open(path: path, options: options))
        let isNew = try isNew(connection)
        if !isNew, outcome == .acknowledged {
            throw Finding(.lostCommit, "the file is the old one after the migration.")
        }
        if isNew, case .failed(let error) = outcome {
            throw Finding(
                .wrongState, "the file is the new one, and the migration failed: \(error)")
        }
        try connection.checkIntact()
        return isNew
    }

    /// Judges the file, migrates it if that is still to be done, and judges it again.
    ///
    /// - Returns: whether it was the one after the migration.
    @discardableResult
    func judgeAndMigrate(_ path: String, _ outcome: Outcome, in trial: Trial) throws -> Bool {
        do {
            let isNew = try judge(path, outcome)
            if try migrateOrFail(path) {
                try judge(path, .acknowledged)
            } else {
                try judge(path, .failed("as it must."))
            }
            trial.count(states: 2, commits: outcome == .acknowledged ? 2 : 1)
            trial.cover(isNew ? "migrated" : "not migrated")
            return isNew
        } catch let error as StorageError {
            throw Finding(.reopenFailure, "\(error.code): \(error.message)")
        }
    }

    /// Migrates, undisturbed. Returns false if that fails as it must.
    func migrateOrFail(_ path: String) throws -> Bool {
        do { try migrate(path) } catch let error as Realm.Error {
            if mustFail, error.code == .fail { return false }
            throw Finding(.wrongError, "\(error.code) though nothing disturbs: \(error)")
        }
        if mustFail { throw Finding(.wrongError, "a migration succeeds that must fail.") }
        return true
    }
}
