/// Mutation of inputs. Changes are added, dropped and varied as wholes, because bytes shifted into
/// the fields of other changes would lose what the fuzzer has learned.
extension FuzzInput {
    mutating func mutate(_ random: inout FuzzRandom) {
        for _ in 0...random.below(3) {
            switch random.below(10) {
            case 0: seed = UInt8(truncatingIfNeeded: random.next())
            case 1: options = Options(rawValue: UInt8(random.below(16)))
            case 2 where !changes.isEmpty: changes.remove(at: random.below(changes.count))
            case 3...6 where !changes.isEmpty: changes[random.below(changes.count)].vary(&random)
            default:
                guard changes.count < Self.maximumChanges else { break }
                changes.insert(Change.random(&random), at: random.below(changes.count + 1))
            }
        }
        if changes.isEmpty { changes.append(Change.random(&random)) }
    }

    /// Replaces the changes by some of this input's and some of the other's.
    mutating func cross(with other: FuzzInput, _ random: inout FuzzRandom) {
        changes = changes.filter { _ in random.below(2) == 0 }
        changes += other.changes.filter { _ in random.below(2) == 0 }
        changes = Array(changes.prefix(Self.maximumChanges))
    }
}

extension FuzzInput.Change {
    static func random(_ random: inout FuzzRandom) -> Self {
        // Rare, because most changes of bytes, records and headers are found at once.
        let kinds: [Kind] = [
            .bytes, .directory, .directory, .integer, .integer, .integer, .reference, .reference,
            .reference, .contents, .contents, .record, .marker, .header,
        ]
        var change = Self(
            kind: kinds[random.below(kinds.count)], width: 1 << random.below(4),
            run: UInt16(truncatingIfNeeded: random.next()),
            place: UInt32(truncatingIfNeeded: random.next()), value: random.number())
        if change.kind == .header, random.below(4) > 0 { change.kind = .integer }
        return change
    }

    fileprivate mutating func vary(_ random: inout FuzzRandom) {
        switch random.below(6) {
        case 0: kind = Kind.allCases[random.below(Kind.allCases.count)]
        case 1: width = 1 << random.below(4)
        case 2: run = UInt16(truncatingIfNeeded: random.next())
        case 3: place = UInt32(truncatingIfNeeded: random.next())
        case 4: place = place &+ UInt32(random.below(9)) &- 4
        default: value = random.below(2) == 0 ? random.number() : value &+ random.next() % 9 &- 4
        }
    }
}

/// A random number generator (splitmix64) that gives the same numbers for a seed.
struct FuzzRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    mutating func below(_ bound: Int) -> Int { Int(next() >> 33) % bound }

    /// Returns a small number, one near a power of two, a small negative one, or any.
    mutating func number() -> UInt64 {
        switch below(4) {
        case 0: return UInt64(below(256))
        case 1: return (1 << UInt64(below(64))) &+ UInt64(bitPattern: Int64(below(3) - 1))
        case 2: return UInt64(bitPattern: -Int64(below(256)))
        default: return next()
        }
    }
}
