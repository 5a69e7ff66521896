import StorageEngine

/// Reading in a write transaction that has failed.
///
/// Nothing stops the program because of the failure. Reads answer from the version that the
/// transaction was based on; so what the transaction has made is not there any more. Whoever still
/// refers to it finds *absent* values, which are no part of any version: an object that was added
/// reads as one of the defaults of its types, a collection as an empty one, a position that does not
/// exist any more as zero, nil, or such an object.
extension RealmInstance {
    /// Whether the open write transaction has failed, also where nobody was told of it yet.
    var isInFailedTransaction: Bool {
        if writeState.pointee == .open, let failure = connection.transactionFailure {
            fail(failure)
        }
        return hasFailed
    }

    /// Whether the open write transaction has failed, with this error at the latest.
    func hasFailed(with error: StorageError) -> Bool {
        if isInFailedTransaction { return true }
        guard isWriting, error.isFailureOfEnvironment else { return false }
        fail(error)
        return true
    }

    /// Reads on behalf of an interface that cannot throw, as `attempt` does. In a transaction that has
    /// failed, `absent` is what is read of things that it had made.
    @inline(__always)
    func read<Result>(
        absent: @autoclosure () -> Result, _ operation: () throws -> Result
    ) -> Result {
        do { return try operation() } catch {
            return readAgain(operation, after: error) ?? absent()
        }
    }

    @inline(never)
    private func readAgain<Result>(
        _ operation: () throws -> Result, after error: any Error
    ) -> Result? {
        guard let error = error as? StorageError, hasFailed(with: error) else { stop(error) }
        do { return try operation() } catch let error as StorageError {
            if error.isFailureOfEnvironment { stop(error) }
            return nil
        } catch {
            stop(error)
        }
    }
}

extension ManagedClass {
    /// The key of no object.
    static let absentKey: Int64 = -1
}

extension ManagedPlace {
    /// The element at a position that a failed transaction has taken away. Nil unless one has failed.
    func absentElement<Element: RealmCollectionValue>(of type: Element.Type) -> Element? {
        guard realm.isInFailedTransaction else { return nil }
        guard let target else { return Element._decode(.null, nil) }
        let source = _LinkSource(target: target, birth: realm.generation)
        return Element._decode(.integer(ManagedClass.absentKey), source)
    }
}
