import AnalogVideo
import AnalogVideoModel
import Durations

/// Times at which the signal of the tape is lost: where the picture has a streak of snow or of tracking noise.
///
/// A frame of the picture takes one period of its frame rate. Its fields follow each other, and the rows of a field are
/// its last lines, as on a television set.
struct DropOuts {
    /// Time constant of the beginning and the end of a drop-out, in seconds.
    private static let slope = 0.000_1

    private let rate: Double
    private let smoothing: Double
    /// Starts of drop-outs in the present frame, in samples from its begin, in order.
    private var starts: [Double]
    private var count = 0
    private var next = 0
    /// The present frame; nil if its starts are not known.
    private var frame: Double?
    private var frameStart = 0.0
    private var frameEnd = 0.0
    /// Position at which the present drop-out ends.
    private var end = -Double.infinity
    private var envelope = 0.0
    /// The block that was last written, and the state before it: a change of settings writes it again.
    private var before: (position: Int64, end: Double, envelope: Double)?

    init(rate: Double) {
        self.rate = rate
        smoothing = 1 - exponential(-1 / (Self.slope * rate))
        // A field has at most as many rows as the picture, and each of them at most one start.
        starts = [Double](repeating: 0, count: Int(TapeSettings.mostRows))
    }

    /// Forgets the present frame, after a change of settings.
    mutating func forgetFrame() { frame = nil }

    mutating func reset() {
        (frame, before) = (nil, nil)
        (end, envelope) = (-.infinity, 0)
    }

    /// Writes how much of the signal is lost at the samples from `position` on, from 0 to 1; returns whether any is.
    mutating func write(to lost: inout [Double], from position: Int64, _ settings: TapeSettings) -> Bool {
        guard settings.dropOuts != .off, let framerate = settings.videoFramerate.perSecond else {
            envelope = 0
            return false
        }
        if let before, before.position == position {
            (end, envelope) = (before.end, before.envelope)
        } else {
            before = (position, end, envelope)
        }
        let samplesInFrame = rate / framerate
        let length = Double(settings.dropOutLength) / 1_000 * rate
        let offset = Double(Int64(nanosecondsOf: settings.videoOffset)) * rate / 1e9
        var isAnyLost = false
        for index in lost.indices {
            let place = Double(position &+ Int64(index))
            if frame == nil || place >= frameEnd || place < frameStart {
                // Timestamps are rounded, as `FrameNumber` considers.
                load(((place + offset) / samplesInFrame + 1e-6).rounded(.down), samplesInFrame, offset, settings)
                skip(to: place, length)
            }
            while next < count, frameStart + starts[next] <= place {
                end = max(end, frameStart + starts[next] + length)
                next += 1
            }
            if place < end {
                envelope += (1 - envelope) * smoothing
            } else {
                envelope -= envelope * smoothing
                if envelope < 1e-5 { envelope = 0 }
            }
            lost[index] = envelope
            isAnyLost = isAnyLost || envelope > 0
        }
        return isAnyLost
    }

    /// Computes the starts of a frame; the position 0 has the place `offset` in the picture.
    private mutating func load(
        _ number: Double, _ samplesInFrame: Double, _ offset: Double, _ settings: TapeSettings
    ) {
        frame = number
        (frameStart, frameEnd) = (number * samplesInFrame - offset, (number + 1) * samplesInFrame - offset)
        (count, next) = (0, 0)
        guard number >= 0, number < 0x1p52 else { return }
        let height = Int(settings.videoHeight)
        let (one, other) = FieldRun.plan(
            frame: UInt64(number), scan: .progressive, useField: settings.picture.useField, height: height)
        guard let other else { return add(one, from: 0, samplesInFrame, settings) }
        let (first, second) = one.frame < other.frame ? (one, other) : (other, one)
        add(first, from: 0, samplesInFrame / 2, settings)
        add(second, from: samplesInFrame / 2, samplesInFrame / 2, settings)
    }

    /// Adds the starts of a field that takes `samples` from `begin` on.
    private mutating func add(_ run: FieldRun, from begin: Double, _ samples: Double, _ settings: TapeSettings) {
        let width = Int(settings.videoWidth)
        let streaks = StreakStarts(
            settings.picture, width: width, pictureHeight: Int(settings.videoHeight), run: run)
        let pulses = SyncPulses(settings.standard)
        let visible = pulses.visibleLines / pulses.linesInField
        for row in 0..<run.rowCount where count < starts.count {
            guard let column = streaks.column(inRow: row) else { continue }
            let place = (Double(row) + Double(column) / Double(width)) / Double(run.rowCount)
            starts[count] = begin + samples * ((1 - visible) + visible * place)
            count += 1
        }
    }

    /// Skips the drop-outs of the frame that have ended before `place`, as after a seek.
    private mutating func skip(to place: Double, _ length: Double) {
        while next < count, frameStart + starts[next] + length <= place { next += 1 }
    }
}
