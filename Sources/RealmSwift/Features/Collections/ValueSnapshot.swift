import StorageEngine

/// A snapshot of the values of a managed collection. Bytes are copied, because the engine's memory
/// can move with the next write.
final class ValueSnapshot {
    private enum Value {
        case scalar(Scalar)
        case bytes(Range<Int>)
    }
    private var values: ContiguousArray<Value> = []
    /// The concatenated bytes of all values that consist of bytes.
    private var bytes: ContiguousArray<UInt8> = []

    var count: Int { values.count }

    func append(_ scalar: Scalar) {
        if case .bytes(let new) = scalar {
            values.append(.bytes(bytes.count..<bytes.count + new.count))
            bytes.append(contentsOf: new)
        } else {
            values.append(.scalar(scalar))
        }
    }

    func decode<Element: RealmCollectionValue>(
        _ position: Int, as type: Element.Type
    ) -> Element {
        switch values[position] {
        case .scalar(let scalar): Element._decode(scalar, nil)
        case .bytes(let range):
            bytes.withUnsafeBytes {
                Element._decode(.bytes(UnsafeRawBufferPointer(rebasing: $0[range])), nil)
            }
        }
    }
}
