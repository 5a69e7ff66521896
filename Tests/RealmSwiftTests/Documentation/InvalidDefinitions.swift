import Foundation
import RealmSwift
import Testing

// Model definitions that compile and are refused when the schema is built.

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

    class TwoKeys: Object {
        @Persisted(primaryKey: true) var a: Int
        @Persisted(primaryKey: true) var b: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class BoolKey: Object {
        @Persisted(primaryKey: true) var flag: Bool
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Empty: Object {
        var value = 0
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Base: Object {
        @Persisted private var value: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Derived: Base {
        @Persisted private var value: Int
    }

    class OpensARealm: Object {
        @Persisted var value: Int

        required init() {
            super.init()
            _ = try? temporaryRealm([OpensARealm.self])
        }

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
    "two primary keys": Misuse(
        "Properties 'a' and 'b' are both marked as the primary key of 'Undefined_TwoKeys'"
    ) { _ = try temporaryRealm([Undefined.TwoKeys.self]) },
    "a primary key of the wrong type": Misuse(
        "Property 'flag' cannot be made the primary key of 'Undefined_BoolKey' because it is not a "
            + "'string', 'int', 'objectId', or 'uuid' property."
    ) { _ = try temporaryRealm([Undefined.BoolKey.self]) },
    "no properties": Misuse(
        "No properties are defined for 'Undefined_Empty'. Did you remember to mark them with "
            + "'@objc' or '@Persisted' in your model?"
    ) { _ = try temporaryRealm([Undefined.Empty.self]) },
    "one name twice in a hierarchy": Misuse(
        "Property 'value' is declared multiple times in the class hierarchy of 'Undefined_Derived'"
    ) { _ = try temporaryRealm([Undefined.Derived.self]) },
    "an initializer that opens a Realm": Misuse(
        "Illegal recursive call of schema discovery for 'Undefined_OpensARealm': the initializer "
            + "of a model class must not open a Realm."
    ) { _ = try temporaryRealm([Undefined.OpensARealm.self]) },
]

@Suite struct InvalidDefinitionMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
