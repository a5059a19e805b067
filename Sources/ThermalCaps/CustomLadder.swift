import GStreamer
import MachineState
import ThermalPolicy

extension QualityLimits {
    /// Limits of `custom-ladder`, by level; without any the policy applies.
    static func ladder(_ text: String?) throws(ElementError) -> [QualityLimits] {
        guard let text, !text.isEmpty else { return [] }
        let levels: [ThermalLevel] = [.fair, .serious, .critical, .shutdown]
        var parts = text.split(separator: ";", omittingEmptySubsequences: false)
        // A structure of GStreamer ends with a semicolon.
        if parts.count > 1, parts.last?.allSatisfy(\.isWhitespace) == true { parts.removeLast() }
        guard parts.count <= levels.count else {
            throw .settings(
                "custom-ladder has caps for \(parts.count) levels; write four at most.",
                debug: "They are fair, serious, critical and shutdown.")
        }
        var limits: [QualityLimits] = []
        for (level, part) in zip(levels, parts) {
            limits.append(try QualityLimits(caps: String(part), for: "custom-ladder, level \(level.name)"))
        }
        return limits
    }
}
