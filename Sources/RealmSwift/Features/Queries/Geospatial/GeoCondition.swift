import StorageEngine

/// A test of whether linked places are in a region.
struct GeoCondition {
    private let region: _GeoRegion
    private let typeColumn: Int
    private let coordinatesColumn: Int
    private let name: String

    /// Creates a test for a property.
    ///
    /// - Parameters:
    ///   - shape: The region.
    ///   - property: The property that links to the places.
    ///   - places: The class of the places.
    ///   - path: The name of the property in the predicate.
    /// - Throws: ``InvalidRegion`` if the region is invalid, or the property does not link to
    ///   places.
    init(
        _ shape: any RLMGeospatial, _ property: PropertyModel, leadsTo places: ManagedClass,
        path: String
    ) throws {
        guard property.shape.type == .embedded else {
            throw InvalidRegion(
                "A GEOWITHIN query can only operate on a link to an embedded class but "
                    + "'\(places.model.name)' is at the top level")
        }
        name = "\(path) GEOWITHIN \(shape)"
        guard
            let type = places.column(of: "type", .string, collection: .none),
            let coordinates = places.column(of: "coordinates", .double, collection: .list)
        else {
            throw InvalidRegion(
                "Query '\(name)' links to data in the wrong format for a geoWithin query")
        }
        typeColumn = type
        coordinatesColumn = coordinates
        do {
            region = try shape._region
        } catch let error as InvalidRegion {
            throw InvalidRegion(
                "Invalid region in GEOWITHIN query for parameter '\(shape)': '\(error.reason)'")
        }
    }

    /// The condition on an object that stores coordinates.
    var condition: QueryCondition {
        .object(name: name) { table, key throws(StorageError) in
            try place(key, table).map(region.contains) ?? false
        }
    }

    /// Returns the point of an object; nil if it does not store a valid point.
    private func place(_ key: ObjectKey, _ table: Table) throws(StorageError) -> GeoPoint? {
        guard case .bytes(let type) = try table.value(typeColumn, of: key),
            type.elementsEqual("Point".utf8)
        else { return nil }
        let coordinates = table.list(coordinatesColumn, of: key)
        // The coordinates are longitude, latitude and optionally altitude, which is ignored.
        guard case .double(let longitude)? = try coordinates.value(ifAt: 0),
            case .double(let latitude)? = try coordinates.value(ifAt: 1)
        else { return nil }
        return GeoPoint(latitude: latitude, longitude: longitude)
    }
}

extension ManagedClass {
    /// Returns the column of a property; nil if the property does not have the given type.
    fileprivate func column(
        of name: String, _ type: ValueType, collection: CollectionKind
    ) -> Int? {
        model.properties.firstIndex {
            $0.name == name && $0.shape.type == type && $0.shape.collection == collection
        }.map { columns[$0] }
    }
}
