import Glibc

@testable import StorageEngine

/// A sound file from which malicious ones are made.
///
/// Each process writes it anew, so that seeds always have the present format. Contents and layout
/// are the same each time, except for identities that the engine draws at random.
struct SeedFile {
    /// A sealed run of the file, whether or not the newest version refers to it.
    struct Run {
        var start: Int
        var pageCount: Int
    }

    let options: Database.Options
    let bytes: [UInt8]
    let header: FileHeader
    /// The sealed runs of nodes, then the other sealed runs. An encrypted file has none: without
    /// the key nothing can be sealed.
    let nodes: [Run]
    let others: [Run]
    /// Offset of the newest commit record.
    let recordOffset: Int

    static let all: [SeedFile] = {
        let key = (0..<64).map { UInt8($0) }
        return SeedContents.allCases.flatMap { contents in
            [
                SeedFile(contents, Database.Options()),
                SeedFile(contents, Database.Options(pageSize: 8192)),
            ]
        } + [SeedFile(.types, Database.Options(encryptionKey: key))]
    }()

    private init(_ contents: SeedContents, _ options: Database.Options) {
        self.options = options
        do {
            bytes = try Self.make(contents, options)
            (header, recordOffset, nodes, others) = try Self.survey(bytes)
        } catch {
            fatalError("a seed cannot be made: \(error)")
        }
    }

    private static func make(_ contents: SeedContents, _ options: Database.Options) throws
        -> [UInt8]
    {
        let path = "/tmp/engine-fuzz-seed-\(getpid())"
        defer {
            unlink(path)
            unlink(path + ".lock")
        }
        do {
            let connection = try Connection(Database.open(path: path, options: options))
            try contents.fill(connection)
            guard try connection.verify() == [] else { fatalError("a seed is not sound") }
        }
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
        let count = bytes.withUnsafeMutableBytes {
            pread(descriptor, $0.baseAddress!, $0.count, 0)
        }
        guard count == bytes.count else { fatalError("a seed cannot be read") }
        return bytes
    }

    private static func survey(
        _ bytes: [UInt8]
    ) throws -> (FileHeader, recordOffset: Int, nodes: [Run], others: [Run]) {
        try bytes.withUnsafeBytes { image -> (FileHeader, Int, [Run], [Run]) in
            let header = try FileHeader(image, path: "")
            var newest: (sequence: UInt64, offset: Int) = (0, Int(FileHeader.slotsOffset))
            let first = Int(FileHeader.slotsOffset)
            let last = image.count - CommitRecord.size
            for offset in stride(from: first, through: last, by: CommitRecord.size) {
                let record = record(at: offset, image, header)
                if let record, record.sequence > newest.sequence {
                    newest = (record.sequence, offset)
                }
            }
            var (nodes, others): ([Run], [Run]) = ([], [])
            var page = Int(header.firstPage)
            while (page + 1) * header.pageSize <= image.count {
                let found = run(at: page, image, header)
                if let found {
                    let isNode = PageHeader(image.baseAddress! + found.start).kind == .node
                    if isNode { nodes.append(found) } else { others.append(found) }
                }
                page += found?.pageCount ?? 1
            }
            return (header, newest.offset, nodes, others)
        }
    }

    /// Returns the record at an offset, or nil if there is none.
    ///
    /// A record may be in a slot before the pages, in a slot of the extension, or in a block among
    /// the pages. All these are blocks of one size, and the record itself says where the extension
    /// is.
    static func record(
        at offset: Int, _ image: UnsafeRawBufferPointer, _ header: FileHeader
    ) -> CommitRecord? {
        let block = UInt64(offset / CommitRecord.size)
        let bytes = UnsafeRawBufferPointer(rebasing: image[offset..<offset + CommitRecord.size])
        let extensionPage = UInt64(
            littleEndian: bytes.loadUnaligned(fromByteOffset: 160, as: UInt64.self))
        let ring = header.ring.extended(at: extensionPage & 0xFFFF_FFFF, since: 1)
        let slots = (ring.front + ring.behind).filter { $0.block == block }
        for place in slots.map(RecordPlace.slot) + [.page(block)] {
            let record = CommitRecord(
                bytes, at: place, fileSeed: header.fileSeed, firstPage: header.firstPage,
                ring: header.ring)
            if let record { return record }
        }
        return nil
    }

    private static func run(
        at page: Int, _ image: UnsafeRawBufferPointer, _ header: FileHeader
    ) -> Run? {
        let start = page * header.pageSize
        let count = PageHeader(image.baseAddress! + start).pageCount
        guard count >= 1, start + count * header.pageSize <= image.count else { return nil }
        let run = UnsafeRawBufferPointer(rebasing: image[start..<start + count * header.pageSize])
        let isSealed = PageHeader.isSealed(
            run, pageNumber: UInt64(page), fileSeed: header.fileSeed)
        return isSealed ? Run(start: start, pageCount: count) : nil
    }
}
