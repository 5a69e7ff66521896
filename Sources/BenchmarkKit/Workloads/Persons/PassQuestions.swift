// The questions that several workloads ask, or whose answer takes more than one call.

extension PassQuestion {
    /// The age below which persons are young.
    static let youngAge = 30
    /// The birth dates from 1970 up to 1980: ten years, two of them leap years.
    static let seventies = 0..<(3652 * 86_400)
    static let namePrefix = "12"

    static let young = PassQuestion(
        { .number(try $0.count(ageBelow: youngAge)) },
        { .number($0.count { $0.age < youngAge }) })

    static let everything = PassQuestion(
        { .number(try $0.checksum()) }, { .number($0.checksum()) })

    static let bornInTheSeventies = PassQuestion(
        { .number(try $0.count(birthdateIn: seventies)) },
        { .number($0.count { seventies.contains($0.birthdate) }) })

    static func names(beginningWith prefix: String) -> PassQuestion {
        PassQuestion(
            { .number(try $0.count(namePrefix: prefix)) },
            { .number($0.count { $0.name.hasPrefix(prefix) }) })
    }

    static func names(containing text: String) -> PassQuestion {
        PassQuestion(
            { .number(try $0.count(nameContaining: text)) },
            { .number($0.count(nameContaining: text)) })
    }

    static func firstByAge(_ count: Int) -> PassQuestion {
        PassQuestion(
            { .names(try $0.names(sortedByAge: count)) }, { .names($0.names(sortedByAge: count)) })
    }

    static func firstByName(_ count: Int) -> PassQuestion {
        PassQuestion(
            { .names(try $0.namesInOrder(first: count)) },
            { .names($0.namesInOrder(first: count)) })
    }

    static let extremes: PassQuestion = {
        @Sendable func answer(_ range: ClosedRange<Int>?) -> PassAnswer {
            .names(range.map { ["\($0.lowerBound)", "\($0.upperBound)"] } ?? [])
        }
        return PassQuestion({ answer(try $0.rangeOfAges()) }, { answer($0.rangeOfAges()) })
    }()

    /// The mean in millionths, since engines may round the last bits of a quotient differently.
    static let averageAge: PassQuestion = {
        @Sendable func answer(_ mean: Double?) -> PassAnswer {
            .number(mean.map { Int(($0 * 1e6).rounded()) } ?? -1)
        }
        return PassQuestion({ answer(try $0.averageAge()) }, { answer($0.averageAge()) })
    }()

    static let groupsByAge = PassQuestion(
        { .groups(try $0.groupsByAge()) }, { .groups($0.groupsByAge()) })

    static let youngOrNamed: PassQuestion = {
        let condition = PersonCondition(
            ageBelow: youngAge, birthdates: seventies, namePrefix: namePrefix)
        return PassQuestion(
            { .number(try $0.count(where: condition)) },
            { .number($0.count { condition.matches($0) }) })
    }()
}

extension PersonCondition {
    func matches(_ person: PersonValues) -> Bool {
        person.age < ageBelow && birthdates.contains(person.birthdate)
            || person.name.hasPrefix(namePrefix)
    }
}
