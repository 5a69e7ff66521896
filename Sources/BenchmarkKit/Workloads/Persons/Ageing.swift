import ToolSupport

/// One transaction of the ageing of a file.
enum AgeingStep: Equatable {
    case delete([Int])
    case insert([PersonValues])
    case update(number: Int, age: Int)
}

/// The ageing of a file, which makes it resemble one in long use. The steps are the same for every
/// engine: random persons are deleted and inserted again with another age, and the ages of others
/// are updated, each step in a transaction of its own. All persons exist at the end.
enum Ageing {
    private static let updatesPerRound = 10

    /// Calls `body` with each step. 200 rounds replace up to a fifth of the persons; small files
    /// get fewer rounds.
    static func forEachStep(
        size: Int, seed: UInt64, names: PersonNames = .numbers, _ body: (AgeingStep) throws -> Void
    ) rethrows {
        var generator = SeededGenerator(seed: seed &+ 2)
        for _ in 0..<min(200, max(5, size / 100)) {
            let numbers = distinct(max(1, size / 1000), below: size, &generator)
            try body(.delete(numbers))
            let persons = numbers.map { number in
                var person = PersonValues(number: number, seed: seed, names: names)
                person.age = generator.next(below: 100)
                return person
            }
            try body(.insert(persons))
            for _ in 0..<updatesPerRound {
                let number = generator.next(below: size)
                try body(.update(number: number, age: generator.next(below: 100)))
            }
        }
    }

    /// Returns `count` random numbers without the duplicates, hence possibly fewer.
    private static func distinct(
        _ count: Int, below bound: Int, _ generator: inout SeededGenerator
    ) -> [Int] {
        var seen: Set<Int> = []
        return (0..<count).map { _ in generator.next(below: bound) }.filter {
            seen.insert($0).inserted
        }
    }
}

extension PersonStore {
    func apply(_ step: AgeingStep) throws {
        switch step {
        case .delete(let numbers): try delete(numbers: numbers)
        case .insert(let persons): try insert(persons[...])
        case .update(let number, let age): try updateAge(number: number, to: age)
        }
    }
}
