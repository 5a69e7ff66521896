import Foundation
import RealmSwift
import StorageEngine
import Testing
import ToolSupport

@testable import BenchmarkKit
@testable import RealmTool

@Suite struct PinsCommandTests {
    @Test func aPinnedReaderOfAnotherThreadIsNamed() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/people.realm"
        let store = try RealmTableEngine().openPersons(at: path, .integerKey, .full)
        var persons = PersonGenerator(seed: 1)
        try store.insert([persons.next(), persons.next()])
        let version = try Database.open(path: path).statistics().newestVersion
        let reader = try PinnedReader {
            try RealmTableEngine().openPersons(at: path, .integerKey, .full)
        }
        for age in 0..<5 { try store.updateAge(number: 0, to: age) }
        let lines = try PinsCommand.report(on: path).split(separator: "\n")
        let pins = lines.drop { !$0.contains("VERSION") }.dropFirst()
            .map { $0.split(separator: " ").map(String.init) }
        #expect(pins.count == 2)
        let oldest = try #require(pins.first)
        #expect(oldest[0] == String(version))
        #expect(oldest[1] == "5")
        // Only the reader holds the version that was the newest.
        #expect(try #require(Int(oldest[4])) >= 4096)
        #expect(oldest[7] == String(getpid()))
        // The full name of the program, although the kernel keeps only 15 bytes.
        #expect(CommandLine.arguments[0].hasSuffix("/" + oldest[8]))
        #expect(oldest[6] == "live")
        #expect(oldest[8].utf8.count > 15)
        #expect(lines.contains { $0.contains("waiting") && !$0.contains(" 0 bytes") })
        reader.stop()
        let after = try PinsCommand.report(on: path)
        #expect(after.split(separator: "\n").drop { !$0.contains("VERSION") }.count == 2)
    }

    @Test func aFileThatNobodyReadsHasNoPins() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/people.realm"
        do {
            let store = try RealmTableEngine().openPersons(at: path, .integerKey, .full)
            var persons = PersonGenerator(seed: 1)
            try store.insert([persons.next()])
        }
        #expect(try PinsCommand.report(on: path).hasSuffix("No version is pinned.\n"))
    }

    @Test func whatIsNoRealmGetsNoLockFile() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/notes.txt"
        for contents in ["x", String(repeating: "no Realm at all\n", count: 1000)] {
            try contents.write(toFile: path, atomically: true, encoding: .utf8)
            let error = #expect(throws: BenchmarkError.self) { try PinsCommand.report(on: path) }
            #expect(error?.code == .usage)
            #expect(error?.message == "'\(path)' is no Realm file of this library.")
            #expect(throws: BenchmarkError.self) { try RealmFile.open(path, key: nil) }
            #expect(throws: BenchmarkError.self) {
                try RealmFile.open(path, key: nil, forWriting: true)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names == ["notes.txt"])
        }
    }

    @Test func databasesBeginWithTheSignature() throws {
        let folder = try TemporaryFolder()
        for key in [nil, (0..<64).map { UInt8($0) }] {
            let path = folder.path + "/\(key == nil).realm"
            _ = try Database.open(path: path, options: .init(encryptionKey: key))
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(Array(data.prefix(8)) == RealmFile.signature)
        }
    }

    @Test func encryptedFilesNeedTheirKey() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/secret.realm"
        let keyFile = folder.path + "/key"
        let key = (0..<64).map { UInt8($0 * 3) }
        _ = try Database.open(path: path, options: .init(encryptionKey: key))
        try Data(key).write(to: URL(fileURLWithPath: keyFile))
        let report = try PinsCommand.report(on: path, key: EncryptionKey.read(file: keyFile))
        #expect(report.hasSuffix("No version is pinned.\n"))
        #expect(throws: BenchmarkError.self) { try PinsCommand.report(on: path) }
        try Data(key.dropLast()).write(to: URL(fileURLWithPath: keyFile))
        #expect(throws: BenchmarkError.self) { try EncryptionKey.read(file: keyFile) }
        #expect(throws: BenchmarkError.self) { try EncryptionKey.read(file: keyFile + "-missing") }
        #expect(
            try BenchmarkProcess("pins", path, "--key-file", keyFile).exitCode() == 64)
    }

    @Test func whatIsNoDatabaseIsAMistakeOfUse() throws {
        let folder = try TemporaryFolder()
        let text = folder.path + "/text"
        try Data(repeating: 65, count: 20_000).write(to: URL(fileURLWithPath: text))
        for path in [folder.path + "/missing", text] {
            do {
                _ = try PinsCommand.report(on: path)
                Issue.record("accepted: \(path)")
            } catch let error as BenchmarkError {
                #expect(error.code == .usage)
                #expect(error.message.contains(path))
            }
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/missing"))
        }
        let process = try BenchmarkProcess("pins", text)
        #expect(process.exitCode() == 64)
    }
}
