/// A delay line with a delay that need not be a whole number of samples.
///
/// The samples between are those of a band-limited signal: a sinc of 32 samples with a Kaiser window. Samples have 32
/// bits, so that four are processed together; their rounding is below the resolution of every format.
struct DelayLine {
    /// Number of samples before and after the delayed one that the interpolation needs.
    static let margin = Interpolation.taps / 2
    private static let room = 1_024

    private let longest: Int
    private let length: Int
    private var first: [Float]
    /// The second channel; empty if the channels are equal.
    private var second: [Float]
    /// Number of samples at the front of the channels.
    private var count: Int

    /// A line for delays of at most `longest` samples, which include `margin`.
    init(longest: Int, isMono: Bool) {
        self.longest = longest
        length = longest + Self.margin + 1
        first = [Float](repeating: 0, count: length + Self.room)
        second = [Float](repeating: 0, count: isMono ? 0 : length + Self.room)
        count = length
    }

    mutating func reset() {
        for index in first.indices { first[index] = 0 }
        for index in second.indices { second[index] = 0 }
        count = length
    }

    /// Appends a sample; `delayed` is valid afterwards.
    @inline(__always)
    mutating func append(_ sample: Pair) {
        if count == first.count {
            for index in 0..<length { first[index] = first[index + Self.room] }
            if !second.isEmpty { for index in 0..<length { second[index] = second[index + Self.room] } }
            count = length
        }
        first[count] = Float(sample.x)
        if !second.isEmpty { second[count] = Float(sample.y) }
        count += 1
    }

    /// The sample before the last one by a whole number of samples.
    @inline(__always)
    func delayed(by delay: Int) -> Pair {
        let index = count - 1 - delay
        let one = Double(first[index])
        return Pair(one, second.isEmpty ? one : Double(second[index]))
    }

    /// The signal before the last sample by `delay` samples, limited to the range from `margin` to the longest.
    @inline(__always)
    func delayed(by delay: Double, _ interpolation: borrowing Interpolation) -> Pair {
        // In this order, a delay that is not a number becomes `margin`.
        let delay = min(Double(longest), max(Double(Self.margin), delay))
        let whole = Int(delay)
        let start = ((count - 1) - whole) - Self.margin
        let fraction = delay - Double(whole)
        // Bounds checks would take a third of the time; the limits above replace them.
        let one = unsafe first.withUnsafeBufferPointer { samples in
            unsafe interpolation.value(samples.baseAddress! + start, before: fraction)
        }
        guard !second.isEmpty else { return Pair(repeating: Double(one)) }
        let other = unsafe second.withUnsafeBufferPointer { samples in
            unsafe interpolation.value(samples.baseAddress! + start, before: fraction)
        }
        return Pair(Double(one), Double(other))
    }
}

/// Coefficients of a band-limited interpolation.
struct Interpolation {
    static let taps = 32
    private static let phases = 128
    /// The parameter of the window: 60 dB of attenuation.
    private static let beta = 5.65

    /// For each phase, pairs of the coefficients of four samples, from old to new, and of their change to the next phase.
    private let table: [SIMD4<Float>]

    init() {
        let rows = (0...Self.phases).map { Self.coefficients(phase: $0) }
        table = (0..<Self.phases).flatMap { phase in
            stride(from: 0, to: Self.taps, by: 4).flatMap { tap in
                let low = SIMD4<Double>(rows[phase][tap..<tap + 4])
                let high = SIMD4<Double>(rows[phase + 1][tap..<tap + 4])
                return [SIMD4<Float>(low), SIMD4<Float>(high - low)]
            }
        }
    }

    private static func coefficients(phase: Int) -> [Double] {
        let half = Double(taps) / 2
        let row = (0..<taps).map { tap -> Double in
            // Distance of the sample from the wanted time, which is `phase / phases` before the sample `half`.
            let distance = (Double(tap) - half) + Double(phase) / Double(phases)
            let ratio = distance / half
            let window = bessel(beta * max(0, 1 - ratio * ratio).squareRoot()) / bessel(beta)
            let angle = Double.pi * distance
            return (distance == 0 ? 1 : sine(angle) / angle) * window
        }
        let sum = row.reduce(0, +)
        return row.map { $0 / sum }
    }

    /// The signal `fraction` of a sample before the sample in the middle, of `taps` samples from `first` on.
    @inline(__always)
    func value(_ first: UnsafePointer<Float>, before fraction: Double) -> Float {
        let place = fraction * Double(Self.phases)
        let phase = min(Int(place), Self.phases - 1)
        let part = SIMD4(repeating: Float(place - Double(phase)))
        return unsafe table.withUnsafeBufferPointer { table in
            let row = unsafe table.baseAddress! + phase * (Self.taps / 2)
            let samples = unsafe UnsafeRawPointer(first)
            var sum = SIMD4<Float>.zero
            for group in 0..<Self.taps / 4 {
                let coefficients = unsafe row[group * 2] + part * row[group * 2 + 1]
                sum += unsafe coefficients * samples.loadUnaligned(fromByteOffset: group * 16, as: SIMD4<Float>.self)
            }
            return (sum.x + sum.z) + (sum.y + sum.w)
        }
    }

    /// The modified Bessel function of order 0.
    private static func bessel(_ x: Double) -> Double {
        var (sum, term) = (1.0, 1.0)
        for k in 1...32 {
            term *= (x / 2 / Double(k)) * (x / 2 / Double(k))
            sum += term
        }
        return sum
    }
}
