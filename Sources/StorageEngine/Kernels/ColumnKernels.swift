import CColumnKernels

/// The loops over packed columns, compiled for one level of processors.
///
/// `CColumnKernels` compiles the same loops several times, because the package as a whole is built
/// for the oldest processor of the architecture. The level is chosen once per process; tests use
/// every level that the processor has.
struct ColumnKernels: @unchecked Sendable {
    // Unchecked because of the pointer, which refers to a constant.
    let table: UnsafePointer<realm_column_kernels>

    /// The levels of this processor, from the lowest to the best.
    static let available: [ColumnKernels] = {
        var levels: [ColumnKernels] = []
        while let table = realm_column_kernels_at_level(UInt32(levels.count)) {
            levels.append(ColumnKernels(table: table))
        }
        return levels
    }()

    static let best = available[available.count - 1]

    var name: String { String(cString: table.pointee.name) }
}
