/// Loss of high frequencies by heads that are not parallel: the mean over the time in which the tape passes the skew.
///
/// With the angle α, the width w of the track and the speed v of the tape, the gain at the frequency f is sinc(f τ) with
/// τ = w tan α / v. The sum is of whole numbers, so that it has no rounding errors that could accumulate.
struct AzimuthLoss {
    /// Width of the linear track in millimetres.
    private static let trackWidth = 1.0
    private static let scale = 0x1p40
    /// Limit of the magnitude, for which the sum cannot overflow.
    private static let largest = 0x1p12

    private var history: [Int64]
    private var next = 0
    private var sum: Int64 = 0
    /// Length of the mean in samples.
    private var length = 0.0

    /// Space for the largest angle at the lowest speed of the tape.
    init(rate: Double) {
        let largest = Self.length(angle: TapeSettings.largestAzimuthError, speed: .ep, rate: rate)
        history = [Int64](repeating: 0, count: Int(largest) + 2)
    }

    static func length(angle: Float, speed: SoundTapeSpeed, rate: Double) -> Double {
        let skew = trackWidth * tangent(Double(angle) / 60 * Double.pi / 180)
        return skew / speed.millimetresPerSecond * rate
    }

    mutating func reset() {
        for index in history.indices { history[index] = 0 }
        sum = 0
    }

    /// Changes the length of the mean; `length` is at most that of the largest angle.
    mutating func set(length: Double) {
        guard length != self.length else { return }
        self.length = length
        sum = 0
        for age in 1...max(1, Int(length)) { sum &+= sample(age) }
    }

    /// The mean of the last `length` samples; of at least one.
    @inline(__always)
    mutating func step(_ x: Double) -> Double {
        guard length > 1 else { return x }
        let whole = Int(length)
        // The tape clips far below the limit.
        let sample = abs(x) < Self.largest ? Int64(x * Self.scale) : 0
        sum &+= sample &- self.sample(whole)
        let partial = Double(self.sample(whole)) * (length - Double(whole))
        history[next] = sample
        next = next + 1 == history.count ? 0 : next + 1
        return (Double(sum) + partial) / (length * Self.scale)
    }

    /// The sample before the next by `age`, from 1 to the capacity.
    @inline(__always)
    private func sample(_ age: Int) -> Int64 {
        let index = next - age
        return history[index < 0 ? index + history.count : index]
    }
}
