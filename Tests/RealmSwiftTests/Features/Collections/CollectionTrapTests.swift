import Foundation
import RealmSwift
import Testing

// Tests that programming errors with collections stop the process with exactly the documented text.

/// Returns a shelf with one item, in a Realm of its own.
private func managedShelf() throws -> (Realm, Shelf) {
    let realm = try Realm(
        configuration: Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: shelfTypes))
    return (realm, try realm.addShelf(counts: [1]))
}

private func openRealm(_ types: ObjectBase.Type...) throws {
    _ = try Realm(
        configuration: Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: types))
}

@Suite struct CollectionChangeTrapTests {
    @Test func changingASetOutsideOfAWrite() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try managedShelf().1.intSet.insert(1) }
        expectStop("Cannot modify Set outside of a write transaction.", result)
    }

    @Test func changingAMapOutsideOfAWrite() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try managedShelf().1.intMap["a"] = 1 }
        expectStop("Cannot modify Dictionary outside of a write transaction.", result)
    }

    @Test func settingAPropertyOfResultsOutsideOfAWrite() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, _) = try managedShelf()
            realm.objects(ShelfItem.self).setValue(1, forKey: "count")
        }
        expectStop("Cannot modify Results outside of a write transaction.", result)
    }

    @Test func keysWithADot() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, shelf) = try managedShelf()
            try realm.write { shelf.intMap["a.b"] = 1 }
        }
        expectStop("Dictionary::insert: key must not contain '.'", result)
    }

    @Test func keysThatBeginWithADollarSign() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, shelf) = try managedShelf()
            try realm.write { shelf.intMap["$a"] = 1 }
        }
        expectStop("Dictionary::insert: key must not start with '$'", result)
    }

    @Test func removingMoreElementsThanThereAre() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, shelf) = try managedShelf()
            try realm.write { shelf.items.removeLast(2) }
        }
        expectStop(
            "It is not possible to remove more objects (2) from a list than it already contains "
                + "(1).", result)
    }

    @Test func replacingARangeThatIsNotInTheList() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { List<Int>().replaceSubrange(0..<2, with: [1]) }
        expectStop("Index 1 is out of bounds (must be less than 0).", result)
    }

    @Test func assigningLinkingObjects() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, shelf) = try managedShelf()
            let item = shelf.items[0]
            try realm.write { item.shelves = item.shelvesBySet }
        }
        expectStop("LinkingObjects properties are read-only", result)
    }
}

@Suite struct CollectionAccessTrapTests {
    @Test func positionsOutsideOfASet() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = MutableSet<Int>()[0] }
        expectStop("Index 0 is out of bounds (must be less than 0).", result)
    }

    @Test func positionsOutsideOfLinkingObjects() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try managedShelf().1.items[0].shelves[1] }
        expectStop("Index 1 is out of bounds (must be less than 1).", result)
    }

    @Test func indexesOutsideOfACollection() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try managedShelf().1.items.objects(at: [0, 1]) }
        expectStop("Indexes for collection are out of bounds.", result)
    }

    @Test func positionsOfElementsOfASet() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = MutableSet<Int>().index(of: 1) }
        expectStop("index(of:) is not available on MutableSet", result)
    }

    @Test func combiningAManagedSetWithAnUnmanagedOne() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try managedShelf().1.intSet.isSubset(of: MutableSet<Int>()) }
        expectStop("Right hand side value must be a managed Set.", result)
    }

    @Test func setsOfADeletedObject() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, shelf) = try managedShelf()
            let set = shelf.intSet
            try realm.write { realm.delete(shelf) }
            if set.isInvalidated { _ = set.count }
        }
        expectStop("Object has been deleted or invalidated.", result)
    }

    @Test func mapsOfADeletedObject() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, shelf) = try managedShelf()
            let map = shelf.intMap
            try realm.write { realm.delete(shelf) }
            if map.isInvalidated { _ = map["a"] }
        }
        expectStop("Object has been deleted or invalidated.", result)
    }
}

