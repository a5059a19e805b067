import AnalogVideoModel

/// The times of lines and fields, and the synchronization pulses of the picture, which leak into the sound as a buzz.
struct SyncPulses {
    /// Number of lines in a second.
    let lineRate: Double
    /// Number of lines in a field.
    let linesInField: Double
    /// Number of lines of the picture, which are the last ones of a field.
    let visibleLines: Double
    /// Number of lines that the vertical pulse takes.
    private let verticalLines: Double
    /// Width of the horizontal pulse, as a part of a line.
    private let width: Double

    init(_ standard: TelevisionStandard) {
        switch standard {
        case .ntsc: (lineRate, linesInField, visibleLines, verticalLines) = (4_500_000 / 286, 262.5, 240, 10)
        case .pal, .secam: (lineRate, linesInField, visibleLines, verticalLines) = (15_625, 312.5, 288, 12)
        }
        width = lineRate * (standard == .ntsc ? 4.7e-6 : 4e-6)
    }

    /// Mean of the pulses, whose height is 1.
    private var mean: Double { width + (verticalLines / linesInField) * (1 - width) }

    /// Writes the mean of the pulses over each sample, less the mean of all, times `height`.
    ///
    /// The first sample begins at `line`, and each has the length `step`, in lines.
    func write(to samples: inout [Double], at line: Double, step: Double, height: Double) {
        // The integral is taken from the field before, so that it stays small and exact.
        let start = ((line / linesInField).rounded(.down) - 1) * linesInField
        var last = integral(line, from: start)
        for index in samples.indices {
            let next = integral(line + Double(index + 1) * step, from: start)
            samples[index] = ((next - last) / step - mean) * height
            last = next
        }
    }

    /// Integral of the pulses to `line`, from `start` on, where a field begins.
    private func integral(_ line: Double, from start: Double) -> Double {
        let fields = ((line - start) / linesInField).rounded(.down)
        let field = start + fields * linesInField
        let vertical = min(line - field, verticalLines)
        // A vertical pulse contains as much of the horizontal ones as any ten lines.
        return horizontal(line, from: start) + (fields * verticalLines) * (1 - width) + vertical
            - (horizontal(field + vertical, from: start) - horizontal(field, from: start))
    }

    private func horizontal(_ line: Double, from start: Double) -> Double {
        func whole(_ line: Double) -> Double {
            let floor = line.rounded(.down)
            return min(line - floor, width)
        }
        return (line.rounded(.down) - start.rounded(.down)) * width + whole(line) - whole(start)
    }
}
