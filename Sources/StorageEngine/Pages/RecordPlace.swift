/// The location of a commit record.
enum RecordPlace: Equatable, Sendable {
    /// In the ring (``CommitRing``).
    case slot(CommitSlot)
    /// Among the pages, directly after those that its commit wrote, so that both are one write to
    /// one place on the disk.
    case page(UInt64)

    var isPage: Bool { page != 0 }

    /// The page, or 0.
    var page: UInt64 {
        switch self {
        case .slot: 0
        case .page(let page): page
        }
    }
}

extension SealedPlace {
    static func record(_ place: RecordPlace) -> SealedPlace {
        switch place {
        case .slot(let slot): .recordInSlot(slot.number)
        case .page(let page): .recordInPage(page)
        }
    }
}
