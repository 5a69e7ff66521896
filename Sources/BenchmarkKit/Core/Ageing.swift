/// One transaction of ageing a file.
enum AgeingStep: Equatable {
    case delete([Int])
    case insert([PersonValues])
    case update(number: Int, age: Int)
}

/// Makes a file look like one that was long in use, the same for every engine: over and over,
/// persons at random are deleted and inserted again with another age, and the ages of others are
/// updated, each in a transaction of its own. All persons exist at the end.
enum Ageing {
    private static let updatesPerRound = 10

    /// A fifth of the persons in 200 rounds; fewer rounds for small files.
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

    /// As many random numbers, less those that came twice.
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
