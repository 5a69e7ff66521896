import StorageEngine

extension ConstantResolution {
    /// Returns the condition that a place is in a region.
    func within(_ shape: any RLMGeospatial) throws -> QueryCondition {
        guard comparison.operation == .isIn, path.operation == nil,
            case .property(let property, let column) = path.end, property.shape.isLink
        else { throw uncomparable(shape) }
        let places = path.last.linkTarget(column: column)
        do {
            let isWithin = try GeoCondition(shape, property, leadsTo: places, path: path.text)
                .condition
            return path.through(.link(column: column, isWithin))
        } catch let error as InvalidRegion {
            throw self.error(error.reason)
        }
    }
}
