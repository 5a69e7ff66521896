import StorageEngine
import StressModel
import Testing

@testable import StressKit

@Suite struct HostileFileTests {
    private let folder: ScratchFolder
    private let trial: Trial
    private let point = StressPoint("hostile-files", "bytes").with("transactions", 6)

    init() throws {
        folder = try ScratchFolder()
        trial = Trial(directory: folder.path, secondsLeft: 60)
    }

    @Test(arguments: [
        FileDamage.flip(17, mask: 255), .cut(8192), .copy(from: 70, to: 81), .older(3), .zero(0),
        .zeros,
    ])
    func damagesAreWrittenAsTheyAreRead(damage: FileDamage) {
        #expect(FileDamage(damage.description) == damage)
    }

    @Test(arguments: ["flip:1", "flip:1:256", "cut", "copy:1", "older:x", "zero:-1", "nothing", ""])
    func otherTextsAreNoDamage(text: String) {
        #expect(FileDamage(text) == nil)
    }

    @Test func aDamageChangesItsPlaceOnly() {
        let bytes = (0..<3 * 4096).map { UInt8(truncatingIfNeeded: $0 / 4096 + 1) }
        let earlier = [UInt8](repeating: 9, count: 2 * 4096)
        func changed(_ damage: FileDamage) -> [Int] {
            let damaged = damage.applied(to: bytes, earlier: earlier)
            #expect(damaged.count == bytes.count)
            return bytes.indices.filter { bytes[$0] != damaged[$0] }
        }
        #expect(changed(.flip(5000, mask: 1)) == [5000])
        #expect(changed(.copy(from: 0, to: 2)) == Array(8192..<12288))
        #expect(changed(.older(1)) == Array(4096..<8192))
        #expect(changed(.zero(0)) == Array(0..<4096))
        #expect(changed(.zeros) == Array(bytes.indices))
        #expect(FileDamage.cut(100).applied(to: bytes, earlier: earlier) == Array(bytes[..<100]))
        #expect(!FileDamage.older(2).isPossible(in: bytes, earlier: earlier))
        #expect(!FileDamage.flip(12288, mask: 1).isPossible(in: bytes, earlier: earlier))
        #expect(!FileDamage.copy(from: 0, to: 3).isPossible(in: bytes, earlier: earlier))
    }

    /// The unchanged file passes. If the contents of another file are in its place, the judge must
    /// report them, whatever damage is named.
    @Test func whatIsReadWrongIsFound() throws {
        let file = try HostileFile(point, trial)
        let path = trial.file("judged")
        try trial.write(file.bytes, to: path)
        #expect(try file.judge(.flip(0, mask: 1), at: path))
        try trial.write(file.earlier, to: path)
        #expect {
            try file.judge(.flip(0, mask: 1), at: path)
        } throws: { ($0 as? Finding)?.kind == .lostCommit }
        let other = try HostileFile(point.with("seed", 99), trial)
        try trial.write(other.bytes, to: path)
        #expect {
            try file.judge(.flip(0, mask: 1), at: path)
        } throws: { ($0 as? Finding)?.kind == .wrongState }
    }

    @Test func anErrorThatSaysSomethingElseIsFound() throws {
        let file = try HostileFile(point, trial)
        // A folder cannot be opened as a file.
        #expect {
            try file.judge(.zeros, at: folder.path)
        } throws: { ($0 as? Finding)?.kind == .wrongError }
    }

    @Test func aDamagedPageIsReported() throws {
        let file = try HostileFile(point, trial)
        let path = trial.file("judged")
        let damage = FileDamage.zero(0)
        try trial.write(damage.applied(to: file.bytes, earlier: file.earlier), to: path)
        #expect(try !file.judge(damage, at: path))
    }

    @Test func sixtyFourTurnsTryEveryByteOfAFile() {
        let layer = HostileFilesLayer()
        let points = (0..<128).flatMap { layer.points(round: $0, seed: 5) }
            .filter { $0.scenario == "bytes" && $0["file"] == "plain" }
        #expect(Set(points.compactMap { $0["slice"] }).count == 64)
        #expect(Set(points.compactMap { $0["seed"] }) == ["5"])
    }
}
