/// The contents of a checkpoint run: the whole map, or what happened since another checkpoint.
///
/// The first number is the page of that other one; for a whole map it is 0.
struct FreeSpaceCheckpoint {
    /// The version that wrote the run.
    let version: UInt64
    /// The checkpoint that this one continues; none for a whole map.
    let base: PageReference
    /// What follows after `base`.
    private let reader: VariableLengthIntegerReader

    /// Nil where the bytes, for which nobody vouches, are no checkpoint of that version.
    init?(_ contents: UnsafeRawBufferPointer, version: UInt64) {
        var reader = VariableLengthIntegerReader(contents)
        guard let page = reader.next() else { return nil }
        if page == 0 {
            base = .none
        } else {
            guard let age = reader.next(), age >= 1, age < version else { return nil }
            base = PageReference(page: page, birth: version - age)
        }
        self.version = version
        self.reader = reader
    }
}

// MARK: A whole map

extension FreeSpaceCheckpoint {
    /// The map as it will be once the open transaction and the open group are `version`; nil where
    /// a page is in two places: then the file is damaged.
    static func encode(_ space: FreeSpace, version: UInt64) -> [UInt8]? {
        var map = space
        map.finishTransaction(version: version)
        guard map.settlePending() else { return nil }
        var bytes: [UInt8] = []
        VariableLengthInteger.append(0, to: &bytes)
        VariableLengthInteger.append(map.pageCount, to: &bytes)
        VariableLengthInteger.append(map.livePages, to: &bytes)
        VariableLengthInteger.append(UInt64(map.free.extentCount), to: &bytes)
        ExtentCoding.append(map.free, to: &bytes)
        map.waiting.encode(to: &bytes)
        return bytes
    }

    /// The whole map; nil where it contradicts itself or the file.
    func map(firstPage: UInt64, maximumPageCount: UInt64) -> FreeSpace? {
        var reader = reader
        guard let pageCount = reader.next(), let livePages = reader.next(),
            let freeCount = reader.next(), pageCount >= firstPage, pageCount <= maximumPageCount
        else { return nil }
        let bounds = firstPage..<pageCount
        guard
            let free = ExtentCoding.decode(count: freeCount, within: bounds, from: &reader),
            let waiting = WaitingSpace(from: &reader, within: bounds, version: version)
        else { return nil }
        var map = FreeSpace(firstPage: firstPage, pageCount: firstPage)
        map.pageCount = pageCount
        map.livePages = livePages
        map.free = ExtentSet(ascending: free)
        map.waiting = waiting
        map.finishedPageCount = pageCount
        // Whoever knew is gone.
        map.uncutSince = version
        map.beginGroup(firstVersion: version + 1)
        return livePages <= pageCount && map.invariantsHold() ? map : nil
    }
}

// MARK: Steps

extension FreeSpaceCheckpoint {
    /// What happened since `base`.
    static func encode(
        _ steps: [FreeSpaceStep], since base: PageReference, version: UInt64
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        VariableLengthInteger.append(base.page, to: &bytes)
        VariableLengthInteger.append(version - base.birth, to: &bytes)
        VariableLengthInteger.append(UInt64(steps.count), to: &bytes)
        var previous = base.birth
        for step in steps {
            VariableLengthInteger.append(step.version - previous, to: &bytes)
            VariableLengthInteger.append(step.pageCount, to: &bytes)
            VariableLengthInteger.append(step.livePages, to: &bytes)
            VariableLengthInteger.append(step.log.extentCount, to: &bytes)
            step.log.append(freedBy: step.version, to: &bytes)
            previous = step.version
        }
        return bytes
    }

    /// The steps from `base` to this version; nil where they contradict themselves or the file.
    func steps(firstPage: UInt64, maximumPageCount: UInt64) -> [FreeSpaceStep]? {
        var reader = reader
        guard let count = reader.next(), count <= UInt64(reader.remaining) else { return nil }
        var steps: [FreeSpaceStep] = []
        var previous = base.birth
        for _ in 0..<count {
            guard let distance = reader.next(), distance >= 1, distance <= version - previous,
                let pageCount = reader.next(), pageCount >= firstPage,
                pageCount <= maximumPageCount,
                let livePages = reader.next(), livePages <= pageCount,
                let extentCount = reader.next(),
                let log = FreeSpaceLog(
                    count: extentCount, within: firstPage..<pageCount,
                    freedBy: previous + distance, from: &reader)
            else { return nil }
            previous += distance
            steps.append(
                FreeSpaceStep(
                    version: previous, pageCount: pageCount, livePages: livePages, log: log))
        }
        return previous == version ? steps : nil
    }
}
