/// Making the file shorter.
extension PageFile {
    /// Cuts the file behind `pageCount` pages, if it is longer, and gives back the memory of what
    /// was there, decrypted copies included.
    ///
    /// Only with the write lock, when no version that anybody may read has more pages: see
    /// ``WriterState``.
    func cut(to pageCount: UInt64) throws(StorageError) {
        unmap(from: pageCount)
        guard try size() > offset(of: pageCount) else { return }
        do throws(SystemFailure) {
            try System.truncate(descriptor, to: offset(of: pageCount))
        } catch {
            throw failure(error, .resize)
        }
    }
}
