import CCrypto
import Foundation
import ToolSupport

/// The cost of the cipher alone, as a control for encrypted files. No database is involved. The
/// result is verified by opening the sealed pages.
enum CipherWorkload {
    static let name = "cipher"
    static let workload = Workload(
        name: name,
        summary: "pages of 4 KiB through AES-256-GCM of libcrypto, without a database",
        strategies: [
            Workload.Strategy(
                name: "seal", summary: "encrypts and makes the tag", layer: "engine"),
            Workload.Strategy(
                name: "open", summary: "checks the tag and decrypts", layer: "engine"),
        ],
        // The number of pages, which together are larger than the processor's caches.
        defaultSize: 16_384, options: [.size, .seed], isDeterministic: Workload.never, body: run)

    static let pageSize = 4096
    private static let passes = 10

    private static func run(
        _ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment
    ) throws -> CaseOutcome {
        environment.progress(ProgressUpdate(phase: "running"))
        let pages = benchmarkCase.identifier.size
        let cipher = PageCipher(seed: benchmarkCase.options.seed, pages: pages)
        let seals = benchmarkCase.identifier.strategy == "seal"
        if !seals { try cipher.sealAll() }
        var timer = BatchTimer(batchSize: pages)
        for _ in 0..<passes {
            try seals ? cipher.sealAll() : cipher.openAll()
            timer.endBatch()
        }
        if seals { try cipher.openAll() }
        guard cipher.isRestored else {
            throw BenchmarkError(.caseFailed, "What was opened is not what was sealed.")
        }
        var result = CaseResult(benchmarkCase)
        timer.fill(&result)
        return CaseOutcome(results: [result], histograms: [.latency: timer.distribution])
    }
}

/// Pages of random bytes, each sealed separately under one key.
private final class PageCipher {
    private static let pageSize = CipherWorkload.pageSize
    private static let tagSize = 16

    private let pages: Int
    private let plain: [UInt8]
    private var sealed: [UInt8]
    private var tags: [UInt8]
    private var opened: [UInt8]
    private var key = [UInt8](repeating: 0, count: 32)
    private let context: OpaquePointer

    init(seed: UInt64, pages: Int) {
        self.pages = pages
        var generator = SeededGenerator(seed: seed)
        plain = (0..<pages * Self.pageSize).map { _ in UInt8(generator.next(below: 256)) }
        sealed = [UInt8](repeating: 0, count: plain.count)
        opened = sealed
        tags = [UInt8](repeating: 0, count: pages * Self.tagSize)
        for index in key.indices { key[index] = UInt8(generator.next(below: 256)) }
        context = EVP_CIPHER_CTX_new()
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    var isRestored: Bool { opened == plain }

    func sealAll() throws { try processAll(from: plain, into: \.sealed, sealing: true) }

    func openAll() throws { try processAll(from: sealed, into: \.opened, sealing: false) }

    private func processAll(
        from input: [UInt8], into output: ReferenceWritableKeyPath<PageCipher, [UInt8]>,
        sealing: Bool
    ) throws {
        guard EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, key, nil, sealing ? 1 : 0) == 1
        else { throw BenchmarkError(.caseFailed, "libcrypto offers no AES-256-GCM.") }
        let isDone = input.withUnsafeBufferPointer { input in
            self[keyPath: output].withUnsafeMutableBufferPointer { output in
                tags.withUnsafeMutableBufferPointer { tags in
                    (0..<pages).allSatisfy { page in
                        process(
                            page, input.baseAddress! + page * Self.pageSize,
                            output.baseAddress! + page * Self.pageSize,
                            tags.baseAddress! + page * Self.tagSize, sealing: sealing)
                    }
                }
            }
        }
        guard isDone else { throw BenchmarkError(.caseFailed, "libcrypto refused a page.") }
    }

    private func process(
        _ page: Int, _ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>,
        _ tag: UnsafeMutablePointer<UInt8>, sealing: Bool
    ) -> Bool {
        var nonce: (UInt64, UInt32) = (UInt64(page).littleEndian, 0)
        let isReady = withUnsafeBytes(of: &nonce) {
            EVP_CipherInit_ex(
                context, nil, nil, nil, $0.baseAddress!.assumingMemoryBound(to: UInt8.self),
                sealing ? 1 : 0) == 1
        }
        var count: Int32 = 0
        guard isReady,
            EVP_CipherUpdate(context, output, &count, input, Int32(Self.pageSize)) == 1,
            sealing
                || EVP_CIPHER_CTX_ctrl(
                    context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagSize), tag) == 1,
            EVP_CipherFinal_ex(context, output + Int(count), &count) == 1
        else { return false }
        return !sealing
            || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagSize), tag) == 1
    }
}
