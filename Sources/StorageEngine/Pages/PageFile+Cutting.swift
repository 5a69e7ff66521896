/// Making the file shorter.
extension PageFile {
    /// Truncates the file to `pageCount` pages, if it is longer, and releases the memory of the
    /// pages behind, including decrypted copies.
    ///
    /// Requires the write lock, and that no version that anyone may read has more pages: see
    /// ``FreeMap``.
    func cut(to pageCount: UInt64) throws(StorageError) {
        // Unmapped first, so that no mapping ever extends behind the end of the file.
        unmap(from: pageCount)
        guard try size() > offset(of: pageCount) else { return }
        do throws(SystemFailure) {
            try System.truncate(descriptor, to: offset(of: pageCount))
        } catch {
            throw failure(error, .resize)
        }
    }
}
