import Foundation
import Glibc
import Testing

import ToolSupport

@Suite struct TextFileTests {
    /// `--page` and its kin may name a pipe, or /dev/null, which must still be one afterwards.
    @Test func aPipeIsWrittenToAndNotReplaced() throws {
        let folder = try TemporaryFolder()
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        try TextFile.write("page", replacing: pipe)
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(read(reader, &bytes, 16) == 4)
        #expect(String(decoding: bytes[..<4], as: UTF8.self) == "page")
        var status = stat()
        #expect(stat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test func aFileIsReplacedAtOnce() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/page"
        try TextFile.write("one", replacing: file)
        let old = open(file, O_RDONLY)
        defer { close(old) }
        try TextFile.write("another", replacing: file)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "another")
        // Who has the old file open goes on reading it.
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(read(old, &bytes, 16) == 3)
    }
}
