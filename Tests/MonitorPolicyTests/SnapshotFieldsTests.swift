import JSON
import Testing

@testable import MonitorPolicy

/// Tests the JSON fields for the dashboard, unique names, and figures between two ticks.
@Suite struct SnapshotFieldsTests {
    private struct Mismatch: Error {}

    private func object(_ line: String) throws -> JSONObject {
        guard case .object(let object) = try JSONValue(parsing: Array(line.utf8)) else { throw Mismatch() }
        return object
    }

    private func items(_ value: JSONValue?) throws -> [JSONObject] {
        guard case .array(let values) = value else { throw Mismatch() }
        return try values.map { value in
            guard case .object(let object) = value else { throw Mismatch() }
            return object
        }
    }

    private func double(_ value: JSONValue?) -> Double? {
        guard case .number(let number) = value else { return nil }
        return number.double
    }

    private static let second: UInt64 = 1_000_000_000

    /// Plays an element that becomes slow after `slowFrom` seconds, and returns the last snapshot.
    private func snapshot(_ targets: String, seconds: Int, slowFrom: Int) throws -> MonitorSnapshot {
        var book = PipelineBook(name: "p", targets: try Targets(text: targets), showsAll: false, now: .seconds(1))
        let record = ElementRecord(name: "encoder", factory: "x264enc", now: 1)
        let (sink, source) = (record.addPad(.sink), record.addPad(.source))
        var snapshot = MonitorSnapshot(name: "", time: .zero)
        for time in 1...seconds {
            let start = UInt64(time) * Self.second
            for frame in 0..<30 as Range<UInt64> {
                let (now, latency) = (
                    start + frame * Self.second / 30, time > slowFrom ? 50_000_000 : 10_000_000 as UInt64
                )
                sink.framePassed(pts: now, now: now)
                record.quiet.frameArrived(now: now)
                source.framePassed(pts: now, now: now + latency)
                source.frameLeft(pts: now, now: now + latency, sinks: [sink])
            }
            let now = start + Self.second
            let reading = ElementReading(
                id: 1, name: "encoder", factory: "x264enc", kinds: ["encoder"], counts: record.read(now: now))
            snapshot = book.tick([reading], process: ProcessFigures(), now: .nanoseconds(now)).snapshot
        }
        return snapshot
    }

