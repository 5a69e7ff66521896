import ToolSupport

@testable import StorageEngine

/// A value of a node, as the oracle keeps it. Floating-point numbers are compared by bits, so that
/// NaNs are equal.
enum NodeValue: Equatable {
    case null
    case integer(Int64)
    case float(UInt32)
    case double(UInt64)
    case bytes([UInt8])
    case overflow(PageReference, Int)
    case fixed16([UInt8])
    case fixed12([UInt8])

    static func zero(_ kind: ColumnKind) -> NodeValue {
        switch kind {
        case .integer: .integer(0)
        case .float: .float(0)
        case .double: .double(0)
        case .bytes: .bytes([])
        case .fixed16: .fixed16([UInt8](repeating: 0, count: 16))
        case .fixed12: .fixed12([UInt8](repeating: 0, count: 12))
        }
    }

    static func random(_ kind: ColumnKind, _ r: inout SeededGenerator) -> NodeValue {
        switch kind {
        case .integer: .integer(randomInteger(&r))
        case .double: .double(randomDouble(&r).bitPattern)
        case .float:
            switch Int.random(in: 0..<12, using: &r) {
            case 0: .float(UInt32.random(in: 0...UInt32.max, using: &r))
            case 1: .float(Float(-0.0).bitPattern)
            case 2: .float(Float.random(in: -1...1, using: &r).bitPattern)
            default: .float(Float(Int.random(in: -50...50, using: &r)).bitPattern)
            }
        case .bytes:
            // Few are long, so that columns have packed ends for a while.
            switch Int.random(in: 0..<400, using: &r) {
            case 0, 1:
                .overflow(
                    PageReference(page: UInt64.random(in: 1..<1000, using: &r), birth: 7),
                    Int.random(in: 0..<1 << 20, using: &r))
            case 2: .bytes(randomBytes(Int.random(in: 30..<60, using: &r), &r))
            case 3...10: .bytes(randomBytes(Int.random(in: 12..<32, using: &r), &r))
            default: .bytes(randomBytes(Int.random(in: 0..<12, using: &r), &r))
            }
        case .fixed16: .fixed16(randomBytes(16, &r))
        case .fixed12: .fixed12(randomBytes(12, &r))
        }
    }

    static func randomInteger(_ r: inout SeededGenerator) -> Int64 {
        switch Int.random(in: 0..<40, using: &r) {
        case 0: [Int64.min, .max, 0, -1].randomElement(using: &r)!
        case 1: Int64.random(in: -70000...70000, using: &r)
        case 2: Int64.random(in: 0...5_000_000_000, using: &r)
        case 3...8: Int64.random(in: -100...100, using: &r)
        default: Int64.random(in: 0...2, using: &r)
        }
    }

    static func randomDouble(_ r: inout SeededGenerator) -> Double {
        switch Int.random(in: 0..<40, using: &r) {
        case 0: Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &r))
        case 1: [-0.0, .infinity, -.infinity, .nan, 0x1p53, 0x1p53 - 1].randomElement(using: &r)!
        case 2: Double.random(in: -10...10, using: &r)
        default: Double(Int.random(in: -1000...1000, using: &r))
        }
    }

    static func randomBytes(_ count: Int, _ r: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &r) }
    }
}

extension Node {
    func value(_ c: Int, _ row: Int) -> NodeValue {
        if isNull(c, row) { return .null }
        switch kind(c) {
        case .integer: return .integer(integer(c, row))
        case .float: return .float(float(c, row).bitPattern)
        case .double: return .double(double(c, row).bitPattern)
        case .bytes:
            if isOverflow(c, row) {
                let (reference, length) = overflowReference(c, row)
                return .overflow(reference, length)
            }
            return .bytes([UInt8](bytes(c, row)))
        case .fixed16:
            return .fixed16([UInt8](UnsafeRawBufferPointer(start: fixed16(c, row), count: 16)))
        case .fixed12:
            return .fixed12([UInt8](UnsafeRawBufferPointer(start: fixed12(c, row), count: 12)))
        }
    }

    func rows() -> [[NodeValue]] {
        (0..<rowCount).map { row in (0..<columnCount).map { value($0, row) } }
    }
}

extension MutableNode {
    static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        .allocate(byteCount: byteCount, alignment: 16)
    }

    static func make(
        _ kinds: [ColumnKind], byteCount: Int = 4096, model: Node? = nil
    ) -> MutableNode {
        let columns = kinds.enumerated().map {
            ColumnFormat(id: UInt16($0.offset + 1), kind: $0.element)
        }
        return format(
            allocate(byteCount), byteCount: byteCount, level: 0, treeID: 1, columns: columns,
            lowKey: 0, pageCount: max(1, byteCount / 4096), model: model)
    }

    func free() { base.deallocate() }

    func set(_ c: Int, _ row: Int, _ value: NodeValue) -> Bool {
        switch value {
        case .null: setNull(c, row, to: true)
        case .integer(let v): setInteger(c, row, to: v)
        case .float(let v): setFloat(c, row, to: Float(bitPattern: v))
        case .double(let v): setDouble(c, row, to: Double(bitPattern: v))
        case .bytes(let v): v.withUnsafeBytes { setBytes(c, row, to: $0, isOverflow: false) }
        case .overflow(let reference, let length):
            setOverflow(c, row, to: reference, length: length)
        case .fixed16(let v): v.withUnsafeBytes { setFixed16(c, row, to: $0.baseAddress!) }
        case .fixed12(let v): v.withUnsafeBytes { setFixed12(c, row, to: $0.baseAddress!) }
        }
    }
}
