import Foundation
import Testing

/// Tests the cost of `perfmonitor` and the accuracy of its figures.
@Suite(.serialized) struct MonitorBenchmarkTests {
    private let benchmark = Folders.package.appending(path: "Benchmarks/monitor")

    @Test func monitorCostsLessThanHalfOfTheLatencyTracer() async throws {
        let command = try await run(["--parts", "cost"])
        #expect(command.output.contains("4 rows, 0 failed"), "\(command.output)")
        #expect(command.succeeded)
    }

    @Test func measuredAgesMatchTimesInThePictures() async throws {
        let command = try await run(["--parts", "truth"])
        #expect(command.output.contains("2 rows, 0 failed"), "\(command.output)")
        #expect(command.succeeded)
    }

    @Test func allOutputsUseLittleCPUTime() async throws {
        let command = try await run(["--parts", "run"])
        #expect(command.output.contains("8 rows, 0 failed"), "\(command.output)")
        #expect(command.succeeded)
    }

    /// A part of the benchmark must fail if the figures that the part checks are missing.
    ///
    /// Then the costs with and without the monitor differ by noise only, so either limit of the cost may be missed.
    @Test(arguments: [
        ("cost", "FAILED (disabled, )?perfmonitor takes "), ("truth", "coverage 0[.]0%, 180 of 180 frames read"),
        ("run", "FAILED run: the dashboard sends nothing"),
    ])
    func aMonitorThatIsDisabledFailsEachPart(part: String, failure: String) async throws {
        let command = try await run(["--disabled", "--parts", part])
        #expect(try !command.succeeded && command.output.contains(Regex(failure)), "\(command.output)")
    }

    @Test(arguments: [
        (["--parts", "no-such-part"], "There is no part no-such-part"),
        (["--rows", "no-such-row", "--parts", "truth"], "0 rows, 0 failed"),
    ])
    func mistakesAreNamed(arguments: [String], answer: String) async throws {
        let command = try await run(arguments)
        #expect(!command.succeeded)
        #expect(command.output.contains(answer), "\(command.output)")
    }

    @Test func buildWithoutTheElementIsRefused() async throws {
        let folder = Folders.fresh("no monitor").path(percentEncoded: false)
        let command = try await run(
            ["--plugin-dir", folder], environment: ["GST_PLUGIN_PATH": "", "GST_PLUGIN_SYSTEM_PATH": ""])
        #expect(!command.succeeded)
        #expect(command.output.contains("There is no element perfmonitor."), "\(command.output)")
    }

    private func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Command {
        try await Command.run(
            benchmark, ["--short"] + arguments, environment: environment)
    }
}
