/// The persons of one age.
public struct AgeGroup: Equatable, Sendable {
    public var age: Int
    /// The number of persons.
    public var count: Int
    /// The latest birth date, in seconds since 1970.
    public var latestBirthdate: Int

    public init(age: Int, count: Int, latestBirthdate: Int) {
        self.age = age
        self.count = count
        self.latestBirthdate = latestBirthdate
    }
}

/// Persons being grouped one by one, for engines that do not group themselves.
public struct AgeGroups {
    /// The groups by their ages, which are small.
    private var groups: [AgeGroup?] = []

    public init() {}

    public mutating func add(age: Int, birthdate: Int) {
        while groups.count <= age { groups.append(nil) }
        guard let group = groups[age] else {
            groups[age] = AgeGroup(age: age, count: 1, latestBirthdate: birthdate)
            return
        }
        groups[age] = AgeGroup(
            age: age, count: group.count + 1,
            latestBirthdate: max(group.latestBirthdate, birthdate))
    }

    /// The groups by ascending age.
    public var inOrder: [AgeGroup] { groups.compactMap { $0 } }
}
