import StorageEngine
import StressModel

/// What a file's header says, read without the engine.
struct HeaderFields {
    let formatVersion: Int
    /// Number of commit slots in front of the pages.
    let slotsInFront: Int

    /// The bytes before the first page: header, marker and slots.
    var headBytes: Int { (2 + slotsInFront) * 4096 }

    /// - Parameter file: the contents of a file. Zeros, if it has no header yet.
    init(of file: [UInt8]) {
        func field(_ offset: Int) -> Int {
            if file.count < offset + 4 { return 0 }
            let value = file.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            }
            return Int(UInt32(littleEndian: value))
        }
        formatVersion = field(8)
        slotsInFront = field(16)
    }

    /// Checks that the header names the present format if anything was committed since the file was
    /// prepared. Otherwise an older version of this library would open what it cannot read.
    ///
    /// - Parameter found: the number of transactions that it holds.
    func checkUpgrade(_ found: Int, prepared: Int) throws(Finding) {
        let present = Int(Database.Options.formatVersions.upperBound)
        if found > prepared, formatVersion != present {
            throw Finding(
                .wrongState,
                "the file holds \(found) transactions, \(found - prepared) of them of format "
                    + "\(present), and its header says format \(formatVersion).")
        }
    }
}
