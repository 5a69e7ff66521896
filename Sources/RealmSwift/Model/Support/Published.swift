import StorageEngine
import Synchronization

/// A value that any number of threads read without a lock, and that is replaced under one.
///
/// A value that was replaced lives as long as this object, because a thread may be reading it. So
/// this is for values that are replaced a few times, such as tables that grow.
// Unchecked because of the values, which never change once they are here.
final class Published<Value>: @unchecked Sendable {
    private final class Box {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    /// The address of the newest box; 0 if there is none.
    private let newest = Atomic<UInt>(0)
    /// All boxes, the newest one last.
    private let boxes = Locked<[Box]>([])
    private let forkGeneration = System.forkGeneration

    /// Returns what `body` returns for the newest value; nil if there is none.
    func read<Result>(_ body: (Value) -> Result) -> Result? {
        guard let address = UnsafeRawPointer(bitPattern: newest.load(ordering: .acquiring)) else {
            return nil
        }
        return Unmanaged<Box>.fromOpaque(address)._withUnsafeGuaranteedRef { body($0.value) }
    }

    /// Replaces the value by what `body` returns for it, and returns the new one. If `body` returns
    /// nil, the value stays as it is. `body` must not use this object.
    ///
    /// Stops the program in a child that was forked since, where the lock may be held for ever.
    func update(_ body: (Value?) -> Value?) {
        if forkGeneration != System.forkGeneration {
            stop(
                "A frozen Realm was opened before this process was forked; open it again in the "
                    + "child process")
        }
        boxes.withLock { boxes in
            guard let value = body(boxes.last?.value) else { return }
            let box = Box(value)
            boxes.append(box)
            newest.store(
                UInt(bitPattern: Unmanaged.passUnretained(box).toOpaque()), ordering: .releasing)
        }
    }
}

extension Published {
    /// Returns the value of a key of a dictionary. `make` makes it if there is none, once.
    func value<Key: Hashable, Element>(
        forKey key: Key, orMake make: () -> Element
    ) -> Element where Value == [Key: Element] {
        if let known = read({ $0[key] }) ?? nil { return known }
        var result: Element?
        update { table in
            if let known = table?[key] {
                result = known
                return nil
            }
            let element = make()
            result = element
            var table = table ?? [:]
            table[key] = element
            return table
        }
        // The body of `update` has run, because it always does.
        return result.unsafelyUnwrapped
    }
}
