import TestSupport

/// The time that a consumer works on each frame of a simulated stream.
///
/// A trace is pseudorandom: the same seed gives the same trace.
package struct LoadTrace: Sendable {
    package enum Shape: String, Sendable, CaseIterable {
        /// The published load: 25 to 50 ms of work per frame, in bursts. Most bursts last 1 s; one in 25 lasts 4 s.
        ///
        /// With these lengths, pools of a fixed size stall as often as in the published measurement.
        case camera
        /// The work always takes less than the duration of a frame.
        case steady
        /// In short bursts, the work takes two to three times the duration of a frame.
        case bursts
        /// The work follows a triangle wave.
        case oscillating
        /// The work alternates every ten seconds between 25 and 36 ms.
        case step
        /// The work on one frame in 150 takes ten frame durations.
        case sceneChange = "scene-change"
    }

    /// The duration of a frame.
    package static let frameMicroseconds: Int64 = 33_333

    package let shape: Shape
    private var random: Random
    private var frame: Int64 = 0
    private var framesLeftInPhase: Int64 = 0
    private var isBusy = false

    package init(_ shape: Shape, seed: UInt64) {
        self.shape = shape
        random = Random(seed: seed)
    }

    /// The microseconds of work on the next frame.
    package mutating func next() -> Int64 {
        defer { frame += 1 }
        switch shape {
        case .camera:
            advancePhase(busy: 24...40, rarely: 90...160, calm: 60...240)
            return isBusy ? .random(in: 45_000...50_000, using: &random) : .random(in: 25_000...29_000, using: &random)
        case .steady:
            return .random(in: 25_000...32_000, using: &random)
        case .bursts:
            advancePhase(busy: 5...15, rarely: 20...30, calm: 60...600)
            return isBusy ? .random(in: 60_000...90_000, using: &random) : .random(in: 15_000...25_000, using: &random)
        case .oscillating:
            // A triangle of 20 s between 20 and 46 ms.
            let phase = frame % 600
            let height = phase < 300 ? phase : 600 - phase
            return 20_000 + (height * 26_000 / 300) + .random(in: -2000...2000, using: &random)
        case .step:
            return ((frame / 300) % 2 == 0 ? 25_000 : 36_000) + .random(in: -2000...2000, using: &random)
        case .sceneChange:
            return .random(in: 0...149, using: &random) == 0 ? 333_000 : .random(in: 20_000...28_000, using: &random)
        }
    }

    /// Alternates between busy and calm phases; one busy phase in 25 is long.
    private mutating func advancePhase(
        busy: ClosedRange<Int64>, rarely long: ClosedRange<Int64>, calm: ClosedRange<Int64>
    ) {
        if framesLeftInPhase == 0 {
            isBusy.toggle()
            let length = isBusy ? (.random(in: 1...25, using: &random) == 1 ? long : busy) : calm
            framesLeftInPhase = .random(in: length, using: &random)
        }
        framesLeftInPhase -= 1
    }
}
