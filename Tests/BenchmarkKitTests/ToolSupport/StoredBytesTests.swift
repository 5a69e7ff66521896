import Foundation
import Glibc
import Testing
import ToolSupport

@Suite struct StoredBytesTests {
    @Test func aFileCountsItsBytesAndNotItsHoles() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/file"
        try Data(repeating: 1, count: 10_000).write(to: URL(fileURLWithPath: path))
        try Data(repeating: 1, count: 5).write(to: URL(fileURLWithPath: path + "-wal"))
        #expect(storedBytes(at: path) == 10_005)
        #expect(storedBytes(at: folder.path) == 10_005)
        #expect(truncate(path, 1 << 30) == 0)
        #expect((10_005..<1 << 20).contains(storedBytes(at: path)))
        #expect(storedBytes(at: folder.path + "/nothing") == 0)
    }
}
