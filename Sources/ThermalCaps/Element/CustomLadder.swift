import GStreamer
import MachineState
import ThermalPolicy

/// What `custom-ladder` says, level by level.
struct CustomLadder: Equatable {
    private(set) var text: String?
    private(set) var limits: [QualityLimits] = []

    static let levels: [ThermalLevel] = [.fair, .serious, .critical, .shutdown]

    /// No ladder.
    init() {}

    init(_ text: String?) throws(ElementError) {
        guard let text, !text.isEmpty else { return }
        var parts = text.split(separator: ";", omittingEmptySubsequences: false)
        // GStreamer ends structures with one.
        if parts.count > 1, parts.last?.allSatisfy(\.isWhitespace) == true { parts.removeLast() }
        guard parts.count <= Self.levels.count else {
            throw .settings(
                "custom-ladder has caps for \(parts.count) levels; write four at most.",
                debug: "They are fair, serious, critical and shutdown.")
        }
        for (level, part) in zip(Self.levels, parts) {
            limits.append(try QualityLimits(caps: String(part), for: "custom-ladder, level \(level.name)"))
        }
        self.text = text
    }
}

extension QualityLimits {
    /// From caps that a person wrote; `place` begins the error that says what is wrong with them.
    init(caps text: String, for place: String, otherShare: Double = 1) throws(ElementError) {
        let caps = try CapsLimits.parse(text, for: place, leastSide: Self.leastSide)
        self.init(
            width: caps.width.map(Int.init), height: caps.height.map(Int.init),
            rate: caps.rate.flatMap { FrameRate(Int($0.numerator), Int($0.denominator)) },
            bitrateShare: caps.bitrateShare ?? otherShare, isShareExact: caps.bitrateShare != nil)
    }

    /// The answer to `configure-caps`, where the ladder would have taken `own`.
    ///
    /// Of several caps the first are preferred, as everywhere.
    init(answer: String, at level: ThermalLevel, own: QualityLimits) throws(ElementError) {
        let first = answer.split(separator: ";").first.map(String.init) ?? answer
        try self.init(
            caps: first, for: "The answer to configure-caps, level \(level.name)", otherShare: own.bitrateShare)
    }
}
