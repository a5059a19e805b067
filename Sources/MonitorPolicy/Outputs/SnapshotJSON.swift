import Durations
import JSON

/// Writes a snapshot as JSON.
///
/// Times are in seconds with microsecond resolution, memory is in bytes, energy in joules; shares are from 0 to 1. A
/// value that was not measured is null in a snapshot and absent from a line of the log.
public enum SnapshotJSON {
    /// Returns the whole snapshot as one line that ends with a line break.
    public static func line(_ snapshot: MonitorSnapshot) -> String {
        let value = JSONValue.object([
            "time": number(snapshot.time.inSeconds),
            "clock": number(snapshot.clock),
            "name": .string(snapshot.name),
            "verdict": .array(snapshot.verdict.map { .string($0) }),
            "bottleneck": snapshot.bottleneck.map { .array($0.elements.map { .string($0) }) } ?? .null,
            "pipeline": snapshot.pipeline.map(element) ?? .null,
            "elements": .array(snapshot.elements.map(element)),
            "process": process(snapshot.process),
            "targets": .array(snapshot.targets.map(target)),
            "alerts": .array(snapshot.alerts.map { alert($0, since: snapshot.started) }),
            "history": .array(snapshot.history.map { event($0.event, $0.time, since: snapshot.started) }),
        ])
        return value.text() + "\n"
    }

    /// Returns a short line for a log, with the figures of the last 5 s.
    ///
    /// The line omits a coverage of 1, and the frames that enter an element with an output. Five elements and the
    /// pipeline take less than 1.38 kB, so a line every 5 s takes at most 1 MB per hour.
    public static func logLine(_ snapshot: MonitorSnapshot) -> String {
        var object: JSONObject = ["time": number(snapshot.time.inSeconds)]
        object.append("elements", .array(snapshot.elements.map { brief($0.name, $0) }))
        if let pipeline = snapshot.pipeline { object.append("pipeline", brief(nil, pipeline)) }
        for (name, value) in [
            ("cpu", number(snapshot.process.cpu)), ("memory", integer(snapshot.process.memory)),
            ("energy", number(snapshot.process.energy)),
        ] where value != .null { object.append(name, value) }
        if let share = snapshot.process.cpuWaitShare, snapshot.process.isShortOfProcessors {
            object.append("cpu-wait", number(snapshot.process.cpuWait))
            object.append("cpu-wait-share", number(share))
        }
        if let clock = snapshot.clock { object.append("clock", number((clock * 1000).rounded() / 1000)) }
        if !snapshot.alerts.isEmpty {
            object.append("alerts", .array(snapshot.alerts.map { alert($0, since: snapshot.started) }))
        }
        return JSONValue.object(object).text() + "\n"
    }

    /// Returns the change of an alert as one line; `time` is the time of its snapshot.
    ///
    /// `started` is the time at which the monitor started, on the clock of `Alert.since`.
    public static func line(_ event: AlertEvent, time: Duration, started: Duration? = nil) -> String {
        self.event(event, time, since: started).text() + "\n"
    }

    private static func event(_ event: AlertEvent, _ time: Duration, since started: Duration?) -> JSONValue {
        .object([
            "time": number(time.inSeconds), "alert": .string(event.change.rawValue),
            "details": alert(event.alert, since: started),
        ])
    }

    private static func brief(_ name: String?, _ element: ElementSnapshot) -> JSONValue {
        let figures = element.fiveSeconds
        var object = JSONObject()
        if let name { object.append("name", .string(name)) }
        object.append(
            element.counts.hasOutput ? "out" : "in",
            integer(element.counts.hasOutput ? figures.framesOut : figures.framesIn))
        for (name, value) in [("dropped", integer(figures.dropped)), ("rate", number(figures.rate))]
        where value != .null {
            object.append(name, value)
        }
        for (name, figures) in [("latency", figures.latency), ("age", figures.age)] where figures.coverage != nil {
            let members: [(String, Duration?)] = [
                ("p50", figures.p50), ("p95", figures.p95), ("p99", figures.p99), ("max", figures.longest),
            ]
            var latencies = JSONObject()
            for (name, value) in members where value != nil { latencies.append(name, number(value?.inSeconds)) }
            if figures.coverage != 1 { latencies.append("coverage", number(figures.coverage)) }
            object.append(name, .object(latencies))
        }
        return .object(object)
    }

