import Foundation
import RealmSwift
import Testing

@Suite struct ErrorTests {
    let directory = TestDirectory()

    private func failure(_ configuration: Realm.Configuration) -> Realm.Error? {
        do {
            _ = try Realm(configuration: configuration)
            return nil
        } catch let error as Realm.Error { return error } catch { return nil }
    }

    @Test func codesMatchInCatchClauses() {
        do { throw Realm.Error(.fileNotFound) } catch Realm.Error.fileNotFound {} catch {
            Issue.record("the code did not match")
        }
        do { throw Realm.Error(.fail) } catch Realm.Error.fileNotFound {
            Issue.record("another code matched")
        } catch {}
        #expect(Realm.Error(.fail) == Realm.Error.callFailed)
        #expect(Realm.Error(.fail) != Realm.Error(.fileExists))
        #expect(Realm.Error.Code.invalidDatabase.rawValue == 20)
    }

    @Test func missingFilesOfReadOnlyRealms() throws {
        var configuration = directory.configuration()
        configuration.readOnly = true
        let error = try #require(failure(configuration))
        let path = try #require(configuration.fileURL).path
        #expect(error.code == .fileNotFound && error.fileURL?.path == path)
        #expect(
            error.localizedDescription
                == "Failed to open Realm file at path '\(path)': No such file or directory")
    }

    @Test func filesThatAreTooSmall() throws {
        let configuration = directory.configuration()
        let url = try #require(configuration.fileURL)
        try Data([1]).write(to: url)
        let error = try #require(failure(configuration))
        #expect(error.code == .invalidDatabase)
        #expect(
            error.localizedDescription == "Failed to open Realm file at path '\(url.path)': "
                + "file is non-empty but too small (1 bytes) to be a valid Realm.")
    }

    @Test func filesThatAreNoRealms() throws {
        let configuration = directory.configuration()
        let url = try #require(configuration.fileURL)
        try Data(repeating: 7, count: 200_000).write(to: url)
        let error = try #require(failure(configuration))
        #expect(error.code == .invalidDatabase && error.localizedDescription.contains(url.path))
    }

    @Test func parentsThatAreNoDirectories() throws {
        let file = directory.url.appendingPathComponent("file")
        try Data().write(to: file)
        var configuration = directory.configuration()
        configuration.fileURL = file.appendingPathComponent("x.realm")
        let error = try #require(failure(configuration))
        let path = try #require(configuration.fileURL).path + ".lock"
        #expect(error.code == .fileOperationFailed && error.fileURL?.path == path)
        #expect(
            error.localizedDescription
                == "Failed to open file at path '\(path)': parent path is not a directory")
    }

    @Test func errorsHaveDomainAndCode() {
        let error = Realm.Error(.schemaMismatch) as NSError
        #expect(error.domain == "io.realm" && error.code == 10)
    }

    @Test func errorsOfAllTypesCompareByDomainAndCode() {
        let error: any Error = Realm.Error(.fail)
        #expect(error == (Realm.Error.callFailed as any Error))
        #expect(error == (NSError(domain: "io.realm", code: 1) as any Error))
        #expect(!(error == (Realm.Error(.fileAccess) as any Error)))
        #expect(!(error == (NSError(domain: "other", code: 1) as any Error)))
    }
}
