import GStreamer
import MonitorPolicy
import MonitorServer

struct PerformanceMonitorSettings: ElementSettings {
    typealias Report = PerformanceMonitorReport

    var isEnabled = true
    var elements: String?
    var targetsText: String?
    var targetsFile: String?
    var textTargets = Targets()
    var fileTargets = Targets()
    var action = AlertAction.none
    var output = ReportChoice.end
    var logFile: String?
    var logInterval = Duration.seconds(10)
    var metricsFile: String?
    var dashboard: String?
    var allowedHosts: String?
    var traceFile: String?
    var traceBytes: UInt64 = 64 << 20

    static let properties: [Property<Self>] = [
        .bool("enabled", \.isEnabled, "Whether frames are measured; false removes all probes", flags: .anyTime),
        .string(
            "elements", \.elements,
            "Names or factories of the elements to measure, with * and ?, separated by commas (NULL = all; shown are sources, sinks, encoders, decoders, queues, and what takes 1 % of a frame)",
            flags: .beforeStart),
        .string(
            "targets",
            "Limits whose excess raises alerts, such as \"encoder: p95=20ms, rate=30; pipeline: p95=120ms, memory=200MB, compliance=95%\" (NULL = none)",
            get: { $0.targetsText }, parse: parseTargets),
        .string(
            "targets-file", "JSON file with the same words as targets (NULL = none)", get: { $0.targetsFile },
            parse: parseTargetsFile),
        .choice("act", \.action, "Action while an alert stands, besides its message", flags: .anyTime),
        .choice("report", \.output, "Report on the standard error output", flags: .anyTime),
        .string(
            "log-file", \.logFile,
            "File that receives the figures as a line of JSON for each log-interval, and one for each alert (NULL = none)",
            flags: .beforeStart),
        .duration(
            "log-interval", \.logInterval, in: .seconds(1) ... .seconds(86_400),
            "Interval between two lines of log-file, in nanoseconds", flags: .anyTime),
        .string(
            "metrics-file", \.metricsFile,
            "File that is replaced every second by the figures in Prometheus text format, for the textfile collector of a node exporter (NULL = none)",
            flags: .beforeStart),
        .string(
            "dashboard",
            "Address and port of the dashboard, /metrics, /stats and /events, such as 127.0.0.1:9100 or :0 for any free port of this machine (NULL = none)",
            flags: .beforeStart, get: { $0.dashboard }, parse: parseAddress),
        .string(
            "allowed-hosts",
            "Names for which the dashboard answers besides its address, such as camera.example.org or *.svc.cluster.local, separated by commas (NULL = none)",
            flags: .beforeStart, get: { $0.allowedHosts }, parse: parseHosts),
        .string("dashboard-url", "Address of the running dashboard; empty without one", reported: { $0.dashboardURL }),
        .string(
            "trace-file", \.traceFile,
            "File that receives a Perfetto trace of the frames and of the spans of our elements (NULL = none)",
            flags: .beforeStart),
        .uint64(
            "trace-max-bytes", \.traceBytes, in: 65_536...1 << 40, "Size at which the trace ends, in bytes",
            flags: .beforeStart),
        .structure(
            "stats", "Figures of the last 5 s and since the start: a structure for each element",
            reported: { $0.stats }),
        .structure("alerts", "Alerts that are not cleared: one structure for each", reported: { $0.alerts }),
    ]

    var targets: Targets { Targets(textTargets.targets + fileTargets.targets) }

    /// Chooses elements by patterns of names and factories, separated by commas; without a pattern, all elements.
    static func choice(of text: String?) -> @Sendable (ElementReference) -> Bool {
        let targets = (text ?? "").split(separator: ",").map { Target(name: String(Target.trim($0))) }
            .filter { !$0.name.isEmpty }
        return { element in targets.isEmpty || targets.contains { $0.watches([element.name, element.factory]) } }
    }

    @Sendable private static func parseTargets(_ text: String?) throws(ElementError) -> Property<Self>.Update {
        let targets: Targets
        do throws(TargetError) { targets = try Targets(text: text ?? "") } catch {
            throw .resource(.settings, "The targets cannot be read: \(error).", debug: text)
        }
        return {
            $0.targetsText = text
            $0.textTargets = targets
        }
    }

    @Sendable private static func parseAddress(_ text: String?) throws(ElementError) -> Property<Self>.Update {
        if let text, ServerAddress(text) == nil {
            throw .resource(
                .settings, "\"\(text)\" is not an address and a port.",
                debug: "Write 127.0.0.1:9100, [::1]:9100, or :9100 for this machine only.")
        }
        return { $0.dashboard = text }
    }

    @Sendable private static func parseHosts(_ text: String?) throws(ElementError) -> Property<Self>.Update {
        guard HTTPHost.names(in: text ?? "") != nil else {
            throw .resource(
                .settings, "The allowed-hosts \"\(text ?? "")\" are not names.",
                debug: "Write names without a port, such as camera.example.org or *.svc.cluster.local.")
        }
        return { $0.allowedHosts = text }
    }

    @Sendable private static func parseTargetsFile(_ path: String?) throws(ElementError) -> Property<Self>.Update {
        guard let path else {
            return {
                $0.targetsFile = nil
                $0.fileTargets = Targets()
            }
        }
        let bytes = try SmallFile.read(path, atMost: Targets.longestText)
        let targets: Targets
        do throws(TargetError) { targets = try Targets(file: bytes) } catch {
            throw .resource(.settings, "The file of targets \"\(path)\" is not valid: \(error).")
        }
        return {
            $0.targetsFile = path
            $0.fileTargets = targets
        }
    }
}

extension PerformanceMonitorSettings {
    enum AlertAction: Int32, PropertyChoice {
        case none, vote

        static let typeName = "GstPerformanceMonitorAct"
        var nick: String { self == .none ? "none" : "vote" }
        var summary: String {
            self == .none
                ? "Only the message and the signal"
                : "Ask thermalcaps upstream for less, with the event quality-degrade and reason=NAME:performance"
        }
    }

    enum ReportChoice: Int32, PropertyChoice {
        case none, end, live

        static let typeName = "GstPerformanceMonitorReport"
        var nick: String { ["none", "end", "live"][Int(rawValue)] }
        var summary: String {
            switch self {
            case .none: "No report"
            case .end: "A table when the pipeline stops"
            case .live: "A line each second, rewritten in place on a terminal, and the table"
            }
        }
    }
}
