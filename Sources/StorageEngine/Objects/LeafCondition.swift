/// A condition that consists of tests of an object's own columns, joined by "and", "or" and "not",
/// in a form that two threads evaluate at the same time.
///
/// The steps of a condition come in the order of their evaluation, each "and", "or" and "not" in
/// front of its parts. Without steps it is true.
struct LeafCondition {
    enum Step {
        /// A test, by its number.
        case test(Int)
        /// All of the conditions up to a step.
        case all(end: Int)
        /// At least one of them.
        case any(end: Int)
        /// Not the next condition.
        case not
    }

    private(set) var steps: [Step] = []
    private(set) var tests: [ColumnPredicate] = []

    init() {}

    init(_ test: ColumnPredicate) { append(test) }

    mutating func append(_ test: ColumnPredicate) {
        steps.append(.test(tests.count))
        tests.append(test)
    }

    mutating func appendNot() { steps.append(.not) }

    /// Begins a condition of several parts, which ends with ``end(_:)``.
    mutating func begin() -> Int {
        steps.append(.all(end: 0))
        return steps.count - 1
    }

    mutating func end(_ first: Int, isAny: Bool) {
        steps[first] = isAny ? .any(end: steps.count) : .all(end: steps.count)
    }

    /// Which work it is to evaluate the condition, and to add up a column of a kind.
    func task(adding kind: ColumnKind = .integer) -> WorthSharing.Task {
        var task = kind == .integer ? WorthSharing.Task.integers : .wideNumbers
        for test in tests {
            switch test.test {
            case .nothing, .null: break
            case .numbers: if test.kind != .integer { task = .wideNumbers }
            case .bytes, .fixed16: return .textTests
            }
        }
        return task
    }
}

/// The steps and tests of a condition without anything that counts references. They are valid as
/// long as the condition's tests.
// Unchecked because of the pointers, whose memory does not change.
struct LeafTests: @unchecked Sendable {
    private let steps: UnsafeMutableBufferPointer<LeafCondition.Step>
    private let tests: UnsafeMutableBufferPointer<ColumnPredicate.Test>

    /// Takes memory until ``deallocate()``.
    init(_ condition: LeafCondition) {
        steps = .allocate(capacity: condition.steps.count)
        _ = steps.initialize(from: condition.steps)
        tests = .allocate(capacity: condition.tests.count)
        _ = tests.initialize(from: condition.tests.lazy.map(\.test))
    }

    func deallocate() {
        steps.deallocate()
        tests.deallocate()
    }

    var testCount: Int { tests.count }

    /// How many sets of rows ``narrow(_:at:)`` needs: each step at most two behind those that it is
    /// part of.
    var maskCount: Int { 1 + 2 * steps.count }

    /// The number of matching rows, if that takes no set of rows; nil otherwise.
    @inline(__always)
    func count(at places: UnsafePointer<LeafScan.Place>, of rowCount: Int) -> Int? {
        guard steps.count == 1 else { return nil }
        switch places[0] {
        case .same(let isMatch): return isMatch ? rowCount : 0
        case .column(let node, let column):
            guard case .numbers(let range) = tests[0] else { return nil }
            return PackedColumn(node, column).count(range)
        }
    }

    /// Removes the rows that do not match from the first of several sets of rows, and overwrites
    /// the others. Returns false if that takes values that are too long for their nodes.
    func narrow(
        _ rows: UnsafeMutablePointer<RowMask>, at places: UnsafePointer<LeafScan.Place>
    ) -> Bool {
        steps.isEmpty || narrow(rows, by: 0, at: places)
    }

    private func narrow(
        _ rows: UnsafeMutablePointer<RowMask>, by index: Int,
        at places: UnsafePointer<LeafScan.Place>
    ) -> Bool {
        let (other, another) = (rows + 1, rows + 2)
        switch steps[index] {
        case .test(let number):
            switch places[number] {
            case .same(true): break
            case .same(false): rows.pointee.fill(false, rows: rows.pointee.rowCount)
            case .column(let node, let column):
                guard tests[number].match(node, column, into: &other.pointee) else { return false }
                rows.pointee.formIntersection(other.pointee)
            }
        case .not:
            other.pointee.assign(rows.pointee)
            guard narrow(other, by: index + 1, at: places) else { return false }
            rows.pointee.subtract(other.pointee)
        case .all(let end):
            var part = index + 1
            while part < end, !rows.pointee.isEmpty {
                guard narrow(rows, by: part, at: places) else { return false }
                part = self.end(of: part)
            }
        case .any(let end):
            other.pointee.assign(rows.pointee)
            var part = index + 1
            while part < end, !other.pointee.isEmpty {
                another.pointee.assign(other.pointee)
                guard narrow(another, by: part, at: places) else { return false }
                other.pointee.subtract(another.pointee)
                part = self.end(of: part)
            }
            rows.pointee.subtract(other.pointee)
        }
        return true
    }

    /// The step behind a condition.
    private func end(of index: Int) -> Int {
        switch steps[index] {
        case .test: index + 1
        case .not: end(of: index + 1)
        case .all(let end), .any(let end): end
        }
    }
}
