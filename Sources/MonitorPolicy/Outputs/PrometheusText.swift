import Durations

/// Writes a snapshot in Prometheus' text format 0.0.4: counters, gauges, and histograms in seconds.
///
/// The bounds of the buckets are bounds of `DurationBins`, so the counts are exact.
public enum PrometheusText {
    /// Bins whose upper bounds are the bounds of buckets: two for each power of two, from 65 µs to 17 s.
    static let buckets: [Int] = stride(
        from: DurationBins.bin(of: 1 << 16), through: DurationBins.bin(of: 1 << 34), by: 16
    )
    .map { $0 - 1 }

    /// Returns the text of a snapshot.
    public static func text(_ snapshot: MonitorSnapshot) -> String {
        var writer = PrometheusWriter(pipeline: snapshot.name)
        let elements = zip(writer.labels(of: snapshot.elements), snapshot.elements).map { ($0, $1) }
        writeCounters(elements, to: &writer)
        writeLatencies(elements, to: &writer)
        writeLevels(elements, to: &writer)
        writeThreads(elements, to: &writer)
        writeProcess(snapshot, to: &writer)
        return writer.text
    }

    private typealias Labelled = [(labels: String, element: ElementSnapshot)]

    private static func writeCounters(_ elements: Labelled, to writer: inout PrometheusWriter) {
        let counters: [(name: String, help: String, value: (ElementCounts) -> Double?)] = [
            ("gst_frames_in_total", "Frames that entered the element.", { Double($0.framesIn) }),
            ("gst_frames_out_total", "Frames that left the element.", { Double($0.framesOut) }),
            ("gst_frames_dropped_total", "Frames that did not leave the element.", { $0.dropped.map { Double($0) } }),
            ("gst_bytes_in_total", "Bytes that entered the element.", { Double($0.bytesIn) }),
            ("gst_bytes_out_total", "Bytes that left the element.", { Double($0.bytesOut) }),
            (
                "gst_blocked_seconds_total", "Time that pushes were blocked downstream.",
                { $0.blocked > .zero ? $0.blocked / .seconds(1) : nil }
            ),
            (
                "gst_own_seconds_total", "Time spent on frames that entered, without pushes downstream.",
                { $0.own > .zero ? $0.own / .seconds(1) : nil }
            ),
            ("gst_latency_unknown_total", "Frames without a measured latency.", { Double($0.latency.unknown) }),
            ("gst_age_unknown_total", "Frames without a measured age.", { Double($0.age.unknown) }),
        ]
        for counter in counters {
            let samples = elements.compactMap { element in
                counter.value(element.element.counts).map { (element.labels, $0) }
            }
            writer.write(counter.name, .counter, counter.help, samples)
        }
    }

    private static func writeLatencies(_ elements: Labelled, to writer: inout PrometheusWriter) {
        writer.write(
            "gst_latency_seconds", "Time from a sink pad to a source pad of the element.",
            elements.filter { $0.element.total.latency.coverage != nil }
                .map { ($0.labels, $0.element.counts.latency.histogram) })
        writer.write(
            "gst_age_seconds", "Age of the frames since their source.",
            elements.filter { $0.element.total.age.coverage != nil }
                .map { ($0.labels, $0.element.counts.age.histogram) })
    }

    private static func writeLevels(_ elements: Labelled, to writer: inout PrometheusWriter) {
        for isCounter in [false, true] {
            var samples: [(String, Double)] = []
            for (labels, element) in elements {
                var seen: Set<String> = []
                for level in element.levels where level.isCounter == isCounter && !level.isNone {
                    let names = writer.label("name", level.name) + "," + writer.label("detail", level.detail)
                    if seen.insert(names).inserted { samples.append(("\(labels),\(names)", level.value)) }
                }
            }
            let name = isCounter ? "gst_events_total" : "gst_level"
            let help = isCounter ? "Counts that the element reports." : "Values that the element reports."
            writer.write(name, isCounter ? .counter : .gauge, help, samples)
        }
    }

    private static func writeThreads(_ elements: Labelled, to writer: inout PrometheusWriter) {
        let gauges: [(name: String, help: String, value: (ElementSnapshot) -> Double?)] = [
            ("gst_element_cpu_cores", "CPU time of the threads of the element, in cores.", { $0.cpu }),
            (
                "gst_element_cpu_wait_threads", "Threads of the element that are ready and have no processor.",
                { $0.cpuWait }
            ),
        ]
        for gauge in gauges {
            let samples = elements.compactMap { element in gauge.value(element.element).map { (element.labels, $0) } }
            writer.write(gauge.name, .gauge, gauge.help, samples)
        }
    }

