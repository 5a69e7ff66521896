import Foundation
import RealmSwift

// Model classes that several tests share. Invalid models, and classes of a single test, are
// declared beside their tests and left out of the default schema.

class Person: Object {
    @Persisted var name: String
    @Persisted var birthdate = Date(timeIntervalSinceReferenceDate: 0)
    @Persisted var age = 0
}

class Dog: Object {
    @Persisted var name: String
    @Persisted var owner: Owner?
}

class Owner: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var dogs: List<Dog>
    @Persisted var nicknames: List<String>
    @Persisted var best: Dog?
}

class Keyed: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text = "none"
    @Persisted var number: Int?
    @Persisted var next: Keyed?
}

class Everything: Object {
    @Persisted var bool: Bool
    @Persisted var int: Int
    @Persisted var int8: Int8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var int64: Int64
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var uuid: UUID
    @Persisted var optionalBool: Bool?
    @Persisted var optionalInt: Int?
    @Persisted var optionalInt8: Int8?
    @Persisted var optionalFloat: Float?
    @Persisted var optionalDouble: Double?
    @Persisted var optionalString: String?
    @Persisted var optionalData: Data?
    @Persisted var optionalDate: Date?
    @Persisted var optionalUUID: UUID?
    @Persisted var link: Everything?
    @Persisted var ints: List<Int>
    @Persisted var optionalStrings: List<String?>
    @Persisted var dates: List<Date>
}
