import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct SuiteFormatTests {
    /// Returns the message of the error that loading a suite ends with.
    private func message(_ text: String) throws -> String {
        let folder = try TemporaryFolder()
        let file = folder.path + "/suite.json"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let error = #expect(throws: BenchmarkError.self, "\(text)") {
            try BenchmarkKit.Suite.load(file).expanded(overriding: OptionOverrides())
        }
        #expect(error?.code == .usage)
        return error?.message ?? ""
    }

    @Test(arguments: [
        (#""name": "test-shop""#, #""nmae": "test-shop""#, "'nmae' is no key of model 1."),
        (#""objects": 40"#, #""objcts": 40"#, "'objcts' is no key of class 1 of model 1. Did you"),
        (
            #""nulls": 0.1"#, #""nuls": 0.1"#,
            "'nuls' is no key of property 2 of class 2 of model 1. Did you mean nulls"
        ),
        (
            #""share": 20"#, #""shares": 20"#,
            "'shares' is no key of operation 2 of model 1. Did you mean share?"
        ),
        (#""type": "float""#, #""type": "flaot""#, "models[1].classes[2].properties[3].type"),
        (#""objects": 40"#, #""objects": -1"#, "'objects' of the class 'Customer' of the model"),
        (
            #""range": [18, 99]"#, #""range": [99, 18]"#,
            "property 'age' of the class 'Customer' of the model 'test-shop': 'range' is a list"
        ),
        (#""range": [18, 99]"#, #""length": [1, 2]"#, "'length' has no effect for the type 'int'."),
        (#""distinct": 5, "#, "", "'distribution' has no effect without 'distinct'."),
        (#""length": [6, 6]"#, #""nulls": 0.5"#, "'nulls' has no effect of a primary key."),
        (#""type": "bool""#, #""type": "data", "indexed": true"#, "'data' cannot be indexed."),
        (
            #""target": "Customer""#, #""target": "Custmer""#,
            "There is no earlier class named 'Custmer'. Did you mean Customer?"
        ),
        (
            #""delete", "class": "Order""#, #""delete", "class": "Customer""#,
            "its target 'Customer' must not be deleted from"
        ),
        (#""class": "Note", "share": 3"#, #""class": "Nte", "share": 3"#, "Did you mean Note?"),
        (#"["age", "photo"]"#, #"["id"]"#, "the primary key 'id' cannot be updated."),
        (#"["age", "photo"]"#, #"["agee"]"#, "no property of 'Customer' named 'agee'."),
        (#""share": 20"#, #""share": 0"#, "operation 2 of the model 'test-shop': 'share' must be"),
        (#""name": "test-shop""#, #""name": "commit""#, "there is another workload named 'commit'"),
        (#""name": "test-shop""#, #""name": "Shop""#, "'Shop' cannot be the name of a model"),
        (#""count": 500"#, #""observers": 5"#, "'observers' has no effect."),
    ])
    func mistakesAreNamedWithTheirPlace(part: String, mistake: String, says: String) throws {
        let text = shopSuite.replacing(part, with: mistake, maxReplacements: 1)
        #expect(text != shopSuite)
        let message = try message(text)
        #expect(message.contains(says), "\(message)")
    }

    @Test func theSchemaHasTheKeysThatAreRead() throws {
        let schema = try #require(
            try JSONSerialization.jsonObject(with: Data(SuiteFormat.schema().utf8))
                as? [String: Any])
        let parts = try #require(schema["$defs"] as? [String: [String: Any]])
        func keys(_ part: [String: Any]?) -> Set<String> {
            Set((part?["properties"] as? [String: Any])?.keys.map { $0 } ?? [])
        }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        func written(_ value: some Encodable) throws -> Set<String> {
            let object = try JSONSerialization.jsonObject(with: encoder.encode(value))
            return Set(try #require(object as? [String: Any]).keys)
        }
        let property = ModelDescription.Property(
            name: "", type: .int, primaryKey: true, indexed: true, nulls: 0, range: [],
            length: [], distinct: 1, distribution: .uniform, target: "")
        let operation = ModelDescription.Operation(
            do: .read, class: "", share: 1, properties: [], choice: .uniform)
        let own = ModelDescription.ModelClass(name: "", objects: 1, properties: [])
        let model = ModelDescription(name: "", summary: "", classes: [], operations: [])
        let entry = BenchmarkKit.Suite.Entry(
            workload: "", strategies: [], engines: [], durabilities: [], encrypted: [], size: 1,
            seconds: 1, count: 1, sensors: 1, batchSize: 1, threads: 1, payload: 1, rate: 1,
            observers: 1, changes: 1, warmup: 1, input: "")
        let suite = BenchmarkKit.Suite(name: "", description: "", models: [], cases: [])
        #expect(try keys(parts["property"]) == written(property))
        #expect(try keys(parts["operation"]) == written(operation))
        #expect(try keys(parts["class"]) == written(own))
        #expect(try keys(parts["model"]) == written(model))
        #expect(try keys(parts["case"]) == written(entry))
        #expect(try keys(schema) == written(suite))
        #expect(schema["additionalProperties"] as? Bool == false)
    }
}
