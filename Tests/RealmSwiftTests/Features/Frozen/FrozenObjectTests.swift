import Foundation
import RealmSwift
import Testing

// Documented: "The frozen copy is an immutable object which contains the same data as the given
// object currently contains, but will not update when writes are made to the containing Realm.
// Unlike live objects, frozen objects can be accessed from any thread."

@Suite struct FrozenObjectTests {
    private typealias Author = FrozenModels.Author
    private typealias Book = FrozenModels.Book

    @Test func aFrozenObjectKeepsItsValues() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2)
        let before = FrozenContents.Entry(live)
        let frozen = live.freeze()
        #expect(frozen.isFrozen && !live.isFrozen)
        #expect(FrozenContents.Entry(frozen) == before)
        try scene.changeEverything()
        #expect(FrozenContents.Entry(frozen) == before)
        #expect(live.name == "author 2!" && live.age == 41 && live.rating == 9)
    }

    @Test func nothingChangesUnderAFrozenObjectWhenOthersWrite() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2)
        let frozen = live.freeze()
        try scene.writeElsewhere { try $0.author(2).name = "new" }
        #expect(frozen.name == "author 2" && live.name == "author 2")
        scene.realm.refresh()
        #expect(frozen.name == "author 2" && live.name == "new")
    }

    @Test func everythingReachedFromAFrozenObjectIsFrozen() throws {
        let frozen = try FrozenScene().author(2).freeze()
        #expect(frozen.realm?.isFrozen == true)
        #expect(frozen.mentor?.isFrozen == true && frozen.mentor?.mentor?.isFrozen == true)
        #expect(frozen.books.isFrozen && frozen.books.first?.isFrozen == true)
        #expect(frozen.favourites.isFrozen && frozen.favourites.first?.isFrozen == true)
        #expect(frozen.bySubject.isFrozen && frozen.bySubject["art"]??.isFrozen == true)
        #expect(frozen.scores.isFrozen && frozen.words.isFrozen && frozen.counts.isFrozen)
        #expect(frozen.home?.isFrozen == true && frozen.home?.rooms.isFrozen == true)
        #expect(frozen.homes.isFrozen && frozen.homes.last?.isFrozen == true)
        #expect(frozen.pupils.isFrozen && frozen.pupils.first?.isFrozen == true)
        #expect(frozen.books.first?.authors.isFrozen == true)
        #expect(frozen.note.dictionaryValue?.isFrozen == true && frozen.notes.isFrozen)
        #expect(frozen.books.filter("pages > 0").isFrozen)
    }

    @Test func linksLeadToWhatTheyLedTo() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(2).freeze()
        try scene.realm.write {
            try scene.author(2).mentor = scene.author(0)
            try scene.author(1).name = "another"
        }
        #expect(frozen.mentor?.id == 1 && frozen.mentor?.name == "author 1")
        #expect(frozen.mentor?.mentor?.id == 0)
        #expect(frozen.mentor?.mentor?.mentor == nil)
        #expect(try scene.author(2).mentor?.id == 0)
    }

    @Test func linksLeadToObjectsThatWereDeleted() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(2).freeze()
        try scene.realm.write {
            scene.realm.delete(try scene.author(1))
            scene.realm.delete(scene.realm.objects(Book.self))
        }
        #expect(frozen.mentor?.name == "author 1" && frozen.mentor?.isInvalidated == false)
        #expect(Array(frozen.books.map(\.title)) == ["book 2", "book 0"])
        #expect(frozen.bySubject["art"]??.pages == 102)
    }

    @Test func backlinksAreThoseOfTheVersion() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(1).freeze()
        let book = try #require(try scene.author(0).books.first).freeze()
        try scene.realm.write {
            try scene.author(3).mentor = scene.author(1)
            try scene.author(2).books.removeAll()
        }
        #expect(Array(frozen.pupils.map(\.id)) == [2])
        #expect(Set(book.authors.map(\.id)) == [0, 1, 2, 3])
        #expect(try Set(scene.author(1).pupils.map(\.id)) == [2, 3])
    }

    @Test func aFrozenObjectOutlivesItsSource() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2)
        let frozen = live.freeze()
        try scene.realm.write { scene.realm.delete(live) }
        #expect(live.isInvalidated && !frozen.isInvalidated)
        #expect(frozen.name == "author 2" && frozen.books.count == 2)
        #expect(frozen.home?.city == "city 2" && frozen.words.contains("common"))
    }

    @Test func objectsWithoutAPrimaryKeyAreFrozenToo() throws {
        let scene = try FrozenScene()
        let live = try #require(scene.realm.objects(Book.self).filter("title == 'book 2'").first)
        let frozen = live.freeze()
        try scene.realm.write {
            live.title = "changed"
            live.pages = 0
        }
        #expect(frozen.title == "book 2" && frozen.pages == 102 && frozen.isFrozen)
        #expect(frozen.thaw()?.title == "changed")
    }

    @Test func freezingAFrozenObjectGivesTheSame() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(2).freeze()
        try scene.changeEverything()
        let again = frozen.freeze()
        #expect(again.isFrozen && again == frozen && again.name == "author 2")
    }

    @Test func anObjectIsFrozenAgainAfterEachChange() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1)
        var history: [Author] = []
        for step in 0..<20 {
            try scene.realm.write { live.age = step }
            history.append(live.freeze())
        }
        #expect(history.map(\.age) == Array(0..<20))
        #expect(Set(history.map(\.name)) == ["author 1"])
    }

    @Test func anObjectOfASnapshotEqualsItsOwnFrozenCopy() throws {
        let scene = try FrozenScene()
        let frozen = scene.realm.freeze()
        #expect(try frozen.author(1) == scene.author(1).freeze())
    }

    @Test func valuesAreReadByName() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(2).freeze()
        try scene.changeEverything()
        #expect(frozen["name"] as? String == "author 2")
        #expect((frozen["mentor"] as? Author)?.isFrozen == true)
        #expect((frozen["books"] as? List<Book>)?.isFrozen == true)
        #expect(frozen.value(forKey: "age") as? Int == 40)
        #expect(frozen.value(forKeyPath: "mentor.name") as? String == "author 1")
        #expect(frozen.value(forKeyPath: "books.@count") as? Int == 2)
    }

    @Test func theDescriptionIsThatOfTheVersion() throws {
        let scene = try FrozenScene()
        let live = try #require(scene.realm.objects(Book.self).filter("title == 'book 2'").first)
        let frozen = live.freeze()
        let before = withoutAddresses(live.description)
        try scene.realm.write { live.title = "changed" }
        #expect(withoutAddresses(frozen.description) == before)
        #expect(frozen.description.contains("title = book 2;"))
    }

    @Test func theSchemaIsThatOfTheClass() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1)
        #expect(live.freeze().objectSchema == live.objectSchema)
        #expect(live.freeze().objectSchema.className == Author.className())
    }

    @Test func aFrozenObjectIsCopiedAsAnUnmanagedOne() throws {
        let scene = try FrozenScene()
        let frozen = try #require(try scene.author(1).books.first).freeze()
        try scene.changeEverything()
        let copy = Book(value: frozen)
        #expect(copy.realm == nil && !copy.isFrozen && copy.title == "book 1")
        copy.title = "copy"
        #expect(copy.title == "copy" && frozen.title == "book 1")
    }

    /// A frozen object belongs to another Realm than the live one, so its values are written back.
    @Test func aFrozenObjectBringsBackItsValues() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1)
        let frozen = live.freeze()
        try scene.realm.write {
            live.name = "wrong"
            live.scores.removeAll()
        }
        let values: [String: Any] = [
            "id": frozen.id, "name": frozen.name, "scores": Array(frozen.scores),
        ]
        try scene.realm.write {
            scene.realm.create(Author.self, value: values, update: .modified)
        }
        #expect(live.name == "author 1" && Array(live.scores) == [1, 2, 3])
    }

    @Test func aFrozenObjectIsCopiedToAnotherFile() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(1).freeze()
        try scene.changeEverything()
        let other = try temporaryRealm(FrozenModels.all)
        try other.write { other.create(Author.self, value: frozen) }
        let copy = try other.author(1)
        #expect(copy.name == "author 1" && copy.mentor?.id == 0 && copy.books.count == 2)
        #expect(copy.home?.city == "city 1" && Set(copy.words) == ["common", "word 1"])
        #expect(!copy.isFrozen && copy.realm == other)
    }

    @Test func allObjectsOfResultsAreFrozenOneByOne() throws {
        let scene = try FrozenScene()
        let frozen = Array(scene.authors.sorted(byKeyPath: "id").map { $0.freeze() })
        try scene.changeEverything()
        #expect(frozen.map(\.name) == ["author 0", "author 1", "author 2", "author 3"])
        #expect(frozen.allSatisfy { $0.isFrozen })
    }
}

