import Durations

extension Session {
    /// Keeps the data of the visualizer role until `displayLead` before they are shown.
    ///
    /// Data whose times differ by less than `spacing` become one frame. So at most 200 frames are reported per second,
    /// and 40 more after each step of the clock, for any messages of the server.
    struct VisualizerReceiver: Sendable {
        static let spacing = Duration.milliseconds(5)
        /// Time that a frame waits for its other data, which arrive in messages of their own.
        static let gatheringTime = Duration.milliseconds(10)

        private struct Entry {
            var frame: VisualizerFrame
            /// Size of its messages in bytes.
            var size: Int
            /// Local time at which the first one arrived.
            let arrival: Duration

            /// Local time at which the frame is reported.
            func deadline(_ estimate: ClockEstimate) -> Duration {
                max(
                    estimate.localTime(of: frame.timestamp) - Session.displayLead,
                    arrival + VisualizerReceiver.gatheringTime)
            }
        }

        private let bandCount: Int
        private var entries: [Entry] = []
        /// Time of the last frame that was reported; kept when the stream ends, so that a server cannot repeat it.
        private var reported: Duration?
        /// Size of the messages that wait, in bytes.
        private(set) var byteCount = 0
        /// Number of messages and frames that were dropped.
        private(set) var droppedCount = 0
        /// Whether the server has started a stream.
        private(set) var isActive = false

        init(bandCount: Int) { self.bandCount = bandCount }

        mutating func start() { isActive = true }

        /// Keeps the data of a message of `size` bytes that arrived at `now`, or drops them.
        mutating func receive(_ new: VisualizerFrame, size: Int, at now: Duration) {
            guard new.spectrum.map({ $0.count == bandCount }) ?? true,
                byteCount + size <= VisualizerRequest.bufferCapacity
            else { return drop() }
            if let last = entries.last {
                let distance = new.timestamp - last.frame.timestamp
                // The protocol forbids times that decrease.
                guard distance >= .zero else { return drop() }
                if distance < Self.spacing {
                    entries[entries.count - 1].frame.merge(new)
                    entries[entries.count - 1].size += size
                    byteCount += size
                    return
                }
            } else if let reported, new.timestamp - reported < Self.spacing {
                return drop()
            }
            entries.append(Entry(frame: new, size: size, arrival: now))
            byteCount += size
        }

        private mutating func drop() { droppedCount += 1 }

        /// Local time at which the next frame is reported; nil if none waits, or if there is no estimate.
        func deadline(_ estimate: ClockEstimate?) -> Duration? {
            estimate.flatMap { entries.first?.deadline($0) }
        }

        /// Returns the frames that are due, without those whose time has passed.
        mutating func advance(to now: Duration, _ estimate: ClockEstimate?) -> [VisualizerFrame] {
            guard let estimate, let first = entries.first, first.deadline(estimate) <= now else { return [] }
            let due = entries.prefix { $0.deadline(estimate) <= now }
            entries.removeFirst(due.count)
            byteCount -= due.reduce(0) { $0 + $1.size }
            let shown = due.map(\.frame).filter { estimate.localTime(of: $0.timestamp) >= now }
            droppedCount += due.count - shown.count
            reported = shown.last?.timestamp ?? reported
            return shown
        }

        /// Discards the frames that wait; their stream continues.
        mutating func clear() {
            entries = []
            byteCount = 0
        }

        /// Discards the frames that wait at the end of the stream.
        mutating func end() {
            clear()
            isActive = false
        }

        /// Discards the frames of the previous server time.
        mutating func clockStepped() {
            clear()
            reported = nil
        }
    }
}
