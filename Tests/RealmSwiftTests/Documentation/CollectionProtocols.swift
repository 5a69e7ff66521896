import Foundation
import RealmSwift
import Testing

// "Collections" of the guide: common operations of all collections, `AnyRealmCollection`, and
// aggregates.

private enum Shared {
    class MyModel: Object {
        @Persisted var name = ""
        @Persisted var int: Int
        @Persisted var optional: Int?
        @Persisted var double: Double
        @Persisted var float: Float
        @Persisted var date: Date
        @Persisted var decimal: Decimal128
        @Persisted var any: AnyRealmValue
        @Persisted var ints: List<Int>
        @Persisted var parent: MyModel?
        @Persisted var list: List<MyModel>
        @Persisted var set: MutableSet<MyModel>
        @Persisted var map: Map<String, MyModel?>
        @Persisted(originProperty: "parent") var children: LinkingObjects<MyModel>
    }

    /// "Using the RealmCollection protocol, you can write generic code".
    static func operateOn<C: RealmCollection>(collection: C) -> String {
        "operating on collection containing \(collection.count) objects"
    }

    /// "It's necessary to use a type-erased wrapper to store this collection as a property".
    class ViewController {
        let collection: AnyRealmCollection<MyModel>

        init<C: RealmCollection & _ObjcBridgeable>(collection: C) where C.ElementType == MyModel {
            self.collection = AnyRealmCollection(collection)
        }
    }

    /// Returns a parent with three models in each of its collections.
    static func parent() throws -> (Realm, MyModel) {
        let realm = try temporaryRealm([MyModel.self])
        let parent = MyModel(value: ["name": "parent", "ints": [4, 2, 6]])
        let models = [3, 1, 2].map { number in
            MyModel(
                value: [
                    "name": "\(number)", "int": number, "optional": number == 2 ? nil : number,
                    "double": Double(number) / 2, "float": Float(number),
                    "date": Date(timeIntervalSince1970: Double(number)), "decimal": number,
                    "parent": parent,
                ] as [String: Any?])
        }
        try realm.write {
            realm.add(parent)
            realm.add(models)
            parent.list.append(objectsIn: models)
            parent.set.insert(objectsIn: models)
            for model in models { parent.map[model.name] = model }
        }
        return (realm, parent)
    }
}

@Suite struct CollectionProtocolRules {
    private typealias MyModel = Shared.MyModel

    let realm: Realm
    private let parent: Shared.MyModel

    init() throws { (realm, parent) = try Shared.parent() }

    @Test func genericCodeOperatesOnAnyCollection() {
        let text = "operating on collection containing 3 objects"
        #expect(Shared.operateOn(collection: parent.list) == text)
        #expect(Shared.operateOn(collection: parent.set) == text)
        #expect(Shared.operateOn(collection: parent.children) == text)
        #expect(Shared.operateOn(collection: AnyRealmCollection(parent.list)) == text)
        #expect(Shared.operateOn(collection: realm.objects(MyModel.self)).contains("4 objects"))
    }

    @Test func typeErasedCollectionsForwardToTheirBase() throws {
        let collections = [
            Shared.ViewController(collection: parent.list).collection,
            Shared.ViewController(collection: parent.set).collection,
            Shared.ViewController(collection: parent.children).collection,
        ]
        for collection in collections {
            #expect(collection.count == 3 && collection.realm == realm)
            #expect(collection.map(\.int) == [3, 1, 2] && collection[1].int == 1)
            #expect(collection.first?.int == 3 && collection.last?.int == 2)
            #expect(collection.max(ofProperty: "int") == 3)
            #expect(!collection.isInvalidated)
        }
        #expect(AnyRealmCollection(parent.list).index(of: parent.list[2]) == 2)
        try realm.write { realm.delete(parent.list[0]) }
        #expect(collections.allSatisfy { $0.map(\.int) == [1, 2] })
    }

    @Test func typeErasureKeepsEquality() {
        let erased = AnyRealmCollection(parent.list)
        #expect(erased == erased && erased == AnyRealmCollection(parent.list))
        #expect(AnyRealmCollection(parent.list).description.contains("[2] Shared_MyModel {"))
    }

    @Test func theyAreStandardCollections() {
        let list = parent.list
        #expect(list.startIndex == 0 && list.endIndex == 3 && !list.isEmpty)
        #expect(list.index(after: 0) == 1 && list.index(before: 2) == 1)
        #expect(list.reversed().map(\.int) == [2, 1, 3])
        #expect(list.contains { $0.int == 2 })
        #expect(list.dropFirst().map(\.int) == [1, 2] && list.prefix(1).map(\.int) == [3])
        #expect(list[1...].map(\.int) == [1, 2] && list.reduce(0) { $0 + $1.int } == 6)
        #expect(zip(list, parent.set).allSatisfy { $0.isSameObject(as: $1) })
    }

    @Test func onlyTheObjectsNeededAreReadFromResults() throws {
        try realm.write { for _ in 0..<20 { realm.create(MyModel.self) } }
        let models = realm.objects(MyModel.self)
        // Loop through the first 5 objects, restricting the number of objects read
        var names: [String] = []
        for i in 0..<5 { names.append(models[i].name) }
        #expect(names == ["parent", "3", "1", "2", ""])
    }

