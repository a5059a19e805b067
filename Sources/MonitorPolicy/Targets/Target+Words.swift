extension Target {
    /// A fault of one value, without its place.
    struct Fault: Error {
        let fault: String
        let allowed: String
    }

    mutating func set(_ word: TargetWord, to text: some StringProtocol) throws(Fault) {
        if word == .tiers {
            tiers = try Self.tiers(text)
            return
        }
        guard let value = Quantity.value(of: text, word.kind) else {
            let fault = "\(word.name) is \(TargetError.quote(text))"
            throw Fault(fault: fault, allowed: word.allowed)
        }
        switch word {
        case .limit(let metric): limits.append(Limit(metric, value))
        case .window: window = .seconds(value)
        case .samples: samples = UInt64(value)
        case .tolerance: tolerance = value
        case .warning(let family): thresholds[family].warning = value
        case .critical(let family): thresholds[family].critical = value
        case .tiers: break
        }
    }

    func check() throws(Fault) {
        guard !limits.isEmpty else {
            let allowed = Metric.allCases.map(\.rawValue).joined(separator: ", ")
            throw Fault(fault: "target \(TargetError.quote(name)) has no limit", allowed: "at least one of \(allowed)")
        }
        if limit(of: .compliance) != nil, complianceLimit == nil {
            throw Fault(fault: "compliance has no limit of a latency beside it", allowed: "p95=20ms, compliance=95%")
        }
        if let fault = thresholds.fault {
            throw Fault(fault: fault, allowed: "a critical threshold no milder than the warning")
        }
        try checkTiers()
    }

    private func checkTiers() throws(Fault) {
        guard !tiers.isEmpty else { return }
        guard var rate = limit(of: .rate) else {
            throw Fault(fault: "tiers has no rate beside it", allowed: "rate=20, tiers=15|10")
        }
        for (place, tier) in tiers.enumerated() {
            switch tier {
            case .off where place == tiers.count - 1: break
            case .rate(let lower) where lower < rate: rate = lower
            default:
                throw Fault(
                    fault: "tier \(place + 1) is not lower than the one before", allowed: TargetWord.tiers.allowed)
            }
        }
    }

    private static func tiers(_ text: some StringProtocol) throws(Fault) -> [Tier] {
        var tiers: [Tier] = []
        for part in text.split(separator: "|", omittingEmptySubsequences: false) {
            let part = trim(part)
            if part == "off" {
                tiers.append(.off)
            } else if let rate = Quantity.value(of: part, .rate) {
                tiers.append(.rate(rate))
            } else {
                let fault = "tiers has \(TargetError.quote(part))"
                throw Fault(fault: fault, allowed: TargetWord.tiers.allowed)
            }
        }
        return tiers
    }

    /// Returns the text without white space at both ends.
    public static func trim<Text: StringProtocol>(_ text: Text) -> Text.SubSequence {
        var rest = text.drop { $0.isWhitespace }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }
}
