import Foundation
import Testing

/// Tests `Benchmarks/ab`, which compares pipelines with and without optimisations that must change no picture.
///
/// The tests are written in Python like the benchmark.
@Suite(.serialized) struct ABBenchmarkTests {
    private let benchmark = Folders.package.appending(path: "Benchmarks/ab")

    @Test(arguments: [
        "equal_runs_rarely_differ", "three_percent_of_cpu_are_found", "five_milliseconds_are_found",
        "looking_after_each_pair_would_be_noticed",
    ])
    func instrumentFindsWhatIsPlantedAndNothingElse(claim: String) async throws {
        try await passes("test_instrument.py", "Instrument.test_\(claim)")
    }

    @Test(arguments: ["test_statistics.py", "test_session.py", "test_reports.py", "test_processes.py"])
    func statisticsSessionsAndProcesses(file: String) async throws { try await passes(file) }

    @Test(arguments: [
        "frames_are_bit_identical", "encoded_frames_are_bit_identical", "another_picture_is_noticed",
        "metadata_is_kept", "source_is_switched_in_mid_stream", "size_is_changed_in_mid_stream",
        "alerts_are_shown",
    ])
    func switchesChangeNothing(claim: String) async throws {
        try await passes("test_regression.py", "Regression.test_\(claim)")
    }

    /// Runs the command with a plan that takes seconds, including a planted delay, the statistics and all reports.
    @Test func commandFindsPlantedDelayAndWritesReports() async throws {
        let folder = Folders.fresh("ab")
        let report = folder.appending(path: "report.md")
        let arguments = [
            "fast", "--form", "tiny", "--folder", folder.appending(path: "results").path(percentEncoded: false),
            "--markdown", report.path(percentEncoded: false),
        ]
        let killed = try await Command.run(benchmark, arguments, interruptedAfter: "noise: 10 pairs")
        #expect(killed.output.contains("the same command continues"), "\(killed.output)")
        let command = try await Command.run(benchmark, arguments)
        #expect(command.succeeded, "\(command.output)")
        #expect(command.output.contains("delay: 10 pairs, age-p50 worse"), "\(command.output)")
        #expect(!command.output.contains("noise: 10 pairs"), "the pairs before the interruption are kept")
        let text = try String(contentsOf: report, encoding: .utf8)
        for heading in ["## tiny", "### The noise", "### Machine and versions", "SIMULATED"] {
            #expect(text.contains(heading), "\(heading)")
        }
        let page = try String(
            contentsOf: folder.appending(path: "results/report.html"), encoding: .utf8)
        #expect(page.contains("<svg") && !page.contains("http"))
    }

    @Test(arguments: [
        (["no-such-plan"], "cannot be read as a plan"), (["--form", "long"], "There is no form 'long'"),
    ])
    func mistakesAreNamed(arguments: [String], answer: String) async throws {
        let command = try await Command.run(benchmark, arguments)
        #expect(!command.succeeded && command.output.contains(answer), "\(command.output)")
    }

    private func passes(_ file: String, _ test: String = "") async throws {
        let program = Folders.package.appending(path: "Tests/AB/\(file)").path(percentEncoded: false)
        let plugins = Folders.package.appending(path: "out/plugin").path(percentEncoded: false)
        let command = try await Command.run(
            URL(filePath: "/usr/bin/python3"), [program] + (test.isEmpty ? [] : [test]),
            environment: ["GST_PLUGIN_PATH": plugins])
        #expect(command.succeeded && command.output.contains("\nOK"), "\(command.output)")
    }
}
