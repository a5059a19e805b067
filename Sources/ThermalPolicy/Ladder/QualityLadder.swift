import MachineState

/// Rules for a ladder.
public struct LadderRules: Sendable, Equatable {
    /// The order in which quality is reduced.
    public enum Policy: Int32, Sendable, Equatable, CaseIterable {
        /// Values of the property `policy`; see `summary`.
        case balanced, maintainFramerate, maintainResolution, bitrateFirst
    }

    /// Order of the reduction.
    public var policy = Policy.balanced
    /// Performance of the machine.
    public var tier = DeviceTier.high
    /// Minimum frames per second.
    public var minimumRate = FrameRate(10, 1)
    /// Minimum height, or width of portrait video.
    public var minimumHeight = 240
    /// Whether fewer pixels are possible.
    public var mayChangeSize = true
    /// Whether frames can be dropped.
    var mayDrop = true
    /// Whether there is an encoder whose bitrate can be lowered.
    public var hasEncoder = true
    /// Limits for fair, serious, critical and shutdown, which replace the policy; higher levels use the last limits.
    public var custom: [QualityLimits] = []

    public init() {}

    /// `minimumHeight` rounded up to a multiple of 2 or 4 that every encoder accepts.
    func leastShortSide(of caps: VideoCaps) -> Int {
        let step = caps.isInterlaced ? 4 : 2
        let least = min(max(minimumHeight, QualityLimits.leastSide), Int(Int32.max))
        return (least + step - 1) / step * step
    }
}

/// Steps from full to lowest quality for one stream.
public struct QualityLadder: Sendable, Equatable {
    /// One step of the reduction.
    public struct Rung: Sendable, Equatable {
        /// Lowest level of heat at which the rung may be selected.
        public let entry: ThermalLevel
        /// Limits for caps and bitrate.
        public let limits: QualityLimits
    }

    /// Rungs, at least one; the first is full quality.
    public let rungs: [Rung]
    /// Levels whose limits were below the minimum of the rules, and were therefore raised to it.
    public let raised: [ThermalLevel]

    /// Share of bitrate, rate or side that one step leaves.
    private static let bitrateStep = 0.7
    private static let step = (up: 2, down: 3)
    /// Upper limits of the sides in the first critical rung, in pixels: 720p.
    private static let criticalSides = (long: 1280, short: 720)
    /// Highest frame rate of the first critical rung, in frames per second.
    private static let criticalRate = 25
    /// Maximum number of rungs, higher than any stream requires.
    private static let most = 64

    /// Computes the ladder for the caps of a source.
    public init(for caps: VideoCaps, _ rules: LadderRules) {
        var builder = Builder(caps: caps, rules: rules)
        rules.custom.isEmpty ? builder.addPolicyRungs() : builder.addCustomRungs()
        rungs = builder.rungs
        raised = builder.raised
    }

    /// Last rung that reduces `caps` at most as far as rung `index` of `other`, and that needs no higher level of heat.
    public func rung(like index: Int, of other: Self, for caps: VideoCaps) -> Int {
        guard other.rungs.indices.contains(index) else { return min(index, rungs.count - 1) }
        let taken = other.rungs[index]
        let least = taken.limits.fit(caps)
        return rungs.lastIndex { rung in
            let fitted = rung.limits.fit(caps)
            let isNoSmaller = fitted.width >= least.width && fitted.height >= least.height
            let isNoSlower = (fitted.rate?.perSecond ?? .infinity) >= (least.rate?.perSecond ?? 0)
            return rung.entry <= taken.entry && isNoSmaller && isNoSlower
                && rung.limits.bitrateShare >= taken.limits.bitrateShare
        } ?? 0
    }

    private struct Builder {
        let caps: VideoCaps
        let rules: LadderRules
        var rungs: [Rung]
        var raised: [ThermalLevel] = []
        var limits: QualityLimits

