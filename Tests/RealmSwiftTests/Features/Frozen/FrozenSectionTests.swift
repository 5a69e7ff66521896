import Foundation
import RealmSwift
import Testing

@Suite struct FrozenSectionTests {
    private typealias Author = FrozenModels.Author

    private func ids(_ sections: SectionedResults<Int, Author>) -> [[Int]] {
        sections.map { section in Array(section.map(\.id)) }
    }

    /// Makes two authors of age 30.
    private func scene() throws -> FrozenScene {
        let scene = try FrozenScene()
        try scene.realm.write { try scene.author(3).age = 30 }
        return scene
    }

    @Test func sectionsKeepTheirKeysAndElements() throws {
        let scene = try scene()
        let live = scene.authors.sectioned(by: \.age)
        let frozen = live.freeze()
        #expect(frozen.isFrozen && !live.isFrozen && frozen.realm?.isFrozen == true)
        try scene.realm.write {
            try scene.author(0).age = 30
            scene.realm.delete(try scene.author(2))
        }
        #expect(frozen.allKeys == [20, 30, 40] && ids(frozen) == [[0], [1, 3], [2]])
        #expect(frozen.count == 3 && frozen[1].key == 30 && frozen[1].count == 2)
        #expect(frozen[IndexPath(item: 1, section: 1)].id == 3)
        #expect(live.allKeys == [30] && live[0].count == 3)
    }

    @Test func sectionsThatWereNeverReadAreFrozenAsTheyAre() throws {
        let scene = try scene()
        let frozen = scene.authors.filter("id > 0").sectioned(by: \.age, ascending: false).freeze()
        try scene.realm.write { scene.realm.deleteAll() }
        #expect(frozen.allKeys == [40, 30] && ids(frozen) == [[2], [1, 3]])
    }

    @Test func elementsAndSectionsOfFrozenSectionsAreFrozen() throws {
        let scene = try scene()
        let frozen = scene.authors.sectioned(by: \.age).freeze()
        #expect(frozen[0].isFrozen && frozen[1][0].isFrozen)
        #expect(frozen.last?.first?.isFrozen == true && !frozen.isInvalidated)
    }

    @Test func oneSectionKeepsItsElements() throws {
        let scene = try scene()
        let live = scene.authors.sectioned(by: \.age)[1]
        let frozen = live.freeze()
        try scene.realm.write { for author in scene.authors { author.age = 99 } }
        #expect(frozen.isFrozen && frozen.key == 30 && frozen.id == 30)
        #expect(Array(frozen.map(\.id)) == [1, 3] && frozen[1].name == "author 3")
        #expect(live.isEmpty && frozen.map(\.age) == [30, 30])
    }

    @Test func frozenResultsAreSectioned() throws {
        let scene = try scene()
        let results = scene.authors.freeze()
        let list = try scene.author(1).scores.freeze()
        try scene.changeEverything()
        #expect(ids(results.sectioned(by: \.age)) == [[0], [1, 3], [2]])
        let byParity = results.sectioned(
            by: { $0.id % 2 }, sortDescriptors: [SortDescriptor(keyPath: "id")])
        #expect(byParity.allKeys == [0, 1] && ids(byParity) == [[0, 2], [1, 3]])
        let values = list.sectioned(by: { $0 % 2 == 0 })
        #expect(values.allKeys == [false, true] && values.isFrozen)
        #expect(values.map { Array($0) } == [[1, 3], [2]])
    }

    @Test func thawedSectionsAreLive() throws {
        let scene = try scene()
        let frozen = scene.authors.sectioned(by: \.age).freeze()
        let thawed = try #require(frozen.thaw())
        try scene.realm.write { try scene.author(0).age = 40 }
        #expect(!thawed.isFrozen && thawed.realm == scene.realm)
        #expect(thawed.allKeys == [30, 40] && frozen.allKeys == [20, 30, 40])
    }

    @Test func aThawedSectionIsLive() throws {
        let scene = try scene()
        let frozen = scene.authors.sectioned(by: \.age)[1].freeze()
        let thawed = try #require(frozen.thaw())
        try scene.realm.write { try scene.author(0).age = 30 }
        #expect(!thawed.isFrozen && thawed.key == 30 && thawed.count == 3 && frozen.count == 2)
    }

    @Test func anotherThreadReadsFrozenSections() throws {
        let scene = try scene()
        let sections = Carried(scene.authors.sectioned(by: \.age).freeze())
        let section = Carried(scene.authors.sectioned(by: \.age)[1].freeze())
        try scene.changeEverything()
        let seen = try runThread {
            sections.value.map { section in section.map(\.name).sorted() }
        }
        #expect(seen == [["author 0"], ["author 1", "author 3"], ["author 2"]])
        #expect(try runThread { section.value.map(\.id).sorted() } == [1, 3])
    }

