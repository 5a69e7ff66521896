// Passes that need queries, in addition to those of `PassWorkload`.

enum ExtremesWorkload: PassWorkload {
    static let name = "min-max"
    static let summary = "the least and the greatest age of all persons"
    static let features: [EngineFeature] = [.persons, .integerKeys, .queries]

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        answer(try store.rangeOfAges())
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer { answer(oracle.rangeOfAges()) }

    private static func answer(_ range: ClosedRange<Int>?) -> PassAnswer {
        .names(range.map { ["\($0.lowerBound)", "\($0.upperBound)"] } ?? [])
    }
}

enum AverageWorkload: PassWorkload {
    static let name = "average"
    static let summary = "the mean age of all persons"
    static let features = ExtremesWorkload.features

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        answer(try store.averageAge())
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer { answer(oracle.averageAge()) }

    /// Returns the mean in millionths, since engines may round the last bits of a quotient
    /// differently.
    private static func answer(_ mean: Double?) -> PassAnswer {
        .number(mean.map { Int(($0 * 1e6).rounded()) } ?? -1)
    }
}

enum ContainsWorkload: PassWorkload {
    static let name = "contains"
    static let summary = "counts the persons whose name contains 77"
    static let features = ExtremesWorkload.features
    private static let text = "77"

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        .number(try store.count(nameContaining: text))
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer {
        .number(oracle.count(nameContaining: text))
    }
}

enum ContainsTextWorkload: PassWorkload {
    static let name = "contains-text"
    static let summary = "counts the persons whose name of random letters contains ab"
    static let features = ExtremesWorkload.features
    static let names = PersonNames.letters
    private static let text = "ab"

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        .number(try store.count(nameContaining: text))
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer {
        .number(oracle.count(nameContaining: text))
    }
}

enum CompoundWorkload: PassWorkload {
    static let name = "compound"
    static let summary =
        "counts the persons who are younger than 30 and born in the seventies, or named 12..."
    static let features = ExtremesWorkload.features
    static let condition = PersonCondition(
        ageBelow: CountWorkload.limit, birthdates: DateRangeWorkload.range,
        namePrefix: PrefixWorkload.prefix)

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        .number(try store.count(where: condition))
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer {
        .number(oracle.count { condition.matches($0) })
    }
}

extension PersonCondition {
    func matches(_ person: PersonValues) -> Bool {
        person.age < ageBelow && birthdates.contains(person.birthdate)
            || person.name.hasPrefix(namePrefix)
    }
}

enum SortTextWorkload: PassWorkload {
    static let name = "sort-text"
    static let summary = "the first 100 names of random letters in their order"
    static let features = ExtremesWorkload.features
    static let names = PersonNames.letters
    private static let count = 100

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        .names(try store.namesInOrder(first: count))
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer {
        .names(oracle.namesInOrder(first: count))
    }
}

enum SortAllWorkload: PassWorkload {
    static let name = "sort-all"
    static let summary = "reads all three properties of every person, the oldest first"
    static let features = ExtremesWorkload.features

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        .number(try store.checksumFromOldest())
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer {
        .number(oracle.checksumFromOldest())
    }
}

enum IterateFilteredWorkload: PassWorkload {
    static let name = "iterate-filtered"
    static let summary = "reads all three properties of the persons younger than 30"
    static let features = ExtremesWorkload.features

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        .number(try store.checksum(ageBelow: CountWorkload.limit))
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer {
        .number(oracle.checksum { $0.age < CountWorkload.limit })
    }
}
