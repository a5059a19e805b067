import AudioSinks
import Durations

/// Whether an audio device plays, which two readings of its clock show.
struct DeviceActivity {
    /// A difference of the two clocks that is larger means that the device does not run yet.
    private static let largestDifference = Duration.seconds(10)

    private var last: AudioSink.Reading?
    private var isRunning = false

    /// Whether the device plays; the first reading after a restart cannot show it.
    mutating func isRunning(at reading: AudioSink.Reading) -> Bool {
        guard magnitude(reading.device - reading.pipeline) < Self.largestDifference else {
            self = Self()
            return false
        }
        guard let last else {
            last = reading
            return false
        }
        let passed = reading.pipeline - last.pipeline
        // The clock of some devices moves in steps of 10 ms.
        guard passed > .milliseconds(20) else { return isRunning }
        self.last = reading
        isRunning = reading.device - last.device > passed / 2
        return isRunning
    }
}
