extension Target {
    mutating func set(
        _ word: TargetWord, to text: some StringProtocol, at place: @autoclosure () -> TargetError.Place
    ) throws(TargetError) {
        if word == .tiers {
            tiers = try Self.tiers(text, at: place())
            return
        }
        guard let value = Quantity.value(of: text, word.kind) else {
            let fault = "\(word.name) is \(TargetError.quote(text))"
            throw TargetError(place: place(), fault: fault, allowed: word.allowed)
        }
        switch word {
        case .limit(let metric): limits.append(Limit(metric: metric, value: value))
        case .window: window = .seconds(value)
        case .samples: samples = UInt64(value)
        case .tolerance: tolerance = value
        case .warning(let family): thresholds[family].warning = value
        case .critical(let family): thresholds[family].critical = value
        case .tiers: break
        }
    }

    func check(at place: @autoclosure () -> TargetError.Place) throws(TargetError) {
        guard !limits.isEmpty else {
            let allowed = Metric.allCases.map(\.rawValue).joined(separator: ", ")
            throw TargetError(
                place: place(), fault: "target \(TargetError.quote(name)) has no limit",
                allowed: "at least one of \(allowed)")
        }
        if limit(of: .compliance) != nil, complianceLimit == nil {
            throw TargetError(
                place: place(), fault: "compliance has no limit of a latency beside it",
                allowed: "p95=20ms, compliance=95%")
        }
        try thresholds.check(at: place())
        try checkTiers(at: place())
    }

    private func checkTiers(at place: @autoclosure () -> TargetError.Place) throws(TargetError) {
        guard !tiers.isEmpty else { return }
        guard var rate = limit(of: .rate) else {
            throw TargetError(
                place: place(), fault: "tiers has no rate beside it", allowed: "rate=20, tiers=15|10")
        }
        for (index, tier) in tiers.enumerated() {
            switch tier {
            case .off where index == tiers.count - 1: break
            case .rate(let lower) where lower < rate: rate = lower
            default:
                throw TargetError(
                    place: place(), fault: "tier \(index + 1) is not lower than the one before",
                    allowed: TargetWord.tiers.allowed)
            }
        }
    }

    private static func tiers(
        _ text: some StringProtocol, at place: @autoclosure () -> TargetError.Place
    ) throws(TargetError) -> [Tier] {
        var tiers: [Tier] = []
        for part in text.split(separator: "|", omittingEmptySubsequences: false) {
            let part = trim(part)
            if part == "off" {
                tiers.append(.off)
            } else if let rate = Quantity.value(of: part, .rate) {
                tiers.append(.rate(rate))
            } else {
                throw TargetError(
                    place: place(), fault: "tiers has \(TargetError.quote(part))", allowed: TargetWord.tiers.allowed)
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