        init(caps: VideoCaps, rules: LadderRules) {
            self.caps = caps
            self.rules = rules
            limits = QualityLimits()
            if rules.mayDrop {
                switch rules.tier {
                case .low: limits.rate = caps.rate?.times(1, 2)
                case .medium: limits.rate = caps.rate?.times(3, 4)
                case .high: break
                }
            }
            rungs = [Rung(entry: .nominal, limits: limits)]
        }

        mutating func addPolicyRungs() {
            let policy = rules.policy
            limits.bitrateShare *= QualityLadder.bitrateStep
            if policy == .balanced, rules.mayDrop { lowerRate() }
            add(.serious)
            if policy == .bitrateFirst {
                for level in [ThermalLevel.serious, .critical] {
                    limits.bitrateShare *= QualityLadder.bitrateStep
                    add(level)
                }
            }
            let shrinks = rules.mayChangeSize && policy != .maintainResolution
            let slows = rules.mayDrop && (!shrinks || policy != .maintainFramerate)
            if shrinks { capSides() }
            if slows, let critical = FrameRate(QualityLadder.criticalRate, 1) {
                let cap = max(critical, rules.minimumRate ?? critical)
                limits.rate = limits.rate.map { min($0, cap) } ?? cap
            }
            add(.critical)
            while rungs.count < QualityLadder.most {
                let before = rungs.count
                if shrinks {
                    lowerSides()
                    add(.critical)
                }
                if slows {
                    lowerRate()
                    add(.critical)
                }
                if rungs.count == before { return }
            }
        }

        mutating func addCustomRungs() {
            let levels: [ThermalLevel] = [.fair, .serious, .critical, .shutdown]
            for (level, custom) in zip(levels, rules.custom) {
                let base = rungs[0].limits.rate
                var wanted = rules.mayChangeSize ? custom : custom.withoutSizeLimits
                if !rules.mayDrop { wanted.rate = nil }
                limits = wanted.raised(to: rules, for: caps)
                if limits != wanted { raised.append(level) }
                if let base { limits.rate = limits.rate.map { min($0, base) } ?? base }
                add(level)
            }
        }

        /// Adds the limits as a rung if they differ in effect from those of the last rung.
        private mutating func add(_ entry: ThermalLevel) {
            guard let last = rungs.last?.limits else { return }
            let changesBitrate = rules.hasEncoder && last.bitrateShare != limits.bitrateShare
            guard changesBitrate || last.fit(caps) != limits.fit(caps) else { return }
            rungs.append(Rung(entry: entry, limits: limits))
        }

        private mutating func lowerRate() {
            guard let now = limits.rate ?? caps.rate ?? FrameRate(30, 1), let floor = rules.minimumRate else {
                return
            }
            let lower = now.times(QualityLadder.step.up, QualityLadder.step.down)
            limits.rate = max(lower, min(floor, now))
        }

        private mutating func capSides() {
            guard rules.minimumHeight < QualityLadder.criticalSides.short else { return }
            limits.longSide = QualityLadder.criticalSides.long
            limits.shortSide = QualityLadder.criticalSides.short
            limits = limits.withRaisedSides(to: rules, for: caps)
        }

        private mutating func lowerSides() {
            let fitted = limits.fit(caps)
            let now = fitted.shortSide
            let lower = max(
                now * QualityLadder.step.up / QualityLadder.step.down, min(rules.leastShortSide(of: caps), now))
            guard lower < now else { return }
            limits.shortSide = lower
            limits.longSide = nil
        }
    }

    /// Describes the reduction from `caps` to `made`, such as `1280x720, 20/1 fps, bitrate 70%`; `none` without one.
    public static func action(_ made: VideoCaps, of caps: VideoCaps, bitrateShare: Double) -> String {
        var words: [String] = []
        if made.width != caps.width || made.height != caps.height {
            words.append("\(made.width)x\(made.height)")
        }
        if let rate = made.rate, rate != caps.rate { words.append("\(rate.numerator)/\(rate.denominator) fps") }
        let percent = (bitrateShare * 100).rounded()
        if percent < 100 { words.append("bitrate \(Int(max(0, percent)))%") }
        return words.isEmpty ? "none" : words.joined(separator: ", ")
    }
}
