/// The first `count` persons by age, then by name: the result of a sort with a limit. It uses
/// memory for those persons only.
public struct FirstByAge {
    private var persons: [(age: Int, name: [UInt8])] = []
    private let count: Int
    /// The age above which persons need not be offered.
    public private(set) var largestAge = Int.max

    public init(count: Int) {
        precondition(count > 0, "at least one person")
        self.count = count
        persons.reserveCapacity(count + 1)
    }

    /// Offers a person. This overload is not generic, so that other modules call specialised code.
    public mutating func offer(age: Int, name: UnsafeRawBufferPointer) { add(age, name) }

    mutating func offer(age: Int, name: some Collection<UInt8>) { add(age, name) }

    private mutating func add(_ age: Int, _ name: some Collection<UInt8>) {
        if persons.count == count, let last = persons.last,
            !Self.isBefore(age, name, last.age, last.name)
        {
            return
        }
        var low = 0
        var high = persons.count
        while low < high {
            let middle = (low + high) / 2
            if Self.isBefore(age, name, persons[middle].age, persons[middle].name) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        persons.insert((age, Array(name)), at: low)
        if persons.count > count { persons.removeLast() }
        if persons.count == count { largestAge = persons[count - 1].age }
    }

    /// The names in sorted order.
    public var names: [String] { persons.map { String(decoding: $0.name, as: UTF8.self) } }

    private static func isBefore(
        _ age: Int, _ name: some Collection<UInt8>, _ otherAge: Int, _ otherName: [UInt8]
    ) -> Bool {
        age != otherAge ? age < otherAge : name.lexicographicallyPrecedes(otherName)
    }
}
