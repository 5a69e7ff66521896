import Foundation
import Glibc
import RealmSwift
import StorageEngine
import Testing

/// Tests of deleting, opening and copying Realms at various paths, and of the messages when that is
/// refused.
@Suite struct RealmFilesTests {
    private let directory = TestDirectory()

    private func failure(_ body: () throws -> Void) -> Realm.Error? {
        do {
            try body()
            return nil
        } catch { return error as? Realm.Error }
    }

    private func fill(_ configuration: Realm.Configuration) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.add(Person(value: ["name": "Ann"])) }
    }

    private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    // MARK: Deleting

    @Test func foldersAreNotDeleted() throws {
        let inside = directory.configuration()
        let realm = try Realm(configuration: inside)
        var folder = inside
        folder.fileURL = directory.url
        let error = try #require(failure { _ = try Realm.deleteFiles(for: folder) })
        #expect(error.code == .fileOperationFailed)
        #expect(
            error.localizedDescription
                == "Failed to remove file at path '\(directory.url.path)': the path is a directory")
        try realm.write { realm.add(Person()) }
        #expect(exists(try #require(inside.fileURL)))
    }

    @Test func filesThatAreNoRealmsAreNotDeleted() throws {
        let configuration = directory.configuration()
        let url = try #require(configuration.fileURL)
        let note = url.appendingPathExtension("note")
        for file in [url, note] { try Data("a letter".utf8).write(to: file) }
        let error = try #require(failure { _ = try Realm.deleteFiles(for: configuration) })
        #expect(error.code == .invalidDatabase && error.fileURL == url)
        #expect(exists(url) && exists(note))
    }

    @Test func whatAnotherProcessHasOpenIsNotDeleted() throws {
        let configuration = directory.configuration()
        let path = try #require(configuration.fileURL).path
        try fill(configuration)
        do {
            // The handle is not in the table of this process's open databases.
            let other = try Database.openUnregistered(path: path)
            #expect(throws: Realm.Error(.alreadyOpen)) {
                try Realm.deleteFiles(for: configuration)
            }
            withExtendedLifetime(other) {}
        }
        #expect(try Realm.deleteFiles(for: configuration))
    }

    @Test func sideFilesAreDeletedWithTheRealm() throws {
        var configuration = directory.configuration()
        try fill(configuration)
        configuration.shouldCompactOnLaunch = { _, _ in true }
        _ = try Realm(configuration: configuration)
        let url = try #require(configuration.fileURL)
        let (note, neighbour) = (
            url.appendingPathExtension("note"), url.appendingPathExtension("txt")
        )
        for file in [note, neighbour] { try Data([1]).write(to: file) }
        #expect(exists(url.appendingPathExtension("management")))
        #expect(try Realm.deleteFiles(for: configuration))
        #expect(!exists(url) && !exists(note) && exists(neighbour))
        #expect(!exists(url.appendingPathExtension("management")))
    }

    // MARK: Paths

    @Test func urlsThatAreNoFileURLsAreRefused() throws {
        let url = try #require(URL(string: "https://example.com\(directory.url.path)/a.realm"))
        let configuration = Realm.Configuration(fileURL: url, objectTypes: [Person.self])
        let realm = try directory.realm()
        for error in [
            failure { _ = try Realm(configuration: configuration) },
            failure { _ = try Realm.deleteFiles(for: configuration) },
            failure { try realm.writeCopy(toFile: url) },
            failure { try realm.writeCopy(configuration: configuration) },
        ] {
            #expect(error?.code == .invalidInput)
            #expect(error?.localizedDescription.contains(url.absoluteString) == true)
        }
        #expect(!Realm.fileExists(for: configuration))
        #expect(!exists(directory.url.appendingPathComponent("a.realm")))
    }

    @Test func aLinkAndThePathOfItsTargetLeadToOneRealm() throws {
        let realm = try directory.realm()
        let folder = directory.url.appendingPathComponent("folder")
        let link = directory.configuration(name: "link.realm")
        try FileManager.default.createSymbolicLink(
            at: try #require(link.fileURL),
            withDestinationURL: directory.url.appendingPathComponent("test.realm"))
        try FileManager.default.createSymbolicLink(at: folder, withDestinationURL: directory.url)
        let throughFolder = directory.configuration(name: "folder/test.realm")
        for configuration in [link, throughFolder] {
            for _ in 0..<2 { #expect(try Realm(configuration: configuration) == realm) }
        }
        try realm.write { realm.add(Person(value: ["name": "Ann"])) }
        let names = try runThread {
            try Realm(configuration: link).objects(Person.self).map(\.name)
        }
        #expect(names == ["Ann"])
    }

    @Test(arguments: [("/data", "/home/a", "/data"), ("data", "/home/a", "/home/a/.local/share")])
    func theEnvironmentDecidesTheDefaultPath(data: String, home: String, expected: String) async {
        await #expect(processExitsWith: .success) { [data, home, expected] in
            setenv("XDG_DATA_HOME", data, 1)
            setenv("HOME", home, 1)
            let name = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent
            let path = Realm.Configuration.defaultFileURL.path
            precondition(path == "\(expected)/\(name)/default.realm", path)
            precondition(Realm.Configuration.defaultConfiguration.fileURL?.path == path)
        }
    }

    @Test(arguments: [227, 228, 240, 250])
    func copiesMayHaveLongNames(length: Int) throws {
        let realm = try directory.realm()
        try realm.write { realm.add(Person(value: ["name": "Ann"])) }
        let copy = directory.configuration(name: String(repeating: "c", count: length))
        try realm.writeCopy(configuration: copy)
        #expect(try Realm(configuration: copy).objects(Person.self).first?.name == "Ann")
        #expect(throws: Realm.Error(.fileExists)) { try realm.writeCopy(configuration: copy) }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(names.allSatisfy { !$0.contains("copy") }, "\(names)")
    }

    // MARK: Launching

    @Test(arguments: [(SystemCall.mkdir, EACCES), (.fallocate, ENOSPC), (.rename, EPERM)])
    func aRealmThatCannotBeCompactedIsOpened(call: SystemCall, number: Int32) throws {
        var configuration = directory.configuration()
        try fill(configuration)
        configuration.shouldCompactOnLaunch = { _, _ in true }
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.url.path + "/test.realm.management"),
            faults: [SystemCallFault(.failForever(errno: number), call: call, ordinal: 1)])
        interceptor.install()
        defer { interceptor.uninstall() }
        #expect(try Realm(configuration: configuration).objects(Person.self).count == 1)
    }

    // MARK: Messages

    @Test func messagesNameTheFileOnceAndWhatToDo() throws {
        let configuration = directory.configuration()
        let url = try #require(configuration.fileURL)
        func message(_ image: Data, _ change: (inout Realm.Configuration) -> Void = { _ in }) throws
            -> String
        {
            try image.write(to: url)
            var changed = configuration
            change(&changed)
            let error = try #require(failure { _ = try Realm(configuration: changed) })
            #expect(error.fileURL == url)
            let text = error.localizedDescription
            #expect(text.components(separatedBy: url.path).count == 2, "\(text)")
            return text
        }
        try fill(configuration)
        let whole = try Data(contentsOf: url)
        var header = whole
        header[100] ^= 1
        var format = whole
        format[8] ^= 0xFF
        for image in [
            Data([1]), Data(count: 1), Data(count: 4096), Data(repeating: 7, count: 9000), header,
            format, whole.prefix(20_000),
        ] { _ = try message(image) }
        _ = try message(whole) { $0.encryptionKey = Data(repeating: 1, count: 64) }
        let empty = try message(Data()) { $0.readOnly = true }
        #expect(empty.contains("Open it without readOnly"))
        // Damage after the header.
        var pages = whole
        for offset in stride(from: 8192, to: pages.count, by: 4096) { pages[offset + 200] ^= 1 }
        _ = try message(pages)
    }
}
