import JSON
import Testing

@testable import MonitorPolicy

@Suite struct SnapshotJSONTests {
    private func parsed(_ line: String) throws -> JSONObject {
        #expect(line.hasSuffix("\n") && line.dropLast().allSatisfy { !$0.isNewline })
        guard case .object(let object) = try JSONValue(parsing: Array(line.utf8)) else { throw Mismatch() }
        #expect(object.repeatedNames.isEmpty)
        return object
    }

    private struct Mismatch: Error {}

    private func member(_ path: String..., of object: JSONObject) throws -> JSONValue {
        var value = JSONValue.object(object)
        for name in path {
            switch value {
            case .object(let object): value = try #require(object[name], "\(name)")
            case .array(let values): value = try #require(values.dropFirst(Int(name) ?? 0).first, "\(name)")
            default: throw Mismatch()
            }
        }
        return value
    }

    @Test func aLineHasAllFiguresInSecondsAndBytes() throws {
        let object = try parsed(SnapshotJSON.line(DrawnSnapshot.pipeline()))
        #expect(try member("time", of: object) == .number(JSONNumber(62.5)!))
        #expect(try member("elements", "0", "name", of: object) == .string("encoder"))
        #expect(try member("elements", "0", "total", "in", of: object) == .number(JSONNumber(300)))
        #expect(try member("elements", "0", "total", "dropped", of: object) == .number(JSONNumber(6)))
        guard case .number(let p95) = try member("elements", "0", "5s", "latency", "p95", of: object) else {
            throw Mismatch()
        }
        #expect(abs(try #require(p95.double) - 0.012) < 0.0002)
        #expect(try member("process", "memory", of: object) == .number(JSONNumber(84_200_000)))
        #expect(try member("elements", "0", "levels", "1", "detail", of: object) == .string("late"))
        #expect(try member("alerts", "0", "metric", of: object) == .string("p95"))
        for window in ["5s", "30s", "60s", "total"] {
            _ = try member("pipeline", window, "age", "coverage", of: object)
        }
    }

    @Test func whatIsNotMeasuredIsNull() throws {
        var snapshot = DrawnSnapshot.pipeline()
        snapshot.process.power = .nan
        let object = try parsed(SnapshotJSON.line(snapshot))
        #expect(try member("elements", "1", "5s", "age", "p95", of: object) == .null)
        #expect(try member("elements", "1", "cpu", of: object) == .null)
        #expect(try member("process", "energy", of: object) == .null)
        #expect(try member("process", "power", of: object) == .null)
    }

    @Test func anHourOfTheLogWithFiveElementsIsAtMostOneMegabyte() throws {
        var snapshot = DrawnSnapshot.pipeline()
        snapshot.time = .milliseconds(3_599_123)
        snapshot.elements = (0..<5).map { DrawnSnapshot.element("element\($0)", "factory") }
        snapshot.alerts = []
        let line = SnapshotJSON.logLine(snapshot)
        #expect(line.utf8.count * 720 <= 1_000_000, "\(line.utf8.count) bytes")
        let object = try parsed(line)
        #expect(try member("elements", "4", "name", of: object) == .string("element4"))
        #expect(try member("elements", "4", "latency", "p95", of: object) == .number(JSONNumber(0.011928)!))
        #expect(try member("elements", "4", "age", "coverage", of: object) == .number(JSONNumber(0.9)!))
        #expect(try member("elements", "4", "out", of: object) == .number(JSONNumber(150)))
        #expect(try member("memory", of: object) == .number(JSONNumber(84_200_000)))
    }

    @Test func aLineOfTheLogLeavesOutWhatIsNotMeasured() throws {
        var snapshot = MonitorSnapshot(name: "p", time: .seconds(2))
        snapshot.elements = [DrawnSnapshot.idle("sink")]
        #expect(SnapshotJSON.logLine(snapshot) == #"{"time":2,"elements":[{"name":"sink","in":0}]}"# + "\n")
    }

    @Test func aChangeOfAnAlertIsALine() throws {
        let alert = try #require(DrawnSnapshot.alerts("a\"\n").first)
        let line = SnapshotJSON.line(AlertEvent(change: .cleared, alert: alert), time: .seconds(3))
        let object = try parsed(line)
        #expect(try member("alert", of: object) == .string("cleared"))
        #expect(try member("details", "element", of: object) == .string("a\"\n"))
    }
}
