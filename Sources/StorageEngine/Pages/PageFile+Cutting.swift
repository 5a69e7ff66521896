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

    /// Forgets the pages from `pageCount` on: none of them counts as checked any more, nothing is
    /// mapped there, and what was decrypted is gone.
    private func unmap(from pageCount: UInt64) {
        mappingLock.withLock { _ in
            let mapped = mappedPages
            guard mapped > pageCount else { return }
            mappedPageCount.storeRelease(pageCount)
            let (start, length) = (byteCount(pageCount), byteCount(mapped - pageCount))
            leavePlaces(from: pageCount, to: mapped) {
                for range in [ranges.file, ranges.decrypted].compactMap({ $0 }) {
                    // Where this fails, the old mapping stays until the file grows over it: nothing
                    // says that there is anything in it.
                    try? System.reserve(at: range + start, length: length)
                }
            }
        }
    }
}