    @Test func frozenSectionsAreEqualToThemselves() throws {
        let frozen = try scene().authors.sectioned(by: \.age).freeze()
        let copy = frozen
        #expect(frozen == copy && frozen.freeze() == frozen)
        #expect(frozen[0] == copy[0] && frozen[0] != frozen[1])
    }
}

@Suite struct FrozenProjectionTests {
    private func view(_ scene: FrozenScene, _ id: Int) throws -> FrozenAuthorView {
        FrozenAuthorView(projecting: try scene.author(id))
    }

    @Test func aProjectionKeepsItsValues() throws {
        let scene = try FrozenScene()
        let live = try view(scene, 2)
        let frozen = live.freeze()
        #expect(frozen.isFrozen && !live.isFrozen && frozen.rootObject.isFrozen)
        try scene.changeEverything()
        #expect(frozen.title == "author 2" && frozen.city == "city 2")
        #expect(Array(frozen.titles) == ["book 2", "book 0"] && Array(frozen.scores) == [2, 3, 4])
        #expect(live.title == "author 2!" && live.city == "moved" && live.titles.isEmpty)
        #expect(frozen.realm?.isFrozen == true && !frozen.isInvalidated)
    }

    @Test func collectionsOfAFrozenProjectionAreFrozen() throws {
        let frozen = try view(try FrozenScene(), 2).freeze()
        #expect(frozen.scores.isFrozen && frozen.titles.isFrozen)
    }

    @Test func aProjectionOutlivesItsObject() throws {
        let scene = try FrozenScene()
        let frozen = try view(scene, 2).freeze()
        try scene.realm.write { scene.realm.deleteAll() }
        #expect(frozen.title == "author 2" && frozen.titles.count == 2)
        #expect(frozen.thaw() == nil)
    }

    @Test func aThawedProjectionIsLive() throws {
        let scene = try FrozenScene()
        let frozen = try view(scene, 2).freeze()
        let thawed = try #require(frozen.thaw())
        try scene.realm.write { thawed.title = "written" }
        #expect(!thawed.isFrozen && frozen.title == "author 2")
        #expect(try scene.author(2).name == "written")
    }

    @Test func projectionsOfOneFrozenObjectAreEqual() throws {
        let scene = try FrozenScene()
        let live = try view(scene, 2)
        let frozen = live.freeze()
        #expect(frozen == live.freeze() && frozen.hashValue == live.freeze().hashValue)
        #expect(frozen != live && frozen.freeze() == frozen)
        let other = try view(scene, 1).freeze()
        #expect(frozen != other)
    }

    @Test func resultsOfProjectionsAreFrozen() throws {
        let scene = try FrozenScene()
        let live = scene.realm.objects(FrozenAuthorView.self).sorted(byKeyPath: "id")
        let frozen = live.freeze()
        try scene.changeEverything()
        #expect(frozen.isFrozen && frozen.count == 4 && frozen[2].isFrozen)
        #expect(frozen.map(\.title) == ["author 0", "author 1", "author 2", "author 3"])
        #expect(frozen.filter("age > 40").first?.city == "city 3")
        #expect(frozen.thaw()?.first?.title == "author 1!")
    }

    @Test func aSnapshotGivesFrozenProjections() throws {
        let scene = try FrozenScene()
        let frozen = scene.realm.freeze().objects(FrozenAuthorView.self).sorted(byKeyPath: "id")
        try scene.realm.write { scene.realm.deleteAll() }
        #expect(frozen.map(\.city) == ["city 0", "city 1", "city 2", "city 3"])
    }

    @Test func aProjectedCollectionIsFrozen() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2).books.projectTo.title
        let frozen = live.freeze()
        try scene.realm.write { try scene.author(2).books.removeAll() }
        #expect(frozen.isFrozen && !live.isFrozen && live.isEmpty)
        #expect(Array(frozen) == ["book 2", "book 0"] && frozen.index(of: "book 0") == 1)
        #expect(frozen.thaw()?.isEmpty == true)
    }

    @Test func anotherThreadReadsAFrozenProjection() throws {
        let scene = try FrozenScene()
        let frozen = Carried(try view(scene, 2).freeze())
        try scene.changeEverything()
        let seen = try runThread {
            [frozen.value.title, frozen.value.city ?? "nil"] + Array(frozen.value.titles)
        }
        #expect(seen == ["author 2", "city 2", "book 2", "book 0"])
    }
}
