/// How long a consumer works on each frame of a simulated stream.
///
/// Drawn from a seed: the same trace is always the same.
public struct LoadTrace: Sendable {
    public enum Shape: String, Sendable, CaseIterable {
        /// The published reference: 25 to 50 ms for each frame, in bursts; most of a second, one in 25 of four.
        ///
        /// The lengths of the bursts were chosen so that fixed pools stall as often as published.
        case camera
        /// Always less time than a frame lasts.
        case steady
        /// Short spells of far too much work.
        case bursts
        /// The work swells and ebbs.
        case oscillating
        /// Little work, then a little too much, then little again, for ten seconds each.
        case step
        /// Now and then one frame takes as long as ten.
        case sceneChange = "scene-change"
    }

    /// The time from one frame to the next.
    public static let frameMicroseconds: Int64 = 33_333

    public let shape: Shape
    private var random: SeededRandom
    private var frame: Int64 = 0
    private var framesLeftInSpell: Int64 = 0
    private var isBusy = false

    public init(_ shape: Shape, seed: UInt64) {
        self.shape = shape
        random = SeededRandom(seed)
    }

    /// The microseconds of work on the next frame.
    public mutating func next() -> Int64 {
        defer { frame += 1 }
        switch shape {
        case .camera:
            spell(busy: 24...40, rarely: 90...160, calm: 60...240)
            return isBusy ? random.within(45_000...50_000) : random.within(25_000...29_000)
        case .steady:
            return random.within(25_000...32_000)
        case .bursts:
            spell(busy: 5...15, rarely: 20...30, calm: 60...600)
            return isBusy ? random.within(60_000...90_000) : random.within(15_000...25_000)
        case .oscillating:
            // A triangle of 20 s between 20 and 46 ms.
            let phase = frame % 600
            let height = phase < 300 ? phase : 600 - phase
            return 20_000 + (height * 26_000 / 300) + random.within(-2000...2000)
        case .step:
            return ((frame / 300) % 2 == 0 ? 25_000 : 36_000) + random.within(-2000...2000)
        case .sceneChange:
            return random.within(0...149) == 0 ? 333_000 : random.within(20_000...28_000)
        }
    }

    /// Frames come in busy and in calm spells; one busy one in 25 is a long one.
    private mutating func spell(
        busy: ClosedRange<Int64>, rarely long: ClosedRange<Int64>, calm: ClosedRange<Int64>
    ) {
        if framesLeftInSpell == 0 {
            isBusy.toggle()
            let length = isBusy ? (random.within(1...25) == 1 ? long : busy) : calm
            framesLeftInSpell = random.within(length)
        }
        framesLeftInSpell -= 1
    }
}

/// Numbers that look drawn and are not: SplitMix64 of Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014.
struct SeededRandom: Sendable {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func within(_ range: ClosedRange<Int64>) -> Int64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        bits ^= bits >> 31
        let width = UInt64(range.upperBound - range.lowerBound) + 1
        return range.lowerBound + Int64(bits.multipliedFullWidth(by: width).high)
    }
}
