import Testing

@testable import BenchmarkKit

@Suite struct ColumnCatalogueTests {
    /// The order of columns that readers of `summary.csv` rely on. New columns are only ever
    /// appended.
    static let contract = """
        schema_version,run_id,case_id,workload,strategy,engine,layer,durability,encrypted,\
        size_objects,threads,batch_size,seed,status,operations,elapsed_s,throughput_ops_per_s,\
        throughput_ci_low,throughput_ci_high,latency_p50_us,latency_p90_us,latency_p99_us,\
        latency_p999_us,latency_p9999_us,latency_max_us,queue_wait_p99_us,lock_wait_p99_us,\
        sync_p99_us,syncs_per_commit,bytes_written_per_commit,pages_written_per_commit,\
        write_amplification,file_bytes,live_bytes,space_amplification,allocations_per_op,\
        allocated_bytes_per_op,rss_peak_bytes,digest,sweep,deterministic,write_calls_per_commit,\
        page_faults,context_switches,threads_max,instructions,offered_ops_per_s,\
        latency_samples
        """

    @Test func theHeaderIsTheContract() {
        #expect(ColumnCatalogue.header.joined(separator: ",") == Self.contract)
    }

    @Test func everyRowHasAFieldForEveryColumn() {
        let fields = ColumnCatalogue.fields(
            of: CaseResult.empty(), context: RunContext(runIdentifier: "r"))
        #expect(fields.count == ColumnCatalogue.header.count)
    }

    @Test func whatWasNotMeasuredIsEmpty() {
        let fields = ColumnCatalogue.fields(
            of: CaseResult.empty(), context: RunContext(runIdentifier: "r"))
        let row = Dictionary(uniqueKeysWithValues: zip(ColumnCatalogue.header, fields))
        for column in ["latency_p50_us", "digest", "file_bytes", "syncs_per_commit", "batch_size"] {
            #expect(row[column] == "", "\(column)")
        }
        #expect(row["case_id"] == "sensors/batched/full/plain/50000/realm")
        #expect(row["encrypted"] == "false")
        #expect(row["status"] == "ok")
    }

    @Test func everyColumnAndMeasureIsExplainedOnce() {
        let names = ExplainCommand.meanings.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Set(MeasureCatalogue.all.map(\.name)).count == MeasureCatalogue.all.count)
        #expect(ExplainCommand.meanings.allSatisfy { $0.meaning.count > 10 })
    }

    @Test(
        arguments: [
            (nil, ""), (0, "0"), (1.5, "1.500"), (1234.56, "1234.6"), (0.000_1, "0.000100"),
            (-2.25, "-2.250"), (Double.nan, ""), (1_000_000, "1000000"), (0.999_999_9, "1.000000"),
        ] as [(Double?, String)])
    func decimalsHaveNoExponent(value: Double?, expected: String) {
        #expect(ColumnCatalogue.decimal(value) == expected)
    }
}
