import Foundation
import RealmSwift
import Testing

// Classes that are no valid models, and the documented texts that say why.

private class Invalid: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class TwoKeys: Invalid {
    @Persisted(primaryKey: true) var a: Int
    @Persisted(primaryKey: true) var b: Int
}

private class BoolKey: Invalid {
    @Persisted(primaryKey: true) var flag: Bool
}

private class RequiredLink: Invalid {
    @Persisted var link: Person
}

private class OptionalElements: Invalid {
    @Persisted var people: List<Person?>
}

private class Twice: DeclaresName {
    @Persisted var other: Int
    @Persisted private var name: String
}

private class DeclaresName: Invalid {
    @Persisted private var name: String
}

private class Empty: Invalid {}

private class OpensARealm: Invalid {
    @Persisted var value: Int
    required init() {
        super.init()
        _ = try? Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: "illegal", objectTypes: [OpensARealm.self]))
    }
}

@Suite struct DefinitionTrapTests {
    private func expectStop(
        _ text: String, _ result: ExitTest.Result?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard let result else { return }
        let output = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(output.contains("Fatal error: \(text)"), sourceLocation: sourceLocation)
    }

    @Test func twoPrimaryKeys() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = TwoKeys().objectSchema }
        expectStop("Properties 'a' and 'b' are both marked as the primary key of 'TwoKeys'", result)
    }

    @Test func primaryKeysOfTheWrongType() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = BoolKey().objectSchema }
        expectStop(
            "Property 'flag' cannot be made the primary key of 'BoolKey' because it is not a "
                + "'string', 'int', 'objectId', or 'uuid' property.", result)
    }

    @Test func linksThatAreNotOptional() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RequiredLink().objectSchema }
        expectStop("Object property 'link' must be marked as optional.", result)
    }

    @Test func listsOfOptionalObjects() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = OptionalElements().objectSchema }
        expectStop("List<Person> property 'people' must not be marked as optional.", result)
    }

    @Test func propertiesDeclaredTwice() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Twice().objectSchema }
        expectStop(
            "Property 'name' is declared multiple times in the class hierarchy of 'Twice'", result)
    }

    @Test func noProperties() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Empty().objectSchema }
        expectStop(
            "No properties are defined for 'Empty'. Did you remember to mark them with '@objc' or "
                + "'@Persisted' in your model?", result)
    }

    @Test func initializersThatOpenARealm() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = OpensARealm() }
        expectStop("Illegal recursive call of", result)
    }
}
