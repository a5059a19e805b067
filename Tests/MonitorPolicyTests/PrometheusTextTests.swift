import Durations
import TestSupport
import MonitorPolicy
import Testing

@Suite struct PrometheusTextTests {
    private struct Sample {
        var name = ""
        var labels: [(name: String, value: String)] = []
        var value = 0.0
        func label(_ name: String) -> String? { labels.first { $0.name == name }?.value }
    }

    private struct Malformed: Error { let line: Substring }

    /// Reads a text, which must match the grammar of the exposition format 0.0.4.
    private func samples(_ text: String) throws -> (samples: [Sample], types: [String: Substring]) {
        #expect(text.hasSuffix("\n"))
        var types: [String: Substring] = [:]
        var samples: [Sample] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.hasPrefix("# ") {
                let words = line.split(separator: " ", maxSplits: 3)
                guard words.count == 4 else { throw Malformed(line: line) }
                if words[1] == "TYPE" {
                    guard types.updateValue(words[3], forKey: String(words[2])) == nil else {
                        throw Malformed(line: line)
                    }
                }
                continue
            }
            samples.append(try sample(line))
        }
        return (samples, types)
    }

    private func sample(_ line: Substring) throws -> Sample {
        var rest = line
        var sample = Sample()
        sample.name = String(rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
        rest = rest.dropFirst(sample.name.count)
        guard rest.popFirst() == "{" else { throw Malformed(line: line) }
        while rest.first != "}" {
            let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            rest = rest.dropFirst(name.count)
            guard rest.popFirst() == "=", rest.popFirst() == "\"" else { throw Malformed(line: line) }
            var value = ""
            while let character = rest.popFirst(), character != "\"" {
                guard character == "\\" else {
                    value.append(character)
                    continue
                }
                switch rest.popFirst() {
                case "n": value.append("\n")
                case "\\": value.append("\\")
                case "\"": value.append("\"")
                default: throw Malformed(line: line)
                }
            }
            sample.labels.append((String(name), value))
            if rest.first == "," { rest = rest.dropFirst() }
        }
        guard rest.popFirst() == "}", rest.popFirst() == " ", let number = Double(rest) else {
            throw Malformed(line: line)
        }
        sample.value = number
        return sample
    }

    @Test func everyLineFollowsTheGrammarAndEverySeriesIsUnique() throws {
        let (samples, types) = try samples(PrometheusText.text(DrawnSnapshot.pipeline()))
        #expect(samples.count > 100)
        let series = samples.map { "\($0.name) \($0.labels.map { "\($0.name)=\($0.value)" }.sorted())" }
        #expect(Set(series).count == series.count)
        for sample in samples {
            var family = sample.name
            for suffix in ["_bucket", "_sum", "_count"] where types[family] == nil && family.hasSuffix(suffix) {
                family = String(family.dropLast(suffix.count))
            }
            let type = try #require(types[family], "\(sample.name)")
            #expect(sample.name.hasPrefix("gst_"))
            #expect((type == "counter") == family.hasSuffix("_total"), "\(family)")
            #expect(sample.label("pipeline") == "pipeline0")
        }
    }

    @Test func samplesHaveTheValuesOfTheSnapshot() throws {
        let (samples, _) = try samples(PrometheusText.text(DrawnSnapshot.pipeline()))
        func value(_ name: String, _ detail: String? = nil) -> Double? {
            samples.first { $0.name == name && $0.label("detail") == detail }?.value
        }
        #expect(value("gst_frames_in_total") == 300 && value("gst_frames_out_total") == 294)
        #expect(value("gst_frames_dropped_total") == 6 && value("gst_bytes_in_total") == 300_000)
        #expect(value("gst_memory_bytes") == 84_200_000 && value("gst_cpu_cores") == 1.32)
        #expect(value("gst_events_total", "late") == 7 && value("gst_level", "") == 4 && value("gst_alert") == 1)
        #expect(value("gst_blocked_seconds_total") == 0.294 && value("gst_uptime_seconds") == 62.5)
    }

    @Test func histogramsAreCumulativeExactAndInSeconds() throws {
        var random = Random(seed: 71)
        var snapshot = DrawnSnapshot.pipeline()
        let values = (0..<5000).map { _ in random.heavyTail(scale: 1e6) }
        var histogram = DurationHistogram()
        for value in values { histogram.add(.nanoseconds(value)) }
        snapshot.elements[0].counts.latency = LatencyCounts(histogram: histogram)
        let (samples, _) = try samples(PrometheusText.text(snapshot))
        let mine = samples.filter { $0.name.hasPrefix("gst_latency_seconds") && $0.label("element") == "encoder" }
        let buckets = mine.filter { $0.name == "gst_latency_seconds_bucket" }
        #expect(buckets.count == 38 && buckets.last?.label("le") == "+Inf")
        for bucket in buckets.dropLast() {
            let bound = try #require(bucket.label("le").flatMap { Double($0) })
            #expect(Int(bucket.value) == values.count { Double($0) <= (bound * 1e9).rounded() }, "\(bound)")
        }
        #expect(buckets.map(\.value) == buckets.map(\.value).sorted())
        #expect(mine.first { $0.name.hasSuffix("_count") }?.value == 5000 && buckets.last?.value == 5000)
        let sum = try #require(mine.first { $0.name.hasSuffix("_sum") }?.value)
        #expect(abs(sum - (Double(values.reduce(0, +)) / 1e9)) < 1e-6)
    }

    @Test func labelsAreEscapedAndElementsOfOneNameStayApart() throws {
        var snapshot = DrawnSnapshot.pipeline()
        let name = "a\\b\"c\nd}e{f,é\u{1B}"
        snapshot.elements = [DrawnSnapshot.idle(name), DrawnSnapshot.idle(name), DrawnSnapshot.idle(name + "#2")]
        let (samples, _) = try samples(PrometheusText.text(snapshot))
        let names = samples.filter { $0.name == "gst_frames_in_total" }.compactMap { $0.label("element") }
        #expect(names == [name, name + "#2", name + "#2#2"])
    }

    @Test func countersOnlyRise() throws {
        let record = ElementRecord(name: "a", factory: "b", now: 1)
        let (sink, source) = (record.addPad(.sink), record.addPad(.source))
        var random = Random(seed: 72)
        var last: [String: Double] = [:]
        var history = ElementHistory(now: .nanoseconds(1))
        for tick in 1...40 as ClosedRange<UInt64> {
            for _ in 0..<random.below(60) {
                let pts: UInt64 = random.below(2000)
                sink.framePassed(pts: pts, now: tick, bytes: 5)
                if random.below(3) > 0 { source.frameLeft(pts: pts, now: tick, sinks: [sink]) }
                source.recordBlocked(random.below(1000))
            }
            if tick == 20 { record.reportDropped(1) }
            history.tick(record.read(now: tick * 1_000_000_000), now: .nanoseconds(tick * 1_000_000_000))
            var snapshot = MonitorSnapshot(name: "p", time: .seconds(Int64(tick)))
            snapshot.elements = [ElementSnapshot(name: "a", factory: "b", history: history)]
            let (samples, types) = try samples(PrometheusText.text(snapshot))
            for sample in samples where types[sample.name] != "gauge" {
                let series = "\(sample.name)\(sample.labels)"
                #expect(sample.value >= last[series] ?? 0, "\(series)")
                last[series] = sample.value
            }
        }
        #expect(last.count > 40)
    }

    @Test func whatIsNotMeasuredHasNoSeries() throws {
        let text = PrometheusText.text(DrawnSnapshot.pipeline())
        #expect(!text.contains("gst_energy") && !text.contains("gst_power") && !text.contains("NaN"))
        let (samples, _) = try samples(text)
        #expect(!samples.contains { $0.name == "gst_frames_dropped_total" && $0.label("element") == "sink" })
    }
}
