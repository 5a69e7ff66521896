import Foundation
import RealmSwift
import Testing

private class Parcel: Object, Codable {
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var number: Double
    @Persisted var optionalData: Data?
    @Persisted var optionalDate: Date?
    @Persisted var link: URL?
    @Persisted var dataList: List<Data>
    @Persisted var dateList: List<Date?>
    @Persisted var dateSet: MutableSet<Date>
    @Persisted var dataMap: Map<String, Data>
    @Persisted var dateMap: Map<String, Date?>
    @Persisted var numbers: List<Double>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private let bytes = Data([1, 2, 255])
private let moment = Date(timeIntervalSince1970: 1_000_000_000)
private let isoMoment = "2001-09-09T01:46:40Z"

/// Tests that the strategies of a coder apply to the properties of model classes as to those of
/// other types.
@Suite struct CoderStrategyTests {
    private func parcel() -> Parcel {
        let parcel = Parcel()
        parcel.data = bytes
        parcel.date = moment
        parcel.optionalData = bytes
        parcel.optionalDate = moment
        parcel.link = URL(string: "https://example.com/a")
        parcel.dataList.append(bytes)
        parcel.dateList.append(objectsIn: [moment, nil])
        parcel.dateSet.insert(moment)
        parcel.dataMap["someKey"] = bytes
        parcel.dateMap["someKey"] = moment
        parcel.dateMap["none"] = .some(nil)
        return parcel
    }

    private func json(_ parcel: Parcel, _ encoder: JSONEncoder) throws -> [String: Any] {
        let data = try encoder.encode(parcel)
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private func expectSame(_ decoded: Parcel) {
        #expect(decoded.data == bytes && decoded.optionalData == bytes)
        #expect(decoded.date == moment && decoded.optionalDate == moment)
        #expect(decoded.link?.absoluteString == "https://example.com/a")
        #expect(Array(decoded.dataList) == [bytes] && Array(decoded.dateList) == [moment, nil])
        #expect(Array(decoded.dateSet) == [moment])
        #expect(decoded.dataMap["someKey"] == bytes && decoded.dateMap["someKey"] == moment)
        #expect(decoded.dateMap["none"] == .some(nil) && decoded.dateMap.count == 2)
    }

    @Test func dataIsBase64AndURLsAreStringsByDefault() throws {
        let encoded = try json(parcel(), JSONEncoder())
        #expect(encoded["data"] as? String == "AQL/")
        #expect(encoded["optionalData"] as? String == "AQL/")
        #expect(encoded["dataList"] as? [String] == ["AQL/"])
        #expect(encoded["dataMap"] as? [String: String] == ["someKey": "AQL/"])
        #expect(encoded["link"] as? String == "https://example.com/a")
        #expect(encoded["date"] as? Double == moment.timeIntervalSinceReferenceDate)
        expectSame(
            try JSONDecoder().decode(Parcel.self, from: JSONEncoder().encode(parcel())))
    }

    @Test func datesFollowTheStrategy() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let encoded = try json(parcel(), encoder)
        #expect(encoded["date"] as? String == isoMoment)
        #expect(encoded["optionalDate"] as? String == isoMoment)
        #expect((encoded["dateList"] as? [Any])?.first as? String == isoMoment)
        #expect(encoded["dateSet"] as? [String] == [isoMoment])
        #expect((encoded["dateMap"] as? [String: Any])?["someKey"] as? String == isoMoment)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        expectSame(try decoder.decode(Parcel.self, from: encoder.encode(parcel())))
    }

    @Test func customStrategiesAreAsked() throws {
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(data.map { String($0) }.joined(separator: "-"))
        }
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode("at \(Int(date.timeIntervalSince1970))")
        }
        let encoded = try json(parcel(), encoder)
        #expect(encoded["data"] as? String == "1-2-255")
        #expect(encoded["dataList"] as? [String] == ["1-2-255"])
        #expect(encoded["date"] as? String == "at 1000000000")
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            return Data(text.split(separator: "-").compactMap { UInt8($0) })
        }
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            return Date(timeIntervalSince1970: Double(text.dropFirst(3)) ?? 0)
        }
        expectSame(try decoder.decode(Parcel.self, from: encoder.encode(parcel())))
    }

    @Test func numbersThatAreNotFiniteFollowTheStrategy() throws {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        let parcel = parcel()
        parcel.number = .infinity
        parcel.numbers.append(objectsIn: [-.infinity, 1])
        let decoded = try decoder.decode(Parcel.self, from: encoder.encode(parcel))
        #expect(decoded.number == .infinity && Array(decoded.numbers) == [-.infinity, 1])
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(parcel) }
    }

    /// Keys of maps are data, like those of dictionaries, so the strategy does not apply.
    @Test func keysOfMapsStayAsTheyAre() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let encoded = try json(parcel(), encoder)
        #expect(encoded["optional_data"] as? String == "AQL/")
        #expect((encoded["data_map"] as? [String: String])?.keys.first == "someKey")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        expectSame(try decoder.decode(Parcel.self, from: encoder.encode(parcel())))
    }

    @Test func propertyListsHaveTheirOwnForms() throws {
        let data = try PropertyListEncoder().encode(parcelWithoutNull())
        let list = try PropertyListSerialization.propertyList(from: data, format: nil)
        #expect((list as? [String: Any])?["data"] as? Data == bytes)
        #expect((list as? [String: Any])?["date"] as? Date == moment)
        let decoded = try PropertyListDecoder().decode(Parcel.self, from: data)
        #expect(decoded.data == bytes && decoded.date == moment)
        #expect(Array(decoded.dataList) == [bytes] && decoded.dateMap["someKey"] == moment)
    }

    private func parcelWithoutNull() -> Parcel {
        let parcel = parcel()
        parcel.dateList.removeLast()
        parcel.dateMap.removeObject(for: "none")
        return parcel
    }
}
