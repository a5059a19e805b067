import ElasticPool
import GStreamer

/// Whether upstream uses the pool; posts a message, once, when it does not.
struct PoolUsage {
    /// Why upstream was not offered the pool.
    enum Obstacle: Equatable {
        case noQuery
        case noPoolWanted
        /// Downstream has a pool or allocator of this type, which takes precedence.
        case downstream(String)

        var text: String {
            switch self {
            case .noQuery: "it sent no ALLOCATION query"
            case .noPoolWanted: "its ALLOCATION query requests no pool"
            case .downstream(let type): "downstream has its own, of type \(type)"
            }
        }
    }

    /// Nil when upstream was offered the pool.
    var obstacle: Obstacle? = .noQuery
    /// Whether a frame of the pool has arrived since the caps.
    var isUsed = false
    private var isReported = false
    /// Frames from elsewhere since the caps.
    private var foreignFrames = 0

    /// Number of frames that a decoder may fill before it negotiates: its reorder depth times its threads.
    private static let grace = 64

    var prefersDownstream: Bool { if case .downstream = obstacle { true } else { false } }

    /// Why the pool must not be offered; nil when it may be.
    static func obstacle(
        _ query: borrowing AllocationQuery, _ demand: AllocationDemand, _ preference: Preference
    ) -> Obstacle? {
        guard query.wantsPool else { return .noPoolWanted }
        let type =
            switch preference {
            case .auto: demand.ownMemory
            case .downstream: demand.ownMemory ?? demand.pool
            case .own: nil as String?
            }
        return type.map { .downstream($0) }
    }

    mutating func capsChanged() {
        foreignFrames = 0
        isUsed = false
    }

    /// Called for each frame that is not from a pool of this element.
    mutating func foreignFrameArrived(
        _ frame: borrowing Buffer, _ caps: Caps?, _ settings: AdaptivePoolSettings, _ host: ElementHost
    ) {
        guard !isReported, !isUsed else { return }
        foreignFrames += 1
        guard let caps, caps.isRawVideo else {
            guard settings.isEnabled else { return }
            isReported = true
            return host.post(warning: Self.notice(unservedCaps: caps?.name ?? "no caps"))
        }
        guard obstacle != nil || foreignFrames > Self.grace, settings.isEnabled else { return }
        isReported = true
        let notice = notice(of: frame, isForced: settings.isForced)
        // Precedence of downstream is no fault, and copied frames need no warning.
        if prefersDownstream || settings.isForced { host.post(info: notice) } else { host.post(warning: notice) }
    }

    private static func notice(unservedCaps name: String) -> ElementError {
        let text =
            "The adaptive pool has no effect here: it serves raw video in system memory, and the caps are \(name)."
        return .resource(.settings, text, debug: "\(text) The stream passes unchanged. Remove the element.")
    }

    private func notice(of frame: borrowing Buffer, isForced: Bool) -> ElementError {
        let origin = frame.poolName.map { "a pool of type \($0)" } ?? "no pool"
        let reason = obstacle?.text ?? "it was offered the pool and did not use it"
        let text = "The element upstream does not use the adaptive pool: \(reason)."
        let remedy =
            prefersDownstream
            ? "Set prefer=own to offer the pool nevertheless."
            : isForced ? "They are copied into the pool." : "Set force=true to copy them into the pool."
        return .resource(.settings, text, debug: "\(text) Its frames come from \(origin). \(remedy)")
    }
}