    @Test func targetsHaveTheirValuesWithAndWithoutAnAlert() throws {
        let quiet = try snapshot("encoder: p95=20ms, rate=20", seconds: 20, slowFrom: 99)
        let (latency, rate) = (quiet.targets[0], quiet.targets[1])
        #expect(quiet.targets.count == 2 && quiet.alerts.isEmpty && quiet.history.isEmpty)
        #expect(latency.metric == .p95 && latency.target == 0.02 && latency.severity == nil && latency.samples > 500)
        #expect(abs((latency.value ?? 0) - 0.01) < 0.001 && latency.compliance == 1)
        #expect(rate.metric == .rate && abs((rate.value ?? 0) - 30) < 2 && rate.compliance == nil)
        let slow = try items(
            object(SnapshotJSON.line(snapshot("encoder: p95=20ms", seconds: 90, slowFrom: 60)))["targets"])
        #expect(
            slow.count == 1 && slow[0]["severity"] == .string("critical") && slow[0]["element"] == .string("encoder"))
        #expect(abs(try #require(double(slow[0]["compliance"])) - 0.5) < 0.05)
    }

    @Test func alertsAndHistorySayWhen() throws {
        let snapshot = try snapshot("encoder: p95=20ms", seconds: 90, slowFrom: 60)
        let line = try object(SnapshotJSON.line(snapshot))
        let alert = try #require(try items(line["alerts"]).first)
        let raised = try #require(try items(line["history"]).first)
        let since = try #require(double(alert["since"]))
        #expect((60...70).contains(since), "\(since)")
        #expect(raised["alert"] == .string("raised") && double(raised["time"]) == since)
        guard case .object(let details) = raised["details"] else { throw Mismatch() }
        #expect(double(details["since"]) == since)
    }

    @Test func historyIsBounded() throws {
        var book = PipelineBook(
            name: "p", targets: try Targets(text: "pipeline: memory=1MB"), showsAll: false, now: .zero)
        var process = ProcessFigures()
        for time in 1...4000 as ClosedRange<UInt64> {
            process.memory = (time / 100) % 2 == 0 ? 1 : 9_000_000
            let snapshot = book.tick([], process: process, now: .seconds(Int64(time))).snapshot
            #expect(snapshot.history.count <= 30)
            if time == 4000 { #expect(snapshot.history.count == 30 && snapshot.history[29].time > .seconds(3800)) }
        }
    }

    @Test func levelsHaveTheLimitOfTheirQueueInSeconds() throws {
        var snapshot = DrawnSnapshot.pipeline()
        snapshot.elements[0].levels = ElementSnapshot.Level.withLimits([
            .init("current-level-buffers", 3), .init("current-level-time", 5e8), .init("current-level-bytes", 9),
            .init("max-size-buffers", 200), .init("max-size-time", 1e9), .init("max-size-bytes", 0),
        ])
        snapshot.clock = 1_763_790_000.25
        let line = try object(SnapshotJSON.line(snapshot))
        #expect(double(line["clock"]) == 1_763_790_000.25)
        let levels = try items(try items(line["elements"])[0]["levels"])
        #expect(double(levels[0]["limit"]) == 200 && double(levels[1]["value"]) == 0.5)
        #expect(double(levels[1]["limit"]) == 1 && levels[2]["limit"] == .null && double(levels[4]["value"]) == 1)
    }

    /// RTP depayloaders report levels that are timestamps or times, and `UInt64.max` if there is no value.
    @Test func levelsHaveUnitsAndNoneIsNoValue() throws {
        var snapshot = DrawnSnapshot.pipeline()
        let none = Double(UInt64.max)
        snapshot.elements[0].levels = ElementSnapshot.Level.withLimits([
            .init("timestamp", 1_081_895_578), .init("npt-stop", none), .init("running-time-pts", 2e9),
            .init("buffer-bytes", 9), .init("temperature", detail: "cpu-thermal", 50),
            .init("drops", detail: "late", 3),
            .init("current-level-time", 1e9), .init("max-size-time", none),
        ])
        let line = try object(SnapshotJSON.line(snapshot))
        let levels = try items(try items(line["elements"])[0]["levels"])
        #expect(levels.map { $0["unit"] } == ["", "s", "s", "B", "°C", "", "s", "s"].map { .string($0) })
        #expect(double(levels[0]["value"]) == 1_081_895_578 && double(levels[2]["value"]) == 2)
        #expect(levels[1]["value"] == .null && levels[6]["limit"] == .null)
        let text = PrometheusText.text(snapshot)
        #expect(text.contains("\"timestamp\"") && !text.contains("npt-stop"))
    }

    @Test func waitsAreInJSONAndPrometheusIfTheyAreKnown() throws {
        var snapshot = DrawnSnapshot.pipeline()
        #expect(!PrometheusText.text(snapshot).contains("wait"))
        (snapshot.process.cpuWait, snapshot.elements[0].cpuWait) = (0.68, 0.5)
        (snapshot.process.machineCPU, snapshot.process.machineProcessors) = (1.75, 2)
        let line = try object(SnapshotJSON.line(snapshot))
        guard case .object(let process) = line["process"] else { throw Mismatch() }
        #expect(double(process["cpu-wait"]) == 0.68 && double(process["cpu-wait-share"]) == 0.34)
        #expect(double(process["machine-cpu"]) == 1.75 && process["stolen-cpu"] == .null)
        #expect(double(try items(line["elements"])[0]["cpu-wait"]) == 0.5)
        let text = PrometheusText.text(snapshot)
        #expect(text.contains("gst_cpu_wait_threads{pipeline=\"pipeline0\"} 0.68\n"))
        #expect(text.contains("gst_machine_cpu_cores{pipeline=\"pipeline0\"} 1.75\n"))
        #expect(text.contains("gst_element_cpu_wait_threads{") && !text.contains("stolen"))
        #expect(SummaryTable.text(snapshot).split(separator: "\n")[2].hasSuffix("CPU  wait"))
    }

    @Test func elementsOfOneNameGetNumbersThatNoOtherHas() {
        #expect(ElementReading.uniqueNames(["a", "b", "a", "a#2", "a"]) == ["a", "b", "a#3", "a#2", "a#4"])
        #expect(ElementReading.uniqueNames(["pipeline", "x"]) == ["pipeline#2", "x"])
        #expect(ElementReading.uniqueNames([]) == [])
        let many = ElementReading.uniqueNames((0..<300).map { _ in "q" })
        #expect(Set(many).count == 300 && many[0] == "q")
    }

    @Test func targetMeansElementsByTheirOwnName() throws {
        var book = PipelineBook(name: "p", targets: try Targets(text: "a: p95=1ms"), showsAll: false, now: .zero)
        let readings = (0..<2).map { id in
            var reading = ElementReading(
                id: id, name: id == 0 ? "a" : "a#2", factory: "x", kinds: [], counts: ElementCounts())
            reading.ownName = "a"
            return reading
        }
        let snapshot = book.tick(readings, process: ProcessFigures(), now: .seconds(1)).snapshot
        #expect(snapshot.targets.map(\.element) == ["a", "a#2"])
    }

    @Test func previewHasTheFramesOfNowAndTakesNoTick() {
        var book = PipelineBook(name: "p", targets: Targets(), showsAll: true, now: .seconds(1))
        let record = ElementRecord(name: "sink", factory: "fakesink", now: Self.second)
        let sink = record.addPad(.sink)
        func reading(_ now: UInt64) -> ElementReading {
            ElementReading(id: 1, name: "sink", factory: "fakesink", kinds: ["sink"], counts: record.read(now: now))
        }
        let start = book.preview([reading(Self.second)], process: ProcessFigures(), now: .seconds(1))
        #expect(start.elements.map(\.counts.framesIn) == [0] && start.time == .zero)
        record.quiet.frameArrived(now: Self.second)
        for frame in 0..<5 as Range<UInt64> { sink.framePassed(pts: frame, now: Self.second + frame) }
        let soon = Self.second + Self.second / 10
        let preview = book.preview([reading(soon)], process: ProcessFigures(), now: .nanoseconds(soon))
        #expect(preview.elements.map(\.counts.framesIn) == [5] && preview.elements[0].fiveSeconds.rate == 50)
        let tick = book.tick([reading(Self.second * 2)], process: ProcessFigures(), now: .seconds(2)).snapshot
        #expect(tick.elements[0].fiveSeconds.rate == 5)
    }
}
