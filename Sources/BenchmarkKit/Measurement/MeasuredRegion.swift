/// The part of a case that is measured.
enum MeasuredRegion {
    static func run<T>(_ body: () throws -> T) rethrows -> T { try body() }
}