private class SetsOfTwoClasses: Object {
    @Persisted var items: MutableSet<ShelfItem>
    @Persisted var shelves: MutableSet<Shelf>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct DynamicSetTrapTests {
    @Test func combiningSetsOfDifferentClasses() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: UUID().uuidString,
                    objectTypes: shelfTypes + [SetsOfTwoClasses.self]))
            let object = try realm.write { realm.create(SetsOfTwoClasses.self) }
            let items = object.dynamicMutableSet("items")
            _ = items.intersects(object.dynamicMutableSet("shelves"))
        }
        expectStop("Cannot intersect sets of type 'ShelfItem' and 'Shelf'.", result)
    }
}

@Suite struct AggregateTrapTests {
    @Test func aggregatesOfUnknownProperties() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, _) = try managedShelf()
            _ = realm.objects(ShelfItem.self).min(ofProperty: "x") as Int?
        }
        expectStop("Property 'x' not found in object of type 'ShelfItem'", result)
    }

    @Test func sumsOfDates() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try managedShelf().1.items.sum(ofProperty: "made") as Double }
        expectStop("Operation 'sum' not supported for date property 'ShelfItem.made'", result)
    }

    @Test func minimaOfStrings() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = List<ShelfItem>().min(ofProperty: "name") as Int? }
        expectStop("Operation 'min' not supported for string property 'ShelfItem.name'", result)
    }

    @Test func unknownOperators() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let items = AnyRealmCollection(try managedShelf().1.items)
            _ = items.value(forKeyPath: "@middle.count")
        }
        expectStop(
            "Unsupported KVC collection operator found in key path '@middle.count'", result)
    }

    @Test func operatorsWithoutAProperty() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let items = AnyRealmCollection(try managedShelf().1.items)
            _ = items.value(forKeyPath: "@min")
        }
        expectStop(
            "Missing key path for KVC collection operator min in key path '@min'", result)
    }

    @Test func operatorsWithALongerPath() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let items = AnyRealmCollection(try managedShelf().1.items)
            _ = items.value(forKeyPath: "@min.next.count")
        }
        expectStop(
            "Nested key paths are not supported yet for KVC collection operators.", result)
    }
}

// MARK: Definitions

private class OriginOfNone: Object {
    @Persisted var text: String
    @Persisted(originProperty: "missing") var missing: LinkingObjects<OriginOfNone>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class OriginWithoutLink: Object {
    @Persisted var text: String
    @Persisted(originProperty: "text") var others: LinkingObjects<OriginWithoutLink>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class OriginElsewhere: Object {
    @Persisted var next: OriginWithoutLink?
    @Persisted(originProperty: "next") var others: LinkingObjects<OriginElsewhere>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct CollectionDefinitionTrapTests {
    private static let failure = "Schema validation failed due to the following errors:\n"

    @Test func originPropertiesThatDoNotExist() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try openRealm(OriginOfNone.self) }
        expectStop(
            Self.failure
                + "- Property 'OriginOfNone.missing' declared as origin of linking objects "
                + "property 'OriginOfNone.missing' does not exist", result)
    }

    @Test func originPropertiesThatAreNoLinks() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try openRealm(OriginWithoutLink.self) }
        expectStop(
            Self.failure
                + "- Property 'OriginWithoutLink.text' declared as origin of linking objects "
                + "property 'OriginWithoutLink.others' is not a link", result)
    }

    @Test func originPropertiesThatLeadToAnotherClass() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try openRealm(OriginElsewhere.self, OriginWithoutLink.self) }
        expectStop(
            Self.failure
                + "- Property 'OriginElsewhere.next' declared as origin of linking objects "
                + "property 'OriginElsewhere.others' links to type 'OriginWithoutLink'\n"
                + "- Property 'OriginWithoutLink.text' declared as origin of linking objects "
                + "property 'OriginWithoutLink.others' is not a link", result)
    }
}
