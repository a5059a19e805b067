/// Checks the grammar of Prometheus' text format 0.0.4, and the rules of `promtool check metrics`.
struct ExpositionRules {
    private struct Family {
        var help: Substring?
        var kind: Substring?
        var hasSamples = false
    }

    private struct Sample {
        var name: Substring
        var labels: [(name: String, value: String)]
        var value: Double
    }

    private(set) var faults: [String] = []
    private var families: [Substring: Family] = [:]
    private var current: Substring?
    private var series: Set<String> = []
    /// Bounds and counts of the buckets in the order of the text; the key has the histogram's labels without `le`.
    private var buckets: [String: [(bound: Double, count: Double)]] = [:]
    private var counts: [String: Double] = [:]

    init(_ text: String) {
        if !text.isEmpty, !text.hasSuffix("\n") { faults.append("The last line has no end.") }
        for line in text.split(separator: "\n") { take(line) }
        for (name, family) in families where !family.hasSamples { faults.append("\(name) has no sample.") }
        checkHistograms()
    }

    private mutating func take(_ line: Substring) {
        if line.hasPrefix("#") { return comment(line) }
        guard let sample = Self.sample(line) else {
            faults.append("The line cannot be read: \(line)")
            return
        }
        guard let family = family(of: sample.name) else {
            faults.append("\(sample.name) has no TYPE before it.")
            return
        }
        if family != current { faults.append("Samples of \(family) are not together.") }
        families[family]?.hasSamples = true
        check(sample, of: family)
    }

    private mutating func comment(_ line: Substring) {
        let words = line.split(separator: " ", maxSplits: 3)
        guard words.count == 4, words[0] == "#", words[1] == "HELP" || words[1] == "TYPE" else {
            faults.append("The comment cannot be read: \(line)")
            return
        }
        let name = words[2]
        if !Self.isName(name, with: ":") { faults.append("\(name) is no name.") }
        let family = families[name] ?? Family()
        if words[1] == "HELP" {
            if family.help != nil { faults.append("\(name) has two HELP.") }
            families[name, default: family].help = words[3]
        } else {
            if family.kind != nil || family.hasSamples { faults.append("\(name) has two TYPE.") }
            if family.help == nil { faults.append("\(name) has no HELP.") }
            families[name, default: family].kind = words[3]
            checkName(name, words[3])
        }
        current = name
    }

    /// Checks the rules of promtool about names.
    private mutating func checkName(_ name: Substring, _ kind: Substring) {
        guard ["counter", "gauge", "histogram"].contains(kind) else {
            faults.append("\(name) has the type \(kind).")
            return
        }
        if name.hasSuffix("_total") != (kind == "counter") { faults.append("\(name) is a \(kind).") }
        for suffix in ["_count", "_sum", "_bucket", "_info"] where name.hasSuffix(suffix) {
            faults.append("\(name) ends with \(suffix).")
        }
        let words = name.split(separator: "_")
        let odd: Set<Substring> = [
            "counter", "gauge", "histogram", "summary", "ms", "milliseconds", "microseconds", "nanoseconds", "minutes",
            "kilobytes", "megabytes", "percent", "kb", "mb", "bits",
        ]
        for word in words where odd.contains(word) { faults.append("\(name) contains \(word).") }
        if name.contains(where: \.isUppercase) { faults.append("\(name) has capitals.") }
    }

    private func family(of name: Substring) -> Substring? {
        if families[name]?.kind != nil { return name }
        for suffix in ["_bucket", "_sum", "_count"] where name.hasSuffix(suffix) {
            let family = name.dropLast(suffix.count)
            if families[family]?.kind == "histogram" { return family }
        }
        return nil
    }

    private mutating func check(_ sample: Sample, of family: Substring) {
        let names = sample.labels.map(\.name)
        if Set(names).count != names.count { faults.append("\(sample.name) has a label twice.") }
        for name in names where !Self.isName(Substring(name), with: nil) || name.hasPrefix("__") {
            faults.append("\(name) is no label.")
        }
        let labels = sample.labels.sorted { $0.name < $1.name }.map { "\($0.name)=\($0.value)\u{0}" }
        if !series.insert("\(sample.name)\u{0}\(labels.joined())").inserted {
            faults.append("\(sample.name) has the series \(sample.labels) twice.")
        }
        let kind = families[family]?.kind
        if kind != "gauge", !(sample.value >= 0) { faults.append("\(sample.name) is \(sample.value).") }
        guard kind == "histogram" else { return }
        let key = "\(family)\u{0}" + labels.filter { !$0.hasPrefix("le=") }.joined()
        if sample.name.hasSuffix("_count") { counts[key] = sample.value }
        guard sample.name.hasSuffix("_bucket") else { return }
        guard let bound = sample.labels.first(where: { $0.name == "le" }).flatMap({ Double($0.value) }) else {
            faults.append("\(sample.name) has no le.")
            return
        }
        buckets[key, default: []].append((bound, sample.value))
    }

    private mutating func checkHistograms() {
        for (key, list) in buckets {
            let bounds = list.map(\.bound)
            if zip(bounds, bounds.dropFirst()).contains(where: { $0 >= $1 }) {
                faults.append("Bounds do not rise: \(key)")
            }
            if zip(list, list.dropFirst()).contains(where: { $0.count > $1.count }) {
                faults.append("Buckets fall: \(key)")
            }
            if list.last?.bound != .infinity || list.last?.count != counts[key] {
                faults.append("The bucket +Inf is not the count: \(key)")
            }
        }
        for key in counts.keys where buckets[key] == nil { faults.append("There are no buckets: \(key)") }
    }

    // MARK: The grammar

    private static func isName(_ name: Substring, with extra: Character?) -> Bool {
        guard let first = name.first, !first.isNumber else { return false }
        return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == extra) }
    }

    private static func sample(_ line: Substring) -> Sample? {
        var rest = line
        let name = rest.prefix { $0 != "{" && $0 != " " }
        rest = rest.dropFirst(name.count)
        var labels: [(name: String, value: String)] = []
        if rest.first == "{" {
            rest = rest.dropFirst()
            while rest.first != "}" {
                guard let label = label(&rest) else { return nil }
                labels.append(label)
                if rest.first == "," { rest = rest.dropFirst() } else if rest.first != "}" { return nil }
            }
            rest = rest.dropFirst()
        }
        guard isName(name, with: ":"), rest.popFirst() == " ", let value = number(rest) else { return nil }
        return Sample(name: name, labels: labels, value: value)
    }

    private static func number(_ text: Substring) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: text.allSatisfy { $0.isNumber || "+-.e".contains($0) } ? Double(text) : nil
        }
    }

    private static func label(_ rest: inout Substring) -> (name: String, value: String)? {
        let name = rest.prefix { $0 != "=" }
        rest = rest.dropFirst(name.count)
        guard rest.popFirst() == "=", rest.popFirst() == "\"" else { return nil }
        var value = ""
        while let character = rest.popFirst() {
            if character == "\"" { return (String(name), value) }
            guard character == "\\" else {
                value.append(character)
                continue
            }
            guard let escaped = rest.popFirst(), "n\\\"".contains(escaped) else { return nil }
            value.append(escaped == "n" ? "\n" : escaped)
        }
        return nil
    }
}
