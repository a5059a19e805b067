import GStreamer
import MachineState
import ThermalPolicy

/// Limits of `custom-ladder`, by level.
struct CustomLadder: Equatable {
    private(set) var text: String?
    private(set) var limits: [QualityLimits] = []

    static let levels: [ThermalLevel] = [.fair, .serious, .critical, .shutdown]

    /// Creates an empty ladder, with which the policy applies.
    init() {}

    init(_ text: String?) throws(ElementError) {
        guard let text, !text.isEmpty else { return }
        var parts = text.split(separator: ";", omittingEmptySubsequences: false)
        // A structure of GStreamer ends with a semicolon.
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
