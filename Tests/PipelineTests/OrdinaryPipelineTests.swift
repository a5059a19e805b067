import Foundation
import Testing

/// Tests of `Benchmarks/ordinary`, which compares the element in its default settings with `queue` in common
/// pipelines.
@Suite(.serialized) struct OrdinaryPipelineTests {
    private let benchmark = Folders.package.appending(path: "Benchmarks/ordinary")

    @Test func elementIsNoWorseThanTheBetterStockQueue() async throws {
        let command = try await Command.run(benchmark, ["--short"])
        for line in command.output.split(separator: "\n") where line.hasPrefix("FAILED") {
            Issue.record("\(line)")
        }
        // A row that cannot be played must fail the test.
        #expect(command.output.contains("14 rows played, 0 lost, 0 skipped"), "\(command.output)")
        #expect(command.succeeded)
    }

    /// The benchmark must detect a queue of one frame in front of a sink that waits for the clock.
    @Test func leakyQueueLosesFramesBeforeSynchronizingSink() async throws {
        let command = try await Command.run(
            benchmark,
            ["--short", "--rows", "sync-latency-200", "--element", "queue leaky=downstream max-size-buffers=1"])
        #expect(!command.succeeded)
        #expect(command.output.contains("FAILED sync-latency-200"), "\(command.output)")
    }

    /// A plain queue in front of a slow consumer keeps every frame, so the latency grows.
    @Test func plainQueueAddsLatencyBeforeSlowConsumer() async throws {
        let command = try await Command.run(
            benchmark, ["--short", "--rows", "slow-60-queue", "--element", "queue"])
        #expect(!command.succeeded)
        #expect(command.output.contains("FAILED slow-60-queue"), "\(command.output)")
    }

    @Test(arguments: [
        (["--element", "no-such-queue"], "There is no element no-such-queue."),
        (["--element", "queue no-such-property=1"], "is not an element with its properties"),
        (["--rows", "no-such-row"], "No row has such a name"),
    ])
    func mistakesAreNamed(arguments: [String], answer: String) async throws {
        let command = try await Command.run(benchmark, ["--short"] + arguments)
        #expect(!command.succeeded)
        #expect(command.output.contains(answer), "\(command.output)")
    }

    @Test func buildWithoutTheElementIsRefused() async throws {
        let folder = Folders.fresh("no plugin").path(percentEncoded: false)
        let command = try await Command.run(
            benchmark, ["--short", "--plugin-dir", folder],
            environment: ["GST_PLUGIN_PATH": "", "GST_PLUGIN_SYSTEM_PATH": ""])
        #expect(!command.succeeded)
        #expect(command.output.contains("There is no element backpressurequeue."), "\(command.output)")
    }
}
