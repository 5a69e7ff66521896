import Foundation
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// A directory that is removed when the test ends.
final class TestDirectory {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "storage-engine-" + UUID().uuidString
        try! FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "test.realm") -> String { path + "/" + name }
}

extension FileHeader {
    /// The number of blocks before the pages of a new file.
    static var newBlockCount: UInt64 { slotsOffset / blockSize + CommitRing.fewSlots }
}

extension FileKind {
    /// Options for files that have records among the pages from the beginning.
    var earlierOptions: Database.Options {
        var options = options
        options.formatVersion = FileHeader.earlierFormatVersion
        return options
    }
}

extension RecordPlace {
    /// Returns the place of a record in a new file.
    static func slot(_ number: UInt64) -> RecordPlace { .slot(CommitRing().slot(numbered: number)) }
}

/// The smallest structure that a pager can hold: a root run that lists the runs of values.
struct ValueStore {
    /// The number of entries, which fill two pages.
    static let capacity = 320
    let pager: Pager

    init(_ pager: Pager) { self.pager = pager }

    func references() throws -> [PageReference] {
        guard !pager.root.isNone else { return [] }
        let bytes = try pager.overflowBytes(pager.root)
        return (0..<bytes.count / 16).map {
            PageReference(
                page: bytes.loadUnaligned(fromByteOffset: $0 * 16, as: UInt64.self),
                birth: bytes.loadUnaligned(fromByteOffset: $0 * 16 + 8, as: UInt64.self))
        }
    }

    func values() throws -> [[UInt8]] {
        try references().map { $0.isNone ? [] : Array(try pager.overflowBytes($0)) }
    }

    private func writableRoot() throws -> UnsafeMutableRawPointer {
        if pager.root.isNone {
            let (reference, buffer) = try pager.allocate(pages: 2, kind: .overflow)
            MutablePageHeader(buffer).lowKey = Int64(Self.capacity * 16)
            pager.root = reference
            return buffer
        }
        let (reference, buffer, _) = try pager.makeWritable(pager.root)
        pager.root = reference
        return buffer
    }

    /// Replaces a value. An empty value takes no page.
    func set(_ index: Int, _ value: [UInt8]) throws {
        let root = try writableRoot()
        let entry = root + PageHeader.size + index * 16
        let old = PageReference(
            page: entry.loadUnaligned(as: UInt64.self),
            birth: entry.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        var new = PageReference.none
        if !value.isEmpty {
            let pages = (PageHeader.size + value.count + pager.pageSize - 1) / pager.pageSize
            let (reference, buffer) = try pager.allocate(pages: pages, kind: .overflow)
            MutablePageHeader(buffer).lowKey = Int64(value.count)
            value.withUnsafeBytes {
                (buffer + PageHeader.size).copyMemory(
                    from: $0.baseAddress!, byteCount: value.count)
            }
            new = reference
        }
        if !old.isNone { try pager.free(old) }
        entry.storeBytes(of: new.page, as: UInt64.self)
        entry.storeBytes(of: new.birth, toByteOffset: 8, as: UInt64.self)
    }

    /// Changes the first byte of a value in place.
    func touch(_ index: Int, _ byte: UInt8) throws {
        let reference = try references()[index]
        let (copy, buffer, _) = try pager.makeWritable(reference)
        buffer.storeBytes(of: byte, toByteOffset: PageHeader.size, as: UInt8.self)
        let root = try writableRoot()
        let entry = root + PageHeader.size + index * 16
        entry.storeBytes(of: copy.page, as: UInt64.self)
        entry.storeBytes(of: copy.birth, toByteOffset: 8, as: UInt64.self)
    }
}

extension Pager {
    /// Performs one transaction.
    @discardableResult
    func write(_ body: (ValueStore) throws -> Void) throws -> CommitStatistics {
        try beginWrite()
        do {
            try body(ValueStore(self))
        } catch {
            rollback()
            throw error
        }
        return try commit()
    }

    /// Returns all values of the newest version.
    func newestValues() throws -> [[UInt8]] {
        if isReading { _ = try refresh() } else { try beginRead() }
        return try ValueStore(self).values()
    }
}

func value(_ byte: UInt8, count: Int = 100) -> [UInt8] { [UInt8](repeating: byte, count: count) }

func randomValue(_ random: inout SeededGenerator, maximum: Int) -> [UInt8] {
    (0..<Int.random(in: 1...maximum, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
    }
}