    @Test func resultsAreEqualOnlyToThemselves() {
        let results = realm.objects(MyModel.self)
        let copy = results
        #expect(results == copy && results != realm.objects(MyModel.self))
    }

    @Test func collectionsOfARealmKnowIt() {
        #expect(realm.objects(MyModel.self).realm == realm && parent.list.realm == realm)
        #expect(MyModel().list.realm == nil && !MyModel().list.isInvalidated)
    }
}

@Suite struct AggregateRules {
    private typealias MyModel = Shared.MyModel

    let realm: Realm
    private let parent: Shared.MyModel

    init() throws { (realm, parent) = try Shared.parent() }

    private func expectAggregates<C: RealmCollection>(
        _ collection: C, sourceLocation: SourceLocation = #_sourceLocation
    ) where C.Element == Shared.MyModel {
        #expect(collection.min(ofProperty: "int") == 1, sourceLocation: sourceLocation)
        #expect(collection.max(ofProperty: "double") == 1.5, sourceLocation: sourceLocation)
        #expect(collection.sum(ofProperty: "int") == 6, sourceLocation: sourceLocation)
        #expect(collection.average(ofProperty: "int") == 2.0, sourceLocation: sourceLocation)
        let date: Date? = collection.max(ofProperty: "date")
        #expect(date == Date(timeIntervalSince1970: 3), sourceLocation: sourceLocation)
        let decimal: Decimal128 = collection.sum(ofProperty: "decimal")
        #expect(decimal == 6, sourceLocation: sourceLocation)
        #expect(collection.min(of: \.float) == 1, sourceLocation: sourceLocation)
        #expect(collection.max(of: \.int) == 3, sourceLocation: sourceLocation)
        #expect(collection.sum(of: \.double) == 3, sourceLocation: sourceLocation)
        #expect(collection.average(of: \.double) == 1, sourceLocation: sourceLocation)
    }

    @Test func everyCollectionAggregatesProperties() throws {
        expectAggregates(parent.list)
        expectAggregates(parent.set)
        expectAggregates(parent.children)
        expectAggregates(AnyRealmCollection(parent.list))
        #expect(parent.map.max(ofProperty: "int") == 3 && parent.map.sum(of: \.int) == 6)
        try realm.write { realm.delete(parent) }
        expectAggregates(realm.objects(MyModel.self))
    }

    @Test func unmanagedCollectionsAggregateToo() {
        let list = List<Shared.MyModel>()
        list.append(objectsIn: parent.list.map { MyModel(value: $0) })
        expectAggregates(list)
        let empty = List<Shared.MyModel>()
        #expect(empty.max(ofProperty: "int") as Int? == nil && empty.sum(of: \.int) == 0)
    }

    @Test func nilsAreSkippedAndNotCounted() {
        let list = parent.list
        #expect(list.min(ofProperty: "optional") as Int? == 1)
        #expect(list.sum(ofProperty: "optional") as Int == 4)
        #expect(list.average(ofProperty: "optional") == 2.0)
    }

    @Test func emptyCollectionsSumToZeroAndHaveNoOthers() throws {
        try realm.write { parent.list.removeAll() }
        #expect(parent.list.sum(ofProperty: "int") == 0)
        #expect(parent.list.min(ofProperty: "int") as Int? == nil)
        #expect(parent.list.max(ofProperty: "date") as Date? == nil)
        #expect(parent.list.average(ofProperty: "int") as Double? == nil)
    }

    @Test func listsOfValuesAggregateTheirElements() throws {
        let ints = parent.ints
        #expect(ints.min() == 2 && ints.max() == 6 && ints.sum() == 12)
        #expect(ints.average() == 4.0)
        try realm.write { ints.removeAll() }
        #expect(ints.min() == nil && ints.sum() == 0 && ints.average() as Double? == nil)
    }

    @Test func theCallerChoosesTheTypeOfTheResult() {
        #expect(parent.list.max(ofProperty: "int") as Int? == 3)
        #expect(parent.list.max(ofProperty: "int") as NSNumber? == 3)
        #expect(parent.list.average(ofProperty: "int") as Double? == 2)
    }
}

private let misuses: [String: Misuse] = [
    "aggregating an unknown property": Misuse(
        "Property 'x' not found in object of type 'Shared_MyModel'"
    ) { _ = try Shared.parent().1.list.max(ofProperty: "x") as Int? },
    "aggregating an unknown property of results": Misuse(
        "Property 'x' not found in object of type 'Shared_MyModel'"
    ) { _ = try Shared.parent().0.objects(Shared.MyModel.self).sum(ofProperty: "x") as Int },
    "a results index beyond the end": Misuse("Index 200 is out of bounds (must be less than 4).") {
        _ = try Shared.parent().0.objects(Shared.MyModel.self)[200]
    },
    "a negative results index": Misuse("Cannot pass a negative value for 'index'.") {
        _ = try Shared.parent().0.objects(Shared.MyModel.self)[-1]
    },
]

@Suite struct CollectionMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
