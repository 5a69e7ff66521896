import Foundation
import RealmSwift
import Testing

@Suite struct FoundationAdditionsTests {
    private struct Failure: Error {}

    @Test func autoreleasepoolGivesWhatItsBodyGives() {
        #expect(autoreleasepool { 5 } == 5)
        #expect(throws: Failure.self) { try autoreleasepool { throw Failure() } }
    }

    @Test func autoreleasepoolReleasesRealms() throws {
        let directory = TestDirectory()
        weak var object: Person?
        try autoreleasepool {
            let person = Person()
            let realm = try directory.realm()
            try realm.write { realm.add(person) }
            object = person
        }
        #expect(object == nil)
    }

    @Test func indexPathsHaveASectionAndAnItem() {
        var path = IndexPath(item: 3, section: 1)
        #expect(path.item == 3 && path.section == 1 && path == [1, 3])
        path.item = 4
        path.section = 2
        #expect(path == [2, 4])
    }
}
