import Foundation
import Glibc
import StorageEngine
import Synchronization
import ToolSupport

/// A database file that somebody looks into: the Studio's page. Any thread may use it.
///
/// It keeps no version of the file. Whoever shows one holds an ``InspectedVersion``; all who show
/// the same version share it.
public final class InspectedFile: Sendable {
    /// Why a file cannot be looked into.
    public struct Problem: Error {
        /// A complete sentence.
        public let message: String
        /// Whether the file is encrypted and was opened with another key, or without one.
        public let needsKey: Bool

        public init(message: String, needsKey: Bool) {
            self.message = message
            self.needsKey = needsKey
        }
    }

    private struct Shown {
        weak var version: InspectedVersion?
    }

    let database: Database
    private let shown = Mutex<[UInt64: Shown]>([:])
    /// What users should know of the opening: that commits may be missing, or why the file can only
    /// be read.
    public let warning: String?

    /// Opens a file.
    ///
    /// - Parameter isEditable: whether a ``FileEditor`` is to change it. If this process must not
    ///   write the file, it is opened for reading, with a ``warning``.
    public init(path: String, key: [UInt8]?, isEditable: Bool = false) throws(Problem) {
        var refusal: String?
        func open(readOnly: Bool) throws(StorageError) -> Database {
            try Database.open(
                path: path,
                options: .init(createIfMissing: false, readOnly: readOnly, encryptionKey: key))
        }
        do throws(StorageError) {
            do throws(StorageError) {
                database = try open(readOnly: !isEditable)
            } catch {
                guard isEditable, error.code == .permissionDenied || error.systemError == EROFS
                else { throw error }
                refusal = error.message
                database = try open(readOnly: true)
            }
        } catch {
            throw Problem(
                message: ToolError(error, isOfOpening: true).message,
                needsKey: error.code == .wrongKey)
        }
        warning = database.takeOpeningWarning() ?? refusal.map { "Nothing can be changed: \($0)" }
    }

    /// Whether it was opened so that a ``FileEditor`` can change it.
    public var isEditable: Bool { !database.isReadOnly }

    public var isEncrypted: Bool { database.isEncrypted }
    /// Bytes of the file now.
    public var size: UInt64 { (try? database.fileSize) ?? 0 }
    public var newestVersion: UInt64 { database.newestVersion }
    /// Whether another file is at the path now, or none.
    public var hasLeftItsPath: Bool { database.hasLeftItsPath }

    /// Blocks until there is a newer version, at most for some time. Pins nothing.
    public func waitForVersion(newerThan version: UInt64, timeout: Duration) -> UInt64 {
        database.waitForVersion(newerThan: version, timeout: timeout)
    }

    /// The newest version. It is pinned as long as somebody refers to the result.
    public func newest() throws -> InspectedVersion {
        if let version = shownVersion(database.newestVersion) { return version }
        let connection = try Connection(database)
        return try shown.withLock { shown in
            // Another thread may have opened it meanwhile.
            if let known = shown[connection.version]?.version { return known }
            shown = shown.filter { $0.value.version != nil }
            let version = try InspectedVersion(connection)
            shown[version.number] = Shown(version: version)
            return version
        }
    }

    /// The newest version, or another one that somebody shows; nil if nobody does.
    public func version(_ number: UInt64) throws -> InspectedVersion? {
        if let version = shownVersion(number) { return version }
        guard number == database.newestVersion else { return nil }
        let newest = try newest()
        return newest.number == number ? newest : nil
    }

    private func shownVersion(_ number: UInt64) -> InspectedVersion? {
        shown.withLock { $0[number]?.version }
    }

    /// Where the bytes of the file are, and who pins its versions.
    public func statistics() throws -> [UInt8] {
        let statistics = try database.statistics()
        let output = ByteOutput()
        output.append("{")
        output.member("newest", statistics.newestVersion)
        output.member("format", database.formatVersion)
        output.member("pageSize", statistics.pageSize)
        output.member("fileBytes", statistics.fileBytes)
        output.member("liveBytes", statistics.liveBytes)
        if !database.isReadOnly {
            output.member("freeBytes", statistics.freeBytes)
            output.member("keptBytes", statistics.waitingBytes)
        }
        output.member("pins")
        output.append("[")
        for pin in statistics.pinnedVersions {
            output.separate()
            output.append("{")
            output.member("version", pin.version)
            output.member("process", pin.processID)
            output.member("name", pin.processName)
            output.member("isOwn", pin.processID == UInt32(getpid()))
            output.member("isFrozen", pin.isFrozen)
            output.member("seconds")
            output.append(decimal: pin.age.components.seconds)
            output.append("}")
        }
        output.append("]}")
        return output.contents
    }
}
