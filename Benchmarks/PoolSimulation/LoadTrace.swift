/// The time that a consumer works on each frame of a simulated stream.
///
/// A trace is pseudorandom: the same seed gives the same trace.
public struct LoadTrace: Sendable {
    public enum Shape: String, Sendable, CaseIterable {
        /// The published reference: 25 to 50 ms for each frame, in bursts. Most bursts last a second, one in 25 lasts four.
        ///
        /// With these lengths fixed pools stall as often as published.
        case camera
        /// The work always takes less than the duration of a frame.
        case steady
        /// Short bursts of two to three times the duration of a frame.
        case bursts
        /// A triangle wave.
        case oscillating
        /// Alternates every ten seconds between 25 and 36 ms.
        case step
        /// One frame in 150 takes as long as ten.
        case sceneChange = "scene-change"
    }

    /// The duration of a frame.
    public static let frameMicroseconds: Int64 = 33_333

    public let shape: Shape
    private var random: SeededRandom
    private var frame: Int64 = 0
    private var framesLeftInPhase: Int64 = 0
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
            advancePhase(busy: 24...40, rarely: 90...160, calm: 60...240)
            return isBusy ? random.within(45_000...50_000) : random.within(25_000...29_000)
        case .steady:
            return random.within(25_000...32_000)
        case .bursts:
            advancePhase(busy: 5...15, rarely: 20...30, calm: 60...600)
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

    /// Alternates between busy and calm phases; one busy phase in 25 is long.
    private mutating func advancePhase(
        busy: ClosedRange<Int64>, rarely long: ClosedRange<Int64>, calm: ClosedRange<Int64>
    ) {
        if framesLeftInPhase == 0 {
            isBusy.toggle()
            let length = isBusy ? (random.within(1...25) == 1 ? long : busy) : calm
            framesLeftInPhase = random.within(length)
        }
        framesLeftInPhase -= 1
    }
}

/// A pseudorandom generator: SplitMix64 of Steele, Lea and Flood, "Fast splittable pseudorandom number
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
