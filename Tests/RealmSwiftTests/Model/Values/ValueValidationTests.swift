import Foundation
import RealmSwift
import Testing

private class Values: Object {
    @Persisted var bool: Bool
    @Persisted var int: Int
    @Persisted var int8: Int8
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var decimal: Decimal128
    @Persisted var objectId: ObjectId
    @Persisted var uuid: UUID
    @Persisted var optionalInt: Int?
    @Persisted var optionalDecimal: Decimal128?
    @Persisted var optionalUUID: UUID?
    @Persisted var ints: List<Int>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Tests of values that an application gives by name: in dictionaries, in arrays, and by subscript.
@Suite struct ValueValidationTests {
    @Test func numbersFitWhereTheirValueDoes() {
        let object = Values(value: [
            "bool": NSNumber(value: 1), "int": NSNumber(value: 7), "int8": 127, "float": 1,
            "double": NSNumber(value: Float(0.5)), "decimal": 3, "optionalInt": Int8(4),
            "optionalDecimal": "2.50",
        ])
        #expect(object.bool && object.int == 7 && object.int8 == 127 && object.float == 1)
        #expect(object.double == 0.5 && object.decimal == 3 && object.optionalInt == 4)
        #expect(object.optionalDecimal == 2.5)
        object["double"] = 11
        object["float"] = 11.5
        object["decimal"] = NSNumber(value: 0.1)
        #expect(object.double == 11 && object.float == 11.5 && object.decimal == "0.1")
    }

    @Test func foundationTypesFit() {
        let (date, id) = (NSDate(), UUID())
        let object = Values(value: [
            "string": NSString("text"), "data": NSData(data: Data([1])), "date": date,
            "uuid": NSUUID(uuidString: id.uuidString) as Any, "optionalInt": NSNull(),
            "ints": NSArray(array: [1, 2]),
        ])
        #expect(object.string == "text" && object.data == Data([1]) && object.uuid == id)
        #expect(object.date == date as Date && object.optionalInt == nil)
        #expect(Array(object.ints) == [1, 2])
    }

    @Test func stringsFitIdentifiers() {
        let id = UUID()
        let object = Values(value: [
            "uuid": id.uuidString, "objectId": "507f1f77bcf86cd799439011",
            "optionalUUID": id.uuidString.lowercased(),
        ])
        #expect(object.uuid == id && object.optionalUUID == id)
        #expect(object.objectId == ObjectId("507f1f77bcf86cd799439011"))
    }

    @Test(arguments: [
        InvalidValue("bool", "invalid", "String", "bool"), InvalidValue("bool", 2, "Int", "bool"),
        InvalidValue("int", "invalid", "String", "int"), InvalidValue("int", 1.1, "Double", "int"),
        InvalidValue("int", true, "Bool", "int"), InvalidValue("int8", 128, "Int", "int"),
        InvalidValue("float", true, "Bool", "float"),
        InvalidValue("double", "1", "String", "double"),
        InvalidValue("double", false, "Bool", "double"),
        InvalidValue("string", 5, "Int", "string"), InvalidValue("data", "x", "String", "data"),
        InvalidValue("date", "x", "String", "date"),
        InvalidValue("decimal", "x", "String", "decimal128"),
        InvalidValue("decimal", true, "Bool", "decimal128"),
        InvalidValue("objectId", "x", "String", "object id"),
        InvalidValue("uuid", 123, "Int", "uuid"), InvalidValue("uuid", "x", "String", "uuid"),
        InvalidValue("optionalInt", "x", "String", "int?"),
        InvalidValue("optionalUUID", "x", "String", "uuid?"),
        InvalidValue("ints", 5, "Int", "array<int>"),
    ])
    func valuesThatDoNotFitAreRefused(_ value: InvalidValue) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [value = value as InvalidValue] in
            Values()[value.property] = value.value
        }
        expectStop(
            "Invalid value '\(value.text)' of type '\(value.typeName)' for "
                + "'\(value.propertyType)' property 'Values.\(value.property)'.", result)
    }

    @Test func nilDoesNotFitRequiredProperties() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Values(value: ["string": NSNull()]) }
        expectStop(
            "Invalid value '<null>' of type 'NSNull' for 'string' property 'Values.string'.", result
        )
    }
}

/// A property, and a value that it does not accept.
struct InvalidValue: Codable, Sendable, CustomTestStringConvertible {
    let property: String
    let json: String
    let typeName: String
    let propertyType: String

    init(_ property: String, _ value: any Encodable, _ typeName: String, _ propertyType: String) {
        self.property = property
        self.typeName = typeName
        self.propertyType = propertyType
        json = "\(value)"
    }

    var text: String { json }
    var testDescription: String { "\(property): \(json)" }

    /// The value in its Swift type, for the process that must stop.
    var value: Any {
        switch typeName {
        case "Int": Int(json) as Any
        case "Double": Double(json) as Any
        case "Bool": json == "true"
        default: json
        }
    }
}
