import Foundation
import StorageEngine

// The model of a class as described by its table, without a Swift class and therefore without
// storage in the object. The offset of a property is only a number that identifies the column.
// Types that would store a value in the object have a form of their own (`DynamicCollection`).

extension ClassModel {
    /// Creates the class of ``DynamicObject``s of a table. If there is a Swift class, it provides
    /// the names of the properties, which can differ from the names of their columns.
    convenience init(dynamic definition: TableDefinition, named known: ClassModel?) {
        let names = Dictionary(
            (known?.properties ?? []).map { ($0.columnName, $0.name) },
            uniquingKeysWith: { first, _ in first })
        self.init(
            DynamicObject.self, name: definition.name,
            properties: definition.columns.enumerated().map { position, column in
                PropertyModel(
                    dynamic: column, named: names[column.name] ?? column.name,
                    // Columns are found by half the offset.
                    offset: position * 2)
            },
            isEmbedded: definition.isEmbedded, hasStorage: false, hasOtherState: false)
    }
}

extension PropertyModel {
    fileprivate init(dynamic column: ColumnDefinition, named name: String, offset: Int) {
        let valueType = column.dynamicValueType
        var shape = valueType._shape
        shape.type = column.type
        self.init(
            name: name, columnName: column.name, offset: offset,
            wrapper: valueType.dynamicWrapper, valueType: valueType, shape: shape,
            isPrimaryKey: column.isPrimaryKey, isIndexed: column.isIndexed,
            linkedClassName: column.linkTarget)
    }
}

extension ColumnDefinition {
    /// The Swift type in which values of the column are read and written.
    fileprivate var dynamicValueType: any _Persistable.Type {
        switch type.traits.reference {
        case .none:
            guard let type = type.scalarType else { stop("'\(type.name)' has no Swift type.") }
            return form(type)
        case .key, .ownedKey: return linkForm
        case .mixed:
            return collection == .none ? AnyRealmValue.self : collectionForm(AnyRealmValue.self)
        case .typedLink: stop("There are no properties of type '\(type.name)'.")
        }
    }

    private func form<Value: _PersistableScalar>(_ type: Value.Type) -> any _Persistable.Type {
        switch (collection, isOptional) {
        case (.none, false): Value.self
        case (.none, true): Value?.self
        case (_, false): collectionForm(Value.self)
        case (_, true): collectionForm(Value?.self)
        }
    }

    private var linkForm: any _Persistable.Type {
        switch collection {
        case .none: DynamicObject?.self
        case .list, .set: collectionForm(DynamicObject.self)
        case .map: collectionForm(DynamicObject?.self)
        }
    }

    private func collectionForm<Element: RealmCollectionValue>(
        _ type: Element.Type
    ) -> any _Persistable.Type {
        switch collection {
        case .list, .none: DynamicCollection<List<Element>>.self
        case .set: DynamicCollection<MutableSet<Element>>.self
        case .map: DynamicCollection<Map<String, Element>>.self
        }
    }
}

/// A collection in a class without storage. Each read creates it anew, because the object has no
/// place to keep it.
struct DynamicCollection<Collection: _PersistableCollection>: _Persistable {
    typealias PersistedType = Collection.PersistedType
    let collection: Collection

    static var _shape: _PropertyShape { Collection._shape }

    static func _makeDefault() -> Self { Self(collection: Collection()) }

    static func _get(_ object: ObjectBase, _ offset: Int) -> Self {
        object._requireAlive()
        let column = Int(object._column(offset).index)
        return Self(collection: Collection(_of: object, column: column))
    }

    static func _set(_ value: Self, _ object: ObjectBase, at offset: Int) {
        Collection._assignElements(of: value.collection, to: _get(object, offset).collection)
    }

    static func _gather(_ storage: UnsafeMutableRawPointer, _ scratch: _Scratch) -> Scalar {
        .null
    }

    static func _convert(_ value: Any?, _ conversion: _ValueConversion) -> Self? {
        guard let collection = Collection._convert(value, conversion) else { return nil }
        return Self(collection: collection)
    }

    static func _erase(_ value: Self) -> Any? { Collection._erase(value.collection) }
}

extension RealmCollectionValue {
    // The types of collections of this element type that dynamic access uses for writing.
    static var listType: any _Persistable.Type { DynamicCollection<List<Self>>.self }
    static var setType: any _Persistable.Type { DynamicCollection<MutableSet<Self>>.self }
    static var mapType: any _Persistable.Type { DynamicCollection<Map<String, Self>>.self }
}
