import StorageEngine

/// A mistake with its place in the input.
struct PlacedProblem: Error {
    let place: String
    let message: String

    init(place: String, message: String) {
        self.place = place
        self.message = message
    }

    /// - Parameters:
    ///   - line: that on which the record begins.
    ///   - column: the characters before the record on its line.
    init(
        _ problem: DataProblem, _ name: String, line: Int, column: Int = 0,
        record: UnsafeRawBufferPointer
    ) {
        message = problem.message
        guard let offset = problem.offset else {
            place = "\(name):\(line)"
            return
        }
        let found = RecordPlace.of(offset, in: record)
        let shift = found.line == 0 ? column : 0
        place = "\(name):\(line + found.line):\(shift + found.column)"
    }
}

extension StorageError {
    /// Whether the error is about the values of one record.
    var isOfRecord: Bool {
        switch code {
        case .valueTooLarge, .invalidArgument, .duplicateKey: true
        default: false
        }
    }
}

/// Places in a record, as users count them.
enum RecordPlace {
    static func lineBreaks(in bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        var previous: UInt8 = 0
        for byte in bytes {
            if byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") && previous != 0x0D {
                count += 1
            }
            previous = byte
        }
        return count
    }

    /// The line of a byte, counted from that of the record's beginning, and its column in
    /// characters, counted from 1.
    static func of(_ offset: Int, in record: UnsafeRawBufferPointer) -> (line: Int, column: Int) {
        let before = UnsafeRawBufferPointer(rebasing: record[..<min(offset, record.count)])
        let start = before.lastIndex { $0 == 0x0A || $0 == 0x0D }.map { $0 + 1 } ?? 0
        let text = String(decoding: before[start...], as: UTF8.self)
        return (lineBreaks(in: before), text.count + 1)
    }
}
