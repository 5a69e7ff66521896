/// The contents of a checkpoint run: either the whole map, or the steps since another checkpoint.
///
/// The first number is the page of that other checkpoint, or 0 for a whole map.
struct FreeSpaceCheckpoint {
    /// The version that wrote the run.
    let version: UInt64
    /// The checkpoint that this one continues; `.none` for a whole map.
    let base: PageReference
    /// The bytes that follow `base`.
    private let reader: VariableLengthIntegerReader

    /// Parses the beginning of a checkpoint. Returns nil if the bytes, which are not trusted, are
    /// no checkpoint of this version.
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
    /// Encodes the map as it will be once the open transaction and the open group have become
    /// `version`. Returns nil if a page is in two places; the file is then damaged.
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

    /// Decodes the whole map. Returns nil if it contradicts itself or the file.
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
        // The version that really shortened the file last is not stored, so assume the newest
        // possible.
        map.uncutSince = version
        map.beginGroup(firstVersion: version + 1)
        return livePages <= pageCount && map.invariantsHold() ? map : nil
    }
}

// MARK: Steps

extension FreeSpaceCheckpoint {
    /// Encodes the steps since `base`.
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

    /// Decodes the steps from `base` to this version. Returns nil if they contradict themselves or
    /// the file.
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