    private static func element(_ element: ElementSnapshot) -> JSONValue {
        .object([
            "name": .string(element.name),
            "factory": .string(element.factory),
            "kinds": .array(element.kinds.map { .string($0) }),
            "links": .array(element.links.map { .string($0) }),
            "cpu": number(element.cpu),
            "cpu-wait": number(element.cpuWait),
            "bytes-in": integer(element.counts.bytesIn),
            "bytes-out": integer(element.counts.bytesOut),
            "5s": figures(element.fiveSeconds),
            "30s": figures(element.thirtySeconds),
            "60s": figures(element.minute),
            "total": figures(element.total),
            "levels": .array(element.levels.map(level)),
        ])
    }

    private static func figures(_ figures: ElementFigures) -> JSONValue {
        .object([
            "length": number(figures.length.inSeconds),
            "in": integer(figures.framesIn),
            "out": integer(figures.framesOut),
            "dropped": integer(figures.dropped),
            "rate": number(figures.rate),
            "blocked": number(figures.blocked),
            "own": number(figures.own),
            "latency": latency(figures.latency),
            "age": latency(figures.age),
        ])
    }

    private static func latency(_ figures: LatencyFigures) -> JSONValue {
        .object([
            "p50": number(figures.p50?.inSeconds),
            "p95": number(figures.p95?.inSeconds),
            "p99": number(figures.p99?.inSeconds),
            "max": number(figures.longest?.inSeconds),
            "mean": number(figures.mean?.inSeconds),
            "count": integer(figures.count),
            "coverage": number(figures.coverage),
        ])
    }

    private static func process(_ process: ProcessFigures) -> JSONValue {
        .object([
            "cpu": number(process.cpu),
            "cpu-wait": number(process.cpuWait),
            "cpu-wait-share": number(process.cpuWaitShare),
            "machine-cpu": number(process.machineCPU),
            "machine-processors": integer(process.machineProcessors.map { UInt64(max(0, $0)) }),
            "stolen-cpu": number(process.stolenCPU),
            "cpu-pressure": number(process.cpuPressure),
            "processors": number(process.processors),
            "threads": .array(
                process.threads.map {
                    .object(["name": .string($0.name), "cpu": number($0.cores), "wait": number($0.waiting)])
                }),
            "memory": integer(process.memory),
            "peak-memory": integer(process.peakMemory),
            "energy": number(process.energy),
            "power": number(process.power),
            "energy-source": .string(process.energySource),
        ])
    }

    private static func level(_ level: ElementSnapshot.Level) -> JSONValue {
        .object([
            "name": .string(level.name), "detail": .string(level.detail), "value": number(level.shown),
            "limit": number(level.shownLimit), "unit": .string(level.unit.rawValue),
        ])
    }

    private static func target(_ target: TargetFigures) -> JSONValue {
        .object([
            "element": .string(target.element),
            "metric": .string(target.metric.rawValue),
            "target": number(target.target),
            "value": number(target.value),
            "recent": number(target.recent),
            "compliance": number(target.compliance),
            "samples": integer(target.samples),
            "severity": target.severity.map { .string($0.rawValue) } ?? .null,
        ])
    }

    private static func alert(_ alert: Alert, since started: Duration?) -> JSONValue {
        .object([
            "severity": .string(alert.severity.rawValue),
            "element": .string(alert.element),
            "metric": .string(alert.metric.rawValue),
            "value": number(alert.value),
            "recent": number(alert.recent),
            "target": number(alert.target),
            "window": number(alert.window.inSeconds),
            "samples": integer(alert.samples),
            "since": number(started.map { max(alert.since - $0, .zero).inSeconds }),
        ])
    }

    private static func integer(_ value: UInt64?) -> JSONValue { value.map { .number(JSONNumber($0)) } ?? .null }

    /// Returns a number with at most six decimals; null if the value is unknown or not finite.
    private static func number(_ value: Double?) -> JSONValue {
        guard let value, value.isFinite else { return .null }
        guard value.magnitude < 9e9 else { return JSONNumber(value).map { .number($0) } ?? .null }
        let millionths = (value * 1e6).rounded()
        if millionths.truncatingRemainder(dividingBy: 1e6) == 0 { return .number(JSONNumber(Int64(millionths / 1e6))) }
        return JSONNumber(millionths / 1e6).map { .number($0) } ?? .null
    }
}
