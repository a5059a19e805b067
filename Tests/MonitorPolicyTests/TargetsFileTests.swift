import Foundation
import Testing

@testable import MonitorPolicy

@Suite struct TargetsFileTests {
    private func fault(_ text: String) -> String {
        do throws(TargetError) {
            _ = try Targets(file: Array(text.utf8))
            return "none"
        } catch {
            return error.description
        }
    }

    private func targets(of name: String) throws -> [Target] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "targets/\(name).json")
        return try Targets(file: Array(Data(contentsOf: file))).targets
    }

    @Test func theTargetsOfTheModelsHaveTheirLimits() throws {
        let targets = try targets(of: "models")
        #expect(targets.map(\.name) == ["text", "text-boxes", "voice", "pose", "facial-expression"])
        #expect(targets.allSatisfy { $0.limit(of: .energy) == nil && $0.limit(of: .memory) != nil })
    }

    @Test func theExampleHasTheLimitsOfItsFourModels() throws {
        let targets = try targets(of: "neuroguide")
        #expect(targets.map(\.name) == ["pose", "vocal-affect", "facial-expression", "stress"])
        let limits = targets.map { target in
            [Metric.rate, .p50, .p95, .p99, .memory].map { target.limit(of: $0) ?? 0 }
        }
        #expect(
            limits == [
                [20, 0.03, 0.05, 0.1, 200e6], [10, 0.06, 0.1, 0.15, 100e6], [5, 0.1, 0.2, 0.3, 150e6],
                [0.2, 0.1, 0.2, 0.5, 80e6],
            ])
        #expect(
            targets.map(\.tiers) == [
                [.rate(15), .rate(10)], [.rate(5), .off], [.rate(3), .rate(2)], [],
            ])
        #expect(targets.allSatisfy { $0.thresholds == Thresholds() })
        // The long window of each model contains enough results for an alert.
        for target in targets {
            let rate = try #require(target.limit(of: .rate))
            #expect(rate * target.window.inSeconds * 12 >= Double(max(target.samples, 100)), "\(target.name)")
        }
    }

    @Test func aFileReadsAsTheTextWithTheSameWords() throws {
        let text = """
            encoder: p95=20ms, rate=29.97, tiers=15|off, latency-critical=3; pipeline: p95=120ms, memory=200MB, \
            compliance=95%, samples=60
            """
        let file = """
            {"targets": {"encoder": {"p95": "20ms", "rate": 29.97, "tiers": [15, "off"], "latency-critical": 3},
             "pipeline": {"p95": "120ms", "memory": "200MB", "compliance": "95%", "samples": 60, "description": "x"}}}
            """
        #expect(try Targets(file: Array(file.utf8)) == Targets(text: text))
    }

    @Test func thresholdsOfTheFileApplyToAllTargetsAndOnesOfATargetComeFirst() throws {
        let file = """
            {"targets": {"a": {"p95": "1ms"}, "b": {"p95": "1ms", "latency-warning": 1.2}},
             "thresholds": {"latency-warning": "110%", "rate-critical": 0.5}}
            """
        let targets = try Targets(file: Array(file.utf8)).targets
        try #require(targets.count == 2)
        #expect(targets[0].thresholds[.latency] == .init(warning: 1.1, critical: 2))
        #expect(targets[1].thresholds[.latency] == .init(warning: 1.2, critical: 2))
        #expect(targets[1].thresholds[.rate].critical == 0.5)
    }

    @Test(arguments: [
        ("", "line 1, column 1: the text is empty"),
        ("{\n \"targets\": {,}}", "line 2, column 14: "),
        ("[]", "the file: the value is not an object (allowed: an object with the members targets"),
        ("{}", "the file: the member targets is missing"),
        (
            "{\"target\": {}}",
            "target: \"target\" is not a member of the file (allowed: targets, thresholds, description)"
        ),
        ("{\"targets\": 3}", "targets: the value is not an object"),
        ("{\"targets\": {\"a\": {\"p96\": 3}}}", "targets > a > p96: \"p96\" is not a word here (allowed: p50, p95,"),
        ("{\"targets\": {\"a\": {\"p95\": 3}}}", "targets > a > p95: p95 is \"3\" (allowed: a time from 1us"),
        ("{\"targets\": {\"a\": {\"p95\": null}}}", "targets > a > p95: p95 is neither a number nor a string"),
        ("{\"targets\": {\"a\": {\"p95\": {}}}}", "targets > a > p95: p95 is neither a number nor a string"),
        ("{\"targets\": {\"a\": {}}}", "targets > a: target \"a\" has no limit"),
        ("{\"targets\": {\"\": {\"p95\": \"1ms\"}}}", "targets > : a name is empty or too long"),
        ("{\"targets\": {\"a\": {\"rate\": 3, \"rate\": 4}}}", "targets > a > rate: \"rate\" is there twice"),
        ("{\"targets\": {}, \"thresholds\": {\"p95\": 3}}", "thresholds > p95: \"p95\" is not a word here"),
        (
            "{\"targets\": {}, \"thresholds\": {\"rate-critical\": 0.95}}",
            "thresholds: rate-critical is above rate-warning"
        ),
    ])
    func errorsHavePlaceValueAndWhatIsAllowed(text: String, beginning: String) {
        #expect(fault(text).hasPrefix(beginning), "\(fault(text))")
    }

    @Test func filesThatAreTooLargeOrTooDeepAreRefused() {
        #expect(fault(String(repeating: "[", count: 100_000)).contains("100000 bytes"))
        #expect(fault(String(repeating: "[", count: 60_000)).contains("nested more than 8 levels"))
    }
}
