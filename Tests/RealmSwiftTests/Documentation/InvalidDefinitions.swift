import Foundation
import RealmSwift
import Testing

// Definitions of models that compile and are refused when the schema is built.

private enum Undefined {
    class RequiredLink: Object {
        @Persisted var link: RequiredLink
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class OptionalElements: Object {
        @Persisted var list: List<OptionalElements?>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class OptionalMembers: Object {
        @Persisted var set: MutableSet<OptionalMembers?>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class RequiredValues: Object {
        @Persisted var map: Map<String, RequiredValues>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class NoOrigin: Object {
        @Persisted var id: Int
        @Persisted var sources: LinkingObjects<NoOrigin>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private let misuses: [String: Misuse] = [
    "a link that is not optional": Misuse(
        "Object property 'link' must be marked as optional."
    ) { _ = try temporaryRealm([Undefined.RequiredLink.self]) },
    "a list of optional objects": Misuse(
        "List<Undefined_OptionalElements> property 'list' must not be marked as optional."
    ) { _ = try temporaryRealm([Undefined.OptionalElements.self]) },
    "a set of optional objects": Misuse(
        "MutableSet<Undefined_OptionalMembers> property 'set' must not be marked as optional."
    ) { _ = try temporaryRealm([Undefined.OptionalMembers.self]) },
    "a map of objects that are not optional": Misuse(
        "Map<String, Undefined_RequiredValues> property 'map' must be marked as optional."
    ) { _ = try temporaryRealm([Undefined.RequiredValues.self]) },
    "linking objects without an origin": Misuse(
        "LinkingObjects<Undefined_NoOrigin> property 'sources' must set the origin property name "
            + "with @Persisted(originProperty: \"name\")."
    ) { _ = try temporaryRealm([Undefined.NoOrigin.self]) },
]

@Suite struct InvalidDefinitionMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
