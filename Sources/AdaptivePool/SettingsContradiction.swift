import GStreamer
import PoolPolicy

/// Two settings that contradict each other.
struct SettingsContradiction: Equatable, Sendable {
    /// The two values, and the action of the pool.
    let text: String
    let remedy: String

    var notice: ElementError { .resource(.settings, text, debug: "\(text) \(remedy)") }
}

extension AdaptivePoolSettings {
    var contradictions: [SettingsContradiction] {
        var found: [SettingsContradiction] = []
        // Only values of the user count, not the default of min-buffers.
        if maximum > 0, minimum > Int(maximum), minimum > PoolRules.tripleBuffering {
            found.append(
                SettingsContradiction(
                    text:
                        "min-buffers=\(minimum) is greater than max-buffers=\(maximum); the pool has at most \(maximum) "
                        + "buffers.",
                    remedy: "Lower min-buffers, raise max-buffers, or leave max-buffers at -1."))
        }
        if rules.growThreshold < rules.shrinkThreshold {
            found.append(
                SettingsContradiction(
                    text:
                        "grow-threshold=\(rules.growThreshold) is less than shrink-threshold=\(rules.shrinkThreshold); "
                        + "the pool uses \(rules.growThreshold) for both.",
                    remedy: "Set shrink-threshold to less than grow-threshold."))
        }
        return found
    }
}
