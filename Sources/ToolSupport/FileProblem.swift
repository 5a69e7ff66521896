import Foundation
import Glibc

extension Error {
    /// The cause of a failure of Foundation with a file, in the words of the system where it has
    /// one. Foundation's own words leave out which error it was.
    package var fileProblem: String {
        let error = self as NSError
        if error.domain == NSPOSIXErrorDomain {
            return String(cString: strerror(Int32(error.code)))
        }
        if let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError {
            return underlying.fileProblem
        }
        if error.domain == NSCocoaErrorDomain, error.code == CocoaError.fileWriteOutOfSpace.rawValue
        {
            return String(cString: strerror(ENOSPC))
        }
        return error.localizedDescription
    }
}
