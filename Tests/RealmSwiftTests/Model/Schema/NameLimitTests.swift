import Foundation
import RealmSwift
import Testing

private class Unnamed: Object {
    @Persisted var value: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class FiftySeven: Unnamed {
    // 57 bytes: a letter of two bytes and 55 letters of one byte.
    override class func className() -> String { "é" + String(repeating: "c", count: 55) }
}

private class FiftyEight: Unnamed {
    override class func className() -> String { "é" + String(repeating: "c", count: 56) }
}

private class SixtyThree: Object {
    @Persisted var value: Int
    override class func propertiesMapping() -> [String: String] {
        ["value": String(repeating: "p", count: 63)]
    }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class SixtyFour: Object {
    @Persisted var value: Int
    override class func propertiesMapping() -> [String: String] {
        ["value": String(repeating: "p", count: 64)]
    }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class LongProperty: Object {
    @Persisted
    var aPropertyWhoseNameIsLongerThanAnyBodyWouldLikeToReadOrTypeOrStore1: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class First: Object {
    @Persisted var value: Int
    override class func className() -> String { "Shared" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Second: Object {
    @Persisted var value: Int
    override class func className() -> String { "Shared" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Documented: "Class names are limited to a maximum of 57 UTF8 characters. Property names are
/// limited to a maximum of 63 UTF8 characters."
@Suite struct NameLimitTests {
    @Test func namesOfTheLongestLengthAreStored() throws {
        let realm = try TestDirectory.untilExit().realm([FiftySeven.self, SixtyThree.self])
        try realm.write {
            realm.add(FiftySeven(value: [1]))
            realm.add(SixtyThree(value: [2]))
        }
        #expect(realm.objects(FiftySeven.self).first?.value == 1)
        #expect(realm.objects(SixtyThree.self).first?.value == 2)
    }

    @Test func aLongerNameOfAClassStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try TestDirectory.untilExit().realm([FiftyEight.self]) }
        expectText("Class names are limited to a maximum of 57 UTF8 characters.", result)
    }

    @Test func aLongerNameOfAPropertyStops() async {
        let stored = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try TestDirectory.untilExit().realm([SixtyFour.self]) }
        expectText("Property names are limited to a maximum of 63 UTF8 characters.", stored)
        let own = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try TestDirectory.untilExit().realm([LongProperty.self]) }
        expectText("Property names are limited to a maximum of 63 UTF8 characters.", own)
    }

    /// Two classes return the same name from `className`.
    @Test func twoClassesOfOneNameStop() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try TestDirectory.untilExit().realm([First.self, Second.self]) }
        expectText("have the same name 'Shared'", result)
        expectText("First", result)
        expectText("Second", result)
        // In separate Realms the two classes are views of one table.
        let directory = TestDirectory()
        let realm = try directory.realm([First.self])
        try realm.write { realm.add(First(value: [1])) }
        #expect(try directory.realm([Second.self]).objects(Second.self).first?.value == 1)
    }

    private func expectText(_ text: String, _ result: ExitTest.Result?) {
        let output = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
        #expect(output?.contains(text) == true, "\(output ?? "nothing was written")")
    }
}
