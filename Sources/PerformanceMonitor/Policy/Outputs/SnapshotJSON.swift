import JSON

/// Writes a snapshot as one line of JSON.
///
/// Times are in seconds, memory in bytes, energy in joules, shares from 0 to 1; what was not measured is null.
public enum SnapshotJSON {
    /// Returns one line that ends with a line break.
    public static func line(_ snapshot: MonitorSnapshot) -> String { value(snapshot).text() + "\n" }

    /// Returns the snapshot as a value.
    public static func value(_ snapshot: MonitorSnapshot) -> JSONValue {
        .object([
            "time": number(snapshot.time.inSeconds),
            "name": .string(snapshot.name),
            "pipeline": snapshot.pipeline.map(element) ?? .null,
            "elements": .array(snapshot.elements.map(element)),
            "process": process(snapshot.process),
            "alerts": .array(snapshot.alerts.map(alert)),
        ])
    }

    /// Returns the change of an alert as one line, with the time of the snapshot that follows.
    public static func line(_ event: AlertEvent, time: Duration) -> String {
        let value = JSONValue.object([
            "time": number(time.inSeconds), "alert": .string(event.name), "details": alert(event.alert),
        ])
        return value.text() + "\n"
    }

    private static func element(_ element: ElementSnapshot) -> JSONValue {
        .object([
            "name": .string(element.name),
            "factory": .string(element.factory),
            "cpu": number(element.cpu),
            "bytes-in": .number(JSONNumber(element.counts.bytesIn)),
            "bytes-out": .number(JSONNumber(element.counts.bytesOut)),
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
            "in": .number(JSONNumber(figures.framesIn)),
            "out": .number(JSONNumber(figures.framesOut)),
            "dropped": figures.dropped.map { .number(JSONNumber($0)) } ?? .null,
            "rate": number(figures.rate),
            "blocked": number(figures.blocked),
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
            "count": .number(JSONNumber(figures.count)),
            "coverage": number(figures.coverage),
        ])
    }

    private static func process(_ process: ProcessFigures) -> JSONValue {
        .object([
            "cpu": number(process.cpu),
            "memory": process.memory.map { .number(JSONNumber($0)) } ?? .null,
            "peak-memory": process.peakMemory.map { .number(JSONNumber($0)) } ?? .null,
            "energy": number(process.energy),
            "power": number(process.power),
            "energy-source": .string(process.energySource),
        ])
    }

    private static func level(_ level: ElementSnapshot.Level) -> JSONValue {
        .object(["name": .string(level.name), "detail": .string(level.detail), "value": number(level.value)])
    }

    private static func alert(_ alert: Alert) -> JSONValue {
        .object([
            "severity": .string(alert.severity.rawValue),
            "element": .string(alert.element),
            "metric": .string(alert.metric.rawValue),
            "value": number(alert.value),
            "recent": number(alert.recent),
            "target": number(alert.target),
            "window": number(alert.window.inSeconds),
            "samples": .number(JSONNumber(alert.samples)),
        ])
    }

    private static func number(_ value: Double?) -> JSONValue {
        value.flatMap { JSONNumber($0) }.map { .number($0) } ?? .null
    }
}