@Suite struct FrozenEmbeddedObjectTests {
    private typealias Home = FrozenModels.Home

    @Test func anEmbeddedObjectKeepsItsValues() throws {
        let scene = try FrozenScene()
        let live = try #require(try scene.author(2).home)
        let frozen = live.freeze()
        #expect(frozen.isFrozen && !live.isFrozen)
        try scene.realm.write {
            live.city = "moved"
            live.rooms.append(9)
        }
        #expect(frozen.city == "city 2" && Array(frozen.rooms) == [1, 2])
        #expect(frozen.realm?.isFrozen == true)
    }

    @Test func anEmbeddedObjectOutlivesBeingReplaced() throws {
        let scene = try FrozenScene()
        let live = try #require(try scene.author(2).home)
        let frozen = live.freeze()
        try scene.realm.write { try scene.author(2).home = Home(value: ["city": "other"]) }
        #expect(live.isInvalidated && !frozen.isInvalidated && frozen.city == "city 2")
        #expect(frozen.thaw() == nil)
    }

    @Test func anEmbeddedObjectGoesWithItsOwnerOnlyWhereItIsLive() throws {
        let scene = try FrozenScene()
        let owner = try scene.author(2).freeze()
        let element = try #require(try scene.author(2).homes.last).freeze()
        try scene.realm.write { scene.realm.delete(try scene.author(2)) }
        #expect(owner.home?.city == "city 2" && Array(owner.homes.map(\.city)).count == 2)
        #expect(element.city == "second 2" && Array(element.rooms) == [2])
        #expect(element.thaw() == nil && owner.thaw() == nil)
    }

