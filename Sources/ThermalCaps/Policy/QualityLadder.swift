import MachineState

/// What a stream gives up first.
public enum QualityPolicy: Sendable, Equatable, CaseIterable {
    case balanced, maintainFramerate, maintainResolution, bitrateFirst
}

/// How a ladder is built.
public struct LadderRules: Sendable, Equatable {
    public var policy = QualityPolicy.balanced
    public var tier = DeviceTier.high
    /// Frames per second below which no step goes.
    public var minimumRate = FrameRate(10, 1)
    /// Rows (the short side, on a picture that stands) below which no step goes.
    public var minimumHeight = 240
    public var mayChangeSize = true
    /// Whether frames can be left out.
    public var mayDrop = true
    /// Whether there is an encoder whose bitrate can be lowered.
    public var hasEncoder = true
    /// Limits for fair, serious, critical and shutdown, in place of the policy; the last goes for what follows.
    public var custom: [QualityLimits] = []

    public init() {}

    /// `minimumHeight` in whole steps of rows, and something every encoder takes.
    func leastShortSide(of picture: Picture) -> Int {
        let step = picture.isInterlaced ? 4 : 2
        let least = min(max(minimumHeight, QualityLimits.leastSide), Int(Int32.max))
        return (least + step - 1) / step * step
    }
}

/// The steps from full quality to the least, for one stream.
public struct QualityLadder: Sendable, Equatable {
    public struct Rung: Sendable, Equatable {
        /// From this level on the rung may be taken.
        public let entry: ThermalLevel
        public let limits: QualityLimits
    }

    /// The first is full quality; there is always one.
    public let rungs: [Rung]
    /// The levels whose own limits went below the rules, and were raised.
    public let raised: [ThermalLevel]

    /// How much of the bitrate, or of a rate or side, a step leaves.
    private static let bitrateStep = 0.7
    private static let step = (up: 2, down: 3)
    /// Critical begins with at most this.
    private static let criticalSides = (long: 1280, short: 720)
    private static let criticalRate = 25
    /// More steps than any stream has; a bound for what outside numbers could ask for.
    private static let most = 64

    public init(for picture: Picture, _ rules: LadderRules) {
        var builder = Builder(picture: picture, rules: rules)
        rules.custom.isEmpty ? builder.climbDownByPolicy() : builder.climbDownByHand()
        rungs = builder.rungs
        raised = builder.raised
    }

    /// The last rung that asks no more of `picture` than rung `index` of `other` does, nor before its level.
    public func rung(like index: Int, of other: Self, for picture: Picture) -> Int {
        guard other.rungs.indices.contains(index) else { return min(index, rungs.count - 1) }
        let taken = other.rungs[index]
        let least = taken.limits.fit(picture)
        return rungs.lastIndex { rung in
            let fitted = rung.limits.fit(picture)
            let isNoSmaller = fitted.width >= least.width && fitted.height >= least.height
            let isNoSlower = (fitted.rate?.perSecond ?? .infinity) >= (least.rate?.perSecond ?? 0)
            return rung.entry <= taken.entry && isNoSmaller && isNoSlower
                && rung.limits.bitrateShare >= taken.limits.bitrateShare
        } ?? 0
    }

    private struct Builder {
        let picture: Picture
        let rules: LadderRules
        var rungs: [Rung]
        var raised: [ThermalLevel] = []
        var limits: QualityLimits

        init(picture: Picture, rules: LadderRules) {
            self.picture = picture
            self.rules = rules
            limits = QualityLimits()
            let share = rules.tier.rateShare
            if share.numerator < share.denominator, rules.mayDrop {
                limits.rate = picture.rate?.times(share.numerator, share.denominator)
            }
            rungs = [Rung(entry: .nominal, limits: limits)]
        }

        mutating func climbDownByPolicy() {
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

        mutating func climbDownByHand() {
            let levels: [ThermalLevel] = [.fair, .serious, .critical, .shutdown]
            for (level, custom) in zip(levels, rules.custom) {
                let base = rungs[0].limits.rate
                var wanted = rules.mayChangeSize ? custom : custom.ofAnySize
                if !rules.mayDrop { wanted.rate = nil }
                limits = wanted.raised(to: rules, for: picture)
                if limits != wanted { raised.append(level) }
                if let base { limits.rate = limits.rate.map { min($0, base) } ?? base }
                add(level)
            }
        }

        /// Adds the limits as a rung, unless nothing changes by them.
        private mutating func add(_ entry: ThermalLevel) {
            guard let last = rungs.last?.limits else { return }
            let changesBitrate = rules.hasEncoder && last.bitrateShare != limits.bitrateShare
            guard changesBitrate || last.fit(picture) != limits.fit(picture) else { return }
            rungs.append(Rung(entry: entry, limits: limits))
        }

        private mutating func lowerRate() {
            guard let now = limits.rate ?? picture.rate ?? FrameRate(30, 1), let floor = rules.minimumRate else {
                return
            }
            let lower = now.times(QualityLadder.step.up, QualityLadder.step.down)
            limits.rate = max(lower, min(floor, now))
        }

        private mutating func capSides() {
            guard rules.minimumHeight < QualityLadder.criticalSides.short else { return }
            limits.longSide = QualityLadder.criticalSides.long
            limits.shortSide = QualityLadder.criticalSides.short
            limits = limits.withRaisedSides(to: rules, for: picture)
        }

        private mutating func lowerSides() {
            let fitted = limits.fit(picture)
            let now = fitted.shortSide
            let lower = max(
                now * QualityLadder.step.up / QualityLadder.step.down, min(rules.leastShortSide(of: picture), now))
            guard lower < now else { return }
            limits.shortSide = lower
            limits.longSide = nil
        }
    }

    /// What has become of `picture`, and of the bitrate an encoder has so much of, in words such as
    /// `1280x720, 20/1 fps, bitrate 70%`; `none` when nothing has.
    public static func action(_ made: Picture, of picture: Picture, bitrateShare: Double) -> String {
        var words: [String] = []
        if made.width != picture.width || made.height != picture.height {
            words.append("\(made.width)x\(made.height)")
        }
        if let rate = made.rate, rate != picture.rate { words.append("\(rate.numerator)/\(rate.denominator) fps") }
        let percent = (bitrateShare * 100).rounded()
        if percent < 100 { words.append("bitrate \(Int(max(0, percent)))%") }
        return words.isEmpty ? "none" : words.joined(separator: ", ")
    }
}
