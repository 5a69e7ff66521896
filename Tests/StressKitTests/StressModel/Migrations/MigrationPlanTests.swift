import StorageEngine
import StressModel
import Testing

@testable import StressKit

/// The plans of the layer of migrations, and the model that says what they lead to.
@Suite struct MigrationPlanTests {
    private static let tag = ColumnDefinition(name: "tag", type: .int, integerBits: 64)

    private static func optional(_ name: String) -> ColumnDefinition {
        ColumnDefinition(name: name, type: .int, isOptional: true, integerBits: 64)
    }

    private static func links(
        _ collection: CollectionKind, _ type: ValueType = .link
    ) -> ColumnDefinition {
        ColumnDefinition(
            name: "parts", type: type, collection: collection, isOptional: collection == .none,
            linkTarget: "Part")
    }

    /// A whole with two parts, and one part that is in no whole if there is an `orphan`.
    private static func database(
        _ links: ColumnDefinition, orphan: Bool = false
    ) -> MigratedDatabase {
        var database = MigratedDatabase()
        let part = TableDefinition(name: "Part", columns: [tag, optional("size")])
        database.definitions = [
            "Whole": TableDefinition(name: "Whole", columns: [tag, links]), "Part": part,
        ]
        database.rows["Whole"] = [
            1: .init(
                values: [
                    "tag": .scalar(.int, 1), "parts": .elements([.object(2), .object(3)]),
                ])
        ]
        database.rows["Part"] = [:]
        for number in 2...(orphan ? 4 : 3) {
            database.rows["Part"]?[number] = .init(
                values: [
                    "tag": .scalar(.int, number),
                    "size": number == 2 ? .null : .scalar(.int, number),
                ])
        }
        return database
    }

    private static func wanted(
        _ links: [ColumnDefinition], partsAreEmbedded: Bool = false,
        size: ColumnDefinition = optional("size")
    ) -> [TableDefinition] {
        [
            TableDefinition(name: "Whole", columns: [tag] + links),
            TableDefinition(
                name: "Part", columns: [tag, size], isEmbedded: partsAreEmbedded),
        ]
    }

    // MARK: Model

    @Test func theSameSeedDrawsTheSamePlan() {
        let plans = (0..<2).map { _ in MigrationPlan(seed: 7, scale: .mixed, migrations: 3) }
        #expect(plans[0].stages == plans[1].stages)
        #expect(MigrationPlan(seed: 8, scale: .mixed, migrations: 3).stages != plans[0].stages)
    }

    @Test func plansContainWhatMigrationsCanDo() {
        let stages = (0..<60).flatMap {
            MigrationPlan(seed: $0, scale: .small, migrations: 2).stages
        }
        func times(_ isWanted: (MigrationStage) -> Bool) -> Int { stages.count(where: isWanted) }
        #expect((5...40).contains(times { $0.after == nil }))
        #expect(
            times { stage in
                stage.wanted.contains {
                    $0.isEmbedded && stage.before.definitions[$0.name]?.isEmbedded == false
                }
            } > 5)
        #expect(
            times { stage in
                stage.actions.contains { if case .rename = $0 { true } else { false } }
            } > 30)
        #expect(
            times { stage in
                stage.actions.contains { if case .deleteData = $0 { true } else { false } }
            } > 5)
    }

    @Test func nullsBecomeZeroInARequiredProperty() throws {
        let size = ColumnDefinition(name: "size", type: .int, integerBits: 64)
        let stage = MigrationStage(
            Self.wanted([Self.links(.list)], size: size), [],
            from: Self.database(Self.links(.list)))
        let after = try #require(stage.after)
        #expect(after.rows["Part"]?[2]?.values["size"] == .scalar(.int, 0))
        #expect(after.rows["Part"]?[3]?.values["size"] == .scalar(.int, 3))
    }

    @Test func deletedObjectsAreInNoListAnyMore() throws {
        let visit = MigrationAction.visit("Part", [], deletes: 2)
        let stage = MigrationStage(
            Self.wanted([Self.links(.list)]), [visit], from: Self.database(Self.links(.list)))
        let after = try #require(stage.after)
        #expect(after.rows["Part"]?.keys.sorted() == [3])
        #expect(after.rows["Whole"]?[1]?.values["parts"] == .elements([.object(3)]))
    }

    @Test func objectsBecomeEmbeddedOnlyIfEachIsOwned() {
        let wanted = Self.wanted([Self.links(.list, .embedded)], partsAreEmbedded: true)
        func after(_ database: MigratedDatabase) -> MigratedDatabase? {
            MigrationStage(wanted, [], from: database).after
        }
        #expect(after(Self.database(Self.links(.list)))?.definitions["Part"]?.isEmbedded == true)
        #expect(after(Self.database(Self.links(.list), orphan: true)) == nil)
    }

    @Test func whatARemovedPropertyOwnsIsDeleted() throws {
        let owning = Self.links(.list, .embedded)
        var database = Self.database(owning)
        database.definitions["Part"]?.isEmbedded = true
        let stage = MigrationStage(Self.wanted([], partsAreEmbedded: true), [], from: database)
        #expect(try #require(stage.after).rows["Part"]?.isEmpty == true)
        let topLevel = MigrationStage(Self.wanted([]), [], from: database)
        #expect(try #require(topLevel.after).rows["Part"]?.count == 2)
    }

    @Test func aKeyWithDuplicatesFails() {
        let key = ColumnDefinition(
            name: "code", type: .int, isPrimaryKey: true, isIndexed: true, integerBits: 64)
        let wanted = [TableDefinition(name: "Part", columns: [Self.tag, key])]
        let stage = MigrationStage(wanted, [], from: Self.database(Self.links(.list)))
        #expect(stage.after == nil)
    }

    // MARK: Files

    /// The model, and what the library makes of the same plan, agree.
    @Test(arguments: Array(100..<124) as [UInt64])
    func filesHoldWhatTheModelSays(seed: UInt64) throws {
        let folder = try ScratchFolder()
        let trial = Trial(directory: folder.path, secondsLeft: 60)
        let point = StressPoint("migrations", "killed").with("seed", seed)
            .with("scale", seed % 3 == 0 ? "mixed" : "small").with("migrations", 1 + seed % 3)
            .with("file", seed % 2 == 0 ? "plain" : "encrypted")
        let file = try MigratedFile(point)
        let path = trial.file("migrated")
        try file.make(path)
        #expect(try !file.judgeAndMigrate(path, .failed("not begun"), in: trial))
        if !file.mustFail { #expect(try file.judge(path, .acknowledged)) }
    }

    @Test func aFileThatDiffersIsFound() throws {
        let folder = try ScratchFolder()
        let trial = Trial(directory: folder.path, secondsLeft: 60)
        let file = try MigratedFile(
            StressPoint("migrations", "killed").with("seed", 3).with("scale", "small"))
        let path = trial.file("migrated")
        try file.make(path)
        #expect(throws: Finding.self) { try file.judge(path, .acknowledged) }
        try Self.deleteOne(path)
        let finding = #expect(throws: Finding.self) { try file.judge(path, .unknown) }
        #expect(finding?.kind == .wrongState)
    }

    private static func deleteOne(_ path: String) throws {
        let connection = try Connection(Database.open(path: path))
        try connection.beginWrite()
        let table = try #require(try connection.table(named: "C0"))
        try table.delete(table.key(at: 0))
        try connection.commit()
    }
}