    @Test func aThawedEmbeddedObjectIsLive() throws {
        let scene = try FrozenScene()
        let live = try #require(try scene.author(2).home)
        let thawed = try #require(live.freeze().thaw())
        #expect(!thawed.isFrozen && thawed.isSameObject(as: live))
        try scene.realm.write { thawed.city = "moved" }
        #expect(live.city == "moved")
    }

    @Test func linksOfAnEmbeddedObjectAreFrozen() throws {
        let scene = try FrozenScene()
        try scene.realm.write { try scene.author(2).home?.keeper = scene.author(3) }
        let frozen = try #require(try scene.author(2).home).freeze()
        try scene.changeEverything()
        #expect(frozen.keeper?.name == "author 3" && frozen.keeper?.isFrozen == true)
    }
}

@Suite struct FrozenDynamicObjectTests {
    private typealias Author = FrozenModels.Author

    @Test func aDynamicObjectKeepsItsValues() throws {
        let scene = try FrozenScene()
        let name = Author.className()
        let live = try #require(scene.realm.dynamicObject(ofType: name, forPrimaryKey: 2))
        let frozen = live.freeze()
        try scene.changeEverything()
        #expect(frozen.isFrozen && frozen.name as? String == "author 2")
        #expect(frozen["age"] as? Int == 40 && live["age"] as? Int == 41)
    }

    @Test func whatADynamicObjectLeadsToIsFrozen() throws {
        let scene = try FrozenScene()
        let name = Author.className()
        let frozen = try #require(
            scene.realm.dynamicObject(ofType: name, forPrimaryKey: 2)?.freeze())
        try scene.changeEverything()
        let mentor = try #require(frozen["mentor"] as? Author)
        #expect(mentor.isFrozen && mentor.name == "author 1")
        let books = try #require(frozen["books"] as? List<DynamicObject>)
        #expect(books.isFrozen && books.count == 2)
        #expect(books.first?["title"] as? String == "book 2")
    }

    @Test func dynamicCollectionsAreFrozen() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2)
        let list = live.dynamicList("books").freeze()
        let set = live.dynamicMutableSet("favourites").freeze()
        let liveMap: Map<String, DynamicObject?> = live.dynamicMap("bySubject")
        let map = liveMap.freeze()
        try scene.changeEverything()
        #expect(list.isFrozen && list.map { $0["title"] as? String } == ["book 2", "book 0"])
        #expect(set.isFrozen && set.map { $0["title"] as? String } == ["book 2"])
        #expect(map.isFrozen && map["art"]??["title"] as? String == "book 2")
        #expect(map.count == 2)
    }

    @Test func dynamicResultsAreFrozen() throws {
        let scene = try FrozenScene()
        let live = scene.realm.dynamicObjects(Author.className()).filter("age >= 30")
        let frozen = live.freeze()
        try scene.realm.write { scene.realm.delete(live) }
        #expect(live.isEmpty && frozen.count == 3 && frozen.isFrozen)
        #expect(frozen.filter("age > 40").first?["name"] as? String == "author 3")
        #expect(frozen.thaw()?.isEmpty == true)
    }

    @Test func aThawedDynamicObjectIsLive() throws {
        let scene = try FrozenScene()
        let name = Author.className()
        let live = try #require(scene.realm.dynamicObject(ofType: name, forPrimaryKey: 2))
        let thawed = try #require(live.freeze().thaw())
        try scene.realm.write { thawed["name"] = "changed" }
        #expect(live["name"] as? String == "changed" && !thawed.isFrozen)
    }
}
