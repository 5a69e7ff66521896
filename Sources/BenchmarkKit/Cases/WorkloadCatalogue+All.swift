extension WorkloadCatalogue {
    /// All workloads, in the order of reports: those of the program and of the models of suites.
    static var all: [Workload] { ofProgram + ModelWorkloads.all.map(\.asWorkload) }

    /// The workloads of the program: those of a user's package, or these.
    static let ofProgram: [Workload] = OwnWorkloads.all.map { $0.map(\.asWorkload) } ?? known

    /// The workloads of `realm-bench`. One line, or one declaration that it names, is all that a
    /// workload over existing stores takes.
    private static let known: [Workload] =
        [
            SensorsWorkload.workload, .commit, ConcurrentCommitWorkload.workload,
        ] + inserts + lookups + passes + updates + links + objects + changes + files + records

    private static let inserts: [Workload] = [
        .insertWithoutKey,
        .insert(
            "insert-int-key", "bulk insert of persons with an integer primary key",
            layout: .integerKey),
        .insert(
            "insert-string-key", "bulk insert of persons whose name is the primary key",
            layout: .stringKey),
        .insert(
            "insert-indexed", "bulk insert of persons with an index on the age", layout: .indexed),
        .insert(
            "insert-text", "bulk insert of persons with names of 8 to 20 random letters, no key",
            names: .letters),
    ]

    private static let lookups: [Workload] = [
        .lookup(
            "lookup", "random lookup by integer key and read of two properties",
            hasDictionary: true),
        .lookup(
            "lookup-string-key", "random lookup by string key and read of two properties",
            on: PersonsFile(layout: .stringKey)),
        .lookup(
            "lookup-aged", "the same by integer key in a file that was changed at random before",
            on: .aged),
        .cold(
            "lookup-cold", "opening and the first 1,000 lookups (--count) with a cold page cache",
            .lookups),
        .indexedLookup(
            "lookup-indexed", "queries a random number that has an index, and reads two properties",
            .one, count: 1_000_000),
        .indexedLookup(
            "lookup-typed", "the same with a query that the compiler has checked", .typed,
            count: 1_000_000, needs: [.typedQueries]),
        .indexedLookup(
            "lookup-in", "queries ten values of an index at once, and reads two properties of each",
            .several, count: 100_000),
        .indexedLookup(
            "lookup-range", "queries 100 neighbours in an index, and reads two properties of each",
            .range(100), count: 20_000),
        PropertyReadWorkload.workload,
    ]

    private static let passes: [Workload] = [
        .pass("count", "counts the persons younger than 30", .young, needs: [.count]),
        .pass(
            "count-aged", "the same in a file that was changed at random before", .young,
            needs: [.count], on: .aged),
        .cold(
            "count-cold",
            "opening and one count of those younger than 30 with a cold page cache",
            .pass(.young), needs: [.count]),
        .pass(
            "prefix", "counts the persons whose name begins with 12",
            .names(beginningWith: PassQuestion.namePrefix), needs: [.prefixCount]),
        .pass(
            "prefix-text", "counts the persons whose name of random letters begins with ab",
            .names(beginningWith: "ab"), needs: [.prefixCount], on: .letters),
        .pass(
            "date-range", "counts the persons born in the seventies", .bornInTheSeventies,
            needs: [.dateRangeCount]),
        .pass("contains", "counts the persons whose name contains 77", .names(containing: "77")),
        .pass(
            "contains-text", "counts the persons whose name of random letters contains ab",
            .names(containing: "ab"), on: .letters),
        .pass(
            "compound",
            "counts the persons who are younger than 30 and born in the seventies, or named 12...",
            .youngOrNamed),
        .pass(
            "sum", "adds up the ages of all persons",
            PassQuestion({ .number(try $0.sumOfAges()) }, { .number($0.sumOfAges()) }),
            needs: [.sum]),
        .pass("min-max", "the least and the greatest age of all persons", .extremes),
        .pass("average", "the mean age of all persons", .averageAge),
        .pass(
            "group", "the number of persons of each age, and their latest birth date",
            .groupsByAge),
        ColumnScanWorkload.workload,
        .pass(
            "sort", "the names of the first 100 persons by age, then name", .firstByAge(100),
            needs: [.sort]),
        .pass(
            "sort-text", "the first 100 names of random letters in their order", .firstByName(100),
            on: .letters),
        .pass(
            "sort-all", "reads all three properties of every person, the oldest first",
            PassQuestion(
                { .number(try $0.checksumFromOldest()) }, { .number($0.checksumFromOldest()) })),
        .pass(
            "iterate", "reads all three properties of every person", .everything,
            needs: [.iterate]),
        .pass(
            "iterate-aged", "the same in a file that was changed at random before", .everything,
            needs: [.iterate], on: .aged),
        .pass(
            "iterate-text", "reads all three properties of persons with names of random letters",
            .everything, needs: [.iterate], on: .letters),
        .pass(
            "iterate-filtered", "reads all three properties of the persons younger than 30",
            PassQuestion(
                { .number(try $0.checksum(ageBelow: PassQuestion.youngAge)) },
                { .number($0.checksum { $0.age < PassQuestion.youngAge }) })),
        RefreshedQueryWorkload.workload,
    ]

    private static let updates: [Workload] = [
        .update,
        .rewrite(
            "update-all", "adds 1 to the age of every person in one transaction", .ageing,
            needs: [.updates]),
        .rewrite(
            "set-values", "sets the age of all persons younger than 30 in one transaction",
            .settingAges, needs: [.updates, .queries]),
        .rewrite(
            "delete-half", "deletes the persons whose age is odd in one transaction", .deletion,
            needs: [.deletes]
        ).with { $0.countIsSize = true },
    ]

    private static let links: [Workload] = [
        .linksBuild,
        .linkPass(
            "links-follow", "follows every link of all lists and reads a value behind it",
            { try $0.sumOfMembers() }, expect: LinkLists.sum),
        .linkPass(
            "backlinks", "for every object how many lists lead to it", needs: [.backlinks],
            { try $0.countOfOwners() }, expect: LinkLists.members),
        .linkPass(
            "links-query", "counts the lists that lead to an object with a certain value",
            needs: [.backlinks, .queries], { try $0.countOfOwners(memberValue: 7) },
            expect: { LinkLists.owners($0, ofMemberWith: 7) }),
    ]

    private static let objects: [Workload] = [
        ObjectAddWorkload.workload, ObjectCollectionsWorkload.workload,
        ObjectReadWorkload.workload, ObjectWriteWorkload.workload,
        ObjectAccessorsWorkload.workload, ObjectLoopWorkload.workload,
    ]

    private static let changes: [Workload] = [
        NotifyWorkload.workload, InteractiveWorkload.workload, ReferenceWorkload.workload,
        FreezeWorkload.workload, WriteAsyncWorkload.workload, ChangeSetWorkload.workload,
    ]

    private static let files: [Workload] = [
        ReadWhileWritingWorkload.workload, TablePageWorkload.workload, OpenWorkload.workload,
        CompactWorkload.workload, MigrateWorkload.workload,
    ]

    private static let records: [Workload] = [
        .ycsb("ycsb-a", .a), .ycsb("ycsb-b", .b), .ycsb("ycsb-c", .c), .ycsb("ycsb-d", .d),
        .ycsb("ycsb-e", .e), .ycsb("ycsb-f", .f), .growth, CipherWorkload.workload,
    ]
}
