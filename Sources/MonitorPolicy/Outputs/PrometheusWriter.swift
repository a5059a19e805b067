import Durations

/// Builds a text in Prometheus' text format: families with HELP and TYPE, samples with escaped labels.
struct PrometheusWriter {
    /// Type of a family.
    enum Kind: String {
        case counter, gauge
    }

    let pipelineLabel: String
    private(set) var text = ""

    init(pipeline: String) { pipelineLabel = Self.label("pipeline", pipeline) }

    /// Returns a label, escaped: `element="a\"b"`.
    func label(_ name: String, _ value: String) -> String { Self.label(name, value) }

    /// Returns the labels of each element; a second element with the same name gets a number, since series are unique.
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

    /// Writes a family of counters or gauges; none if there is no sample.
    mutating func write(_ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: String, value: Double)]) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples { text += "\(name){\(sample.labels)} \(Self.number(sample.value))\n" }
    }

    /// Writes a family of histograms; none if there is no sample.
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

    /// Writes a number as Go parses it: whole ones without a point.
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
