import StorageEngine
import Testing

@testable import RealmSwift

/// The types of the engine as the object layer answers for them.
@Suite struct ValueTypeTests {
    @Test(arguments: ValueType.allCases)
    func everyTypeThatIsStoredDirectlyHasASwiftType(_ type: ValueType) {
        #expect((type.scalarType != nil) == (type.traits.reference == .none))
        #expect(type.scalarType.map { $0._valueType == type } ?? true)
    }

    @Test(arguments: ValueType.allCases)
    func theDefaultOfEveryTypeSurvivesAMixedValue(_ type: ValueType) throws {
        if let swiftType = type.scalarType { try checkDefault(of: swiftType) }
    }

    private func checkDefault<Value: _PersistableScalar>(of type: Value.Type) throws {
        let value = type._makeDefault()
        let converted = AnyRealmValue._convertElement(value, .detached)
        let mixed = try #require(converted)
        #expect(AnyRealmValue._eraseElement(mixed) as? AnyHashable == AnyHashable(value))
        let copy = value._withScalar { scalar in
            MixedValue(scalar, storedAs: type._valueType).flatMap {
                AnyRealmValue(plain: $0)
            }
        }
        #expect(copy == mixed)
        #expect(copy?.hashValue == mixed.hashValue)
        #expect(mixed != AnyRealmValue.none)
    }

    /// The message names the type of every primary key, in its words.
    @Test func theMessageAboutPrimaryKeysNamesTheirTypes() {
        let names = PropertyType.namesOfPrimaryKeys.split(
            separator: "'", omittingEmptySubsequences: false
        )
        .enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        let types = ValueType.allCases.filter(\.traits.mayBePrimaryKey)
        func plain(_ text: some StringProtocol) -> String { text.lowercased().filter { $0 != " " } }
        #expect(Set(names.map { plain($0) }) == Set(types.map { plain($0.name) }))
    }
}
