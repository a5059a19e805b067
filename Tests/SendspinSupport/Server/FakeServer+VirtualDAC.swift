import Durations
import SendspinProtocol
import Threads

extension FakeServer {
    /// Plays the ramp of the virtual DAC, each frame of which contains the server time at which it must be heard.
    ///
    /// Returns the time of the first frame, a multiple of 10 ms, at which the index is exact.
    @discardableResult
    package func playForVirtualDAC(_ stream: FakeStream, lead: Duration) -> Duration {
        let start = core.change { state in
            let now = state.clock.time(at: MonotonicClock.now) + lead
            let tens = Int64((now / .milliseconds(10)).rounded(.up))
            let start = Duration.milliseconds(tens * 10)
            var stream = stream
            stream.signal = .playoutTime
            state.timeline.play(stream, at: start, firstIndex: tens * Int64(stream.format.sampleRate) / 100)
            return start
        }
        core.wakeConnections()
        return start
    }
}
