import StorageEngine

/// The rules for reads in a failed write transaction.
///
/// The failure does not stop the program. Reads see the version that the transaction was based on,
/// so everything created in the transaction is gone. A remaining reference to such an object or
/// position reads *absent* values, which belong to no version: an added object reads as an object
/// with the defaults of its types, a collection as an empty one, and a position that no longer
/// exists as zero, nil or such an object.
extension RealmInstance {
    /// Whether the open write transaction has failed, including a failure that was not reported
    /// yet.
    var isInFailedTransaction: Bool {
        if writeState.pointee == .open, let failure = connection.transactionFailure {
            fail(failure)
        }
        return hasFailed
    }

    /// Returns whether the open write transaction has failed. `error` itself can be the failure, in
    /// which case the transaction is marked as failed.
    func hasFailed(with error: StorageError) -> Bool {
        if isInFailedTransaction { return true }
        guard isWriting, error.isFailureOfEnvironment else { return false }
        fail(error)
        return true
    }

    /// Reads for an interface that cannot throw, as `attempt` does. `absent` is the result for data
    /// that a failed transaction had created.
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
    /// A key that no object has.
    static let absentKey: Int64 = -1
}

extension ManagedPlace {
    /// Returns the substitute for an element at a position that a failed transaction removed; nil
    /// if no transaction has failed.
    func absentElement<Element: RealmCollectionValue>(of type: Element.Type) -> Element? {
        guard realm.isInFailedTransaction else { return nil }
        guard let target else { return Element._decode(.null, nil) }
        let source = _LinkSource(target: target, birth: realm.generation)
        return Element._decode(.integer(ManagedClass.absentKey), source)
    }
}
