import TestSupport
import Testing

@testable import MonitorPolicy

@Suite struct TargetsTests {
    private func fault(_ text: String) -> String {
        do throws(TargetError) {
            _ = try Targets(text: text)
            return "none"
        } catch {
            return error.description
        }
    }

    @Test func readsTheTextOfTheDocumentation() throws {
        let text = "encoder: p95=20ms, rate=30; pipeline: p95=120ms, memory=200MB, compliance=95%"
        let targets = try Targets(text: text).targets
        try #require(targets.map(\.name) == ["encoder", "pipeline"])
        #expect(targets.map { $0.limits.map(\.metric) } == [[.p95, .rate], [.p95, .memory, .compliance]])
        #expect(targets.map { $0.limits.map(\.value) } == [[0.02, 30], [0.12, 2e8, 0.95]])
        #expect(targets[1].isPipeline && !targets[0].isPipeline)
    }

    @Test(arguments: [
        ("p50=850us", Metric.p50, 850e-6), ("p50=850µs", .p50, 850e-6), ("p99=1.5s", .p99, 1.5), ("p99=1min", .p99, 60),
        ("age-p95=80 ms", .ageP95, 0.08), ("rate=30000/1001", .rate, 30000.0 / 1001), ("rate=0.2/s", .rate, 0.2),
        ("rate=12/min", .rate, 0.2), ("rate=25fps", .rate, 25), ("memory=64MiB", .memory, 67_108_864),
        ("energy=500mW", .energy, 0.5), ("p95=.5ms", .p95, 0.0005), ("p95=5.s", .p95, 5),
    ])
    func readsEachUnit(text: String, metric: Metric, value: Double) throws {
        let limit = try #require(try Targets(text: "a: \(text)").targets.first?.limits.first)
        #expect(limit.metric == metric && abs(limit.value - value) < 1e-9 * value)
    }

    @Test func readsOptionsThresholdsAndTiers() throws {
        let text = """
            pose: rate=20, p95=50ms, tiers=15|10|off, window=10s, samples=80, tolerance=5%, latency-warning=130%,
              latency-critical=1.8, rate-warning=95%, rate-critical=70%
            sink*: age-p99=1s;
            """
        let targets = try Targets(text: text.replacing(",\n", with: ",")).targets
        try #require(targets.count == 2)
        let pose = targets[0]
        #expect(pose.tiers == [.rate(15), .rate(10), .off] && pose.window == .seconds(10) && pose.samples == 80)
        #expect(pose.tolerance == 0.05 && pose.thresholds[.latency] == .init(warning: 1.3, critical: 1.8))
        #expect(pose.thresholds[.rate] == .init(warning: 0.95, critical: 0.7))
    }

    @Test(arguments: ["", " ", ";;", " ; \n ;", "\n"])
    func blankTextsHaveNoTargets(text: String) throws { #expect(try Targets(text: text) == Targets()) }

    @Test(arguments: [
        ("encoder p95=20ms", "column 1: \"encoder p95=20ms\" has no colon"),
        ("a: p95=20ms; b: p96=20ms", "column 17: \"p96\" is not a word of a target"),
        ("a: p95=20", "column 8: p95 is \"20\" (allowed: a time from 1us to 60s with its unit"),
        ("a: p95=", "column 4: p95 is \"\""),
        ("a: p95=20ms, p95=30ms", "column 14: p95 is there twice"),
        ("a: p95=20ms; a: p50=1ms", "column 14: target \"a\" is there twice"),
        ("a: rate", "column 4: \"rate\" has no equals sign"),
        ("  : rate=3", "column 3: the target before the colon has no name"),
        ("a:", "column 1: target \"a\" has no limit"),
        ("a: tiers=3", "column 1: target \"a\" has no limit"),
        ("a: compliance=95%", "column 1: compliance has no limit of a latency beside it"),
        ("a: p95=1ms, compliance=95", "column 24: compliance is \"95\" (allowed: a share from 80% to 99.9%"),
        ("a: p95=1ms, compliance=100%", "column 24: compliance is \"100%\""),
        ("a: rate=0", "column 9: rate is \"0\""), ("a: rate=-3", "column 9: rate is \"-3\""),
        ("a: rate=1e3", "column 9: rate is \"1e3\""), ("a: rate=0x10", "column 9: rate is \"0x10\""),
        ("a: rate=nan", "column 9: rate is \"nan\""), ("a: rate=inf", "column 9: rate is \"inf\""),
        ("a: rate=30/0", "column 9: rate is \"30/0\""), ("a: rate=1.2.3", "column 9: rate is \"1.2.3\""),
        ("a: rate=20, tiers=15|25", "column 1: tier 2 is not lower"),
        ("a: rate=20, tiers=off|10", "column 1: tier 1 is not lower"),
        ("a: rate=20, tiers=15||10", "column 19: tiers has \"\""),
        ("a: p95=1ms, tiers=15", "column 1: tiers has no rate beside it"),
        ("a: p95=1ms, latency-warning=3", "column 1: latency-critical is below latency-warning"),
        ("a: rate=9, rate-warning=50%", "column 1: rate-critical is above rate-warning"),
        ("a: rate=9, rate-warning=120%", "column 1: rate-warning is above 100%"),
        ("a: p95=1ms, samples=1.5", "column 21: samples is \"1.5\""),
        ("é: p95=1ms; ü: p95=\u{1}2", "column 20: p95 is \"?2\""),
    ])
    func errorsHavePositionValueAndWhatIsAllowed(text: String, beginning: String) {
        let fault = fault(text)
        #expect(fault.hasPrefix(beginning), "\(fault)")
        #expect(fault.hasSuffix(")") && fault.split(separator: "(allowed: ").count == 2, "\(fault)")
    }

    @Test func textsThatAreTooLongAreRefused() {
        #expect(fault(String(repeating: "a", count: 65_537)).hasPrefix("column 1: the text is 65537 bytes long"))
        let many = (0..<65).map { "e\($0): p95=1ms" }.joined(separator: ";")
        #expect(fault(many).contains("target \"e64\" is one too many (allowed: at most 64 targets)"))
        #expect(fault("a: p95=" + String(repeating: "9", count: 60_000)).utf8.count < 250)
    }

    @Test func damagedTextsNeverTrap() {
        var random = Random(seed: 61)
        let pieces = [
            "a", ":", ";", ",", "=", "p95", "20ms", "rate", "30", "/", "%", "|", "off", "tiers", "\n", " ", "é",
            "\u{0}", "🙂",
            "window", "compliance=95%", "99999999999999999999", "-", ".", "memory=1MB", "\u{301}", "\r\n",
        ]
        for _ in 0..<5000 {
            let text = (0..<random.below(14)).map { _ in pieces[Int(random.below(UInt64(pieces.count)))] }.joined()
            #expect(!fault(text).isEmpty)
        }
    }

    @Test(arguments: [
        ("enc*", ["encoder"], true), ("enc*", ["x264enc"], false), ("*enc", ["encoder", "x264enc"], true),
        ("queue", ["queue0", "queue"], true), ("*", ["x"], true), ("pipeline", ["pipeline"], false),
        ("en?", ["enc"], true),
    ])
    func aTargetWatchesElementsByNameFactoryOrKind(pattern: String, names: [String], isWatched: Bool) {
        #expect(Target(name: pattern).watches(names) == isWatched)
    }
}