    private static func writeProcess(_ snapshot: MonitorSnapshot, to writer: inout PrometheusWriter) {
        let process = snapshot.process
        let labels = writer.pipelineLabel
        let gauges: [(name: String, help: String, value: Double?)] = [
            ("gst_uptime_seconds", "Time since the monitor started.", snapshot.time.inSeconds),
            ("gst_cpu_cores", "CPU time of the process, in cores.", process.cpu),
            ("gst_cpu_wait_threads", "Threads that are ready and have no processor.", process.cpuWait),
            ("gst_processors", "Processors that the process may use.", process.processors),
            (
                "gst_machine_cpu_cores", "Processors that all programs use, of those that the process may run on.",
                process.machineCPU
            ),
            ("gst_machine_stolen_cpu_cores", "Processors that a hypervisor withholds.", process.stolenCPU),
            (
                "gst_machine_cpu_pressure_ratio", "Share of the time in which some thread waits for a processor.",
                process.cpuPressure
            ),
            ("gst_memory_bytes", "Memory of the process.", process.memory.map { Double($0) }),
            ("gst_memory_peak_bytes", "Largest memory of the process.", process.peakMemory.map { Double($0) }),
            ("gst_power_watts", "Measured power.", process.power),
        ]
        for gauge in gauges { writer.write(gauge.name, .gauge, gauge.help, gauge.value.map { [(labels, $0)] } ?? []) }
        let energy = process.energy.map { [(labels, $0)] } ?? []
        writer.write("gst_energy_joules_total", .counter, "Measured energy since the start.", energy)
        var seen: Set<String> = []
        let alerts = snapshot.alerts.map { alert in
            let element = writer.label("element", alert.element) + "," + writer.label("metric", alert.metric.rawValue)
            return "\(labels),\(element)," + writer.label("severity", alert.severity.rawValue)
        }
        writer.write(
            "gst_alert", .gauge, "Alerts that stand.", alerts.filter { seen.insert($0).inserted }.map { ($0, 1) })
    }
}

/// Builds a text in Prometheus' text format: families with HELP and TYPE, samples with escaped labels.
struct PrometheusWriter {
    enum Kind: String {
        case counter, gauge
    }

    let pipelineLabel: String
    private(set) var text = ""

    init(pipeline: String) { pipelineLabel = Self.label("pipeline", pipeline) }

    func label(_ name: String, _ value: String) -> String { Self.label(name, value) }

    /// Returns the labels of each element; a repeated name gets a number, because series must be unique.
    func labels(of elements: [ElementSnapshot]) -> [String] {
        var seen: Set<String> = []
        return elements.map { element in
            var name = element.name
            var number = 2
            while !seen.insert(name).inserted {
                name = "\(element.name)#\(number)"
                number += 1
            }
            return "\(pipelineLabel),\(label("element", name)),\(label("factory", element.factory))"
        }
    }

    /// Writes a family of counters or gauges; writes nothing if there are no samples.
    mutating func write(_ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: String, value: Double)]) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples { text += "\(name){\(sample.labels)} \(Self.number(sample.value))\n" }
    }

    /// Writes a family of histograms; writes nothing if there are no samples.
    mutating func write(_ name: String, _ help: String, _ samples: [(labels: String, value: DurationHistogram)]) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) histogram\n"
        for (labels, histogram) in samples {
            var count: UInt64 = 0
            var next = 0
            for bucket in PrometheusText.buckets {
                while next <= bucket {
                    count &+= histogram.count(inBin: next)
                    next += 1
                }
                let bound = Self.number(Double(DurationBins.upperBound(of: bucket)) / 1e9)
                text += "\(name)_bucket{\(labels),le=\"\(bound)\"} \(count)\n"
            }
            text += "\(name)_bucket{\(labels),le=\"+Inf\"} \(histogram.count)\n"
            text += "\(name)_sum{\(labels)} \(Self.number(histogram.sum.inSeconds))\n"
            text += "\(name)_count{\(labels)} \(histogram.count)\n"
        }
    }

    /// Writes a number as Go parses it: whole numbers without a point.
    private static func number(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value > 0 ? "+Inf" : "-Inf" }
        return value.magnitude < 9e15 && value == value.rounded() ? "\(Int64(value))" : "\(value)"
    }

    private static func label(_ name: String, _ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return "\(name)=\"\(text)\""
    }
}
