/// Model of the elements downstream of a queue, for `QueueSimulation`.
///
/// Times are in seconds.
protocol Downstream {
    /// Processes a frame and returns the time at which the push returns.
    mutating func push(_ frame: QueueSimulation.Frame, _ simulation: QueueSimulation) -> Double
}

/// A filter and a synchronizing sink that drops late frames and keeps its last sample.
///
/// The sink waits until the time of the frame plus the latency. Filter and sink run in the streaming thread of the
/// simulated queue, or, with `hasQueue`, in another thread behind a `queue`.
struct SyncSink: Downstream {
    var latency: Double
    var tolerance: Double
    var hasQueue: Bool
    /// Processing time of a frame whose processing starts at the given time.
    var work: (Double) -> Double
    private var last: QueueSimulation.Frame?
    private var freeAt = 0.0

    init(
        latency: Double, tolerance: Double = .infinity, hasQueue: Bool = false,
        work: @escaping (Double) -> Double = { _ in 0 }
    ) {
        (self.latency, self.tolerance, self.hasQueue, self.work) = (latency, tolerance, hasQueue, work)
    }

    mutating func push(_ frame: QueueSimulation.Frame, _ simulation: QueueSimulation) -> Double {
        let start = max(simulation.now, freeAt)
        let end = max(start + work(start), frame.bornAt + latency)
        freeAt = end
        if end <= frame.bornAt + latency + tolerance { simulation.finish(frame, at: end) }
        if let last { simulation.release(last, at: end) }
        last = frame
        return hasQueue ? simulation.now : end
    }
}

/// A muxer or an encoder that holds `count` frames and releases one for each further frame.
struct Holder: Downstream {
    var count: Int
    private var held: [QueueSimulation.Frame] = []

    init(count: Int) { self.count = count }

    mutating func push(_ frame: QueueSimulation.Frame, _ simulation: QueueSimulation) -> Double {
        held.append(frame)
        let end = simulation.now + 0.001
        if held.count > count {
            let old = held.removeFirst()
            simulation.finish(old, at: end)
            simulation.release(old, at: end)
        }
        return end
    }
}

/// A `splitmuxsink` that holds a group of pictures and releases all its frames at once.
///
/// The groups have different lengths.
struct GroupHolder: Downstream {
    var lengths: [Int]
    private var held: [QueueSimulation.Frame] = []
    private var group = 0

    init(lengths: [Int]) { self.lengths = lengths }

    mutating func push(_ frame: QueueSimulation.Frame, _ simulation: QueueSimulation) -> Double {
        held.append(frame)
        let end = simulation.now + 0.001
        if held.count >= lengths[group % lengths.count] {
            group += 1
            for old in held {
                simulation.finish(old, at: end)
                simulation.release(old, at: end)
            }
            held = []
        }
        return end
    }
}

/// A `queue` of `size` frames, a worker, and a sink that keeps its last sample.
///
/// The first frame takes `start`, as if the worker loads a model, or the sink waits until all sinks have prerolled.
struct FullQueueThenWorker: Downstream {
    var size: Int
    var start: Double
    var work: Double
    /// Times at which the worker has taken the frames from the queue.
    private var takenAt: [Double] = []
    private var freeAt = 0.0
    private var last: QueueSimulation.Frame?

    init(size: Int, start: Double, work: Double) { (self.size, self.start, self.work) = (size, start, work) }

    mutating func push(_ frame: QueueSimulation.Frame, _ simulation: QueueSimulation) -> Double {
        // The push waits while the queue is full.
        let room = takenAt.count > size ? takenAt[takenAt.count - size - 1] : 0
        let pushed = max(simulation.now, room)
        let taken = max(pushed, freeAt)
        takenAt.append(taken)
        freeAt = taken + (last == nil ? start : work)
        simulation.finish(frame, at: freeAt)
        if let last { simulation.release(last, at: freeAt) }
        last = frame
        return pushed
    }
}

/// A series of elements, and a sink that keeps its last sample.
///
/// With `hasQueue`, there is a `queue` in front of each element. Without `hasQueue`, a push returns when the sink has
/// received the frame.
struct Workers: Downstream {
    var hasQueue: Bool
    /// For each element, the processing time of a frame whose processing starts at the given time.
    var work: [(Double) -> Double]
    private var freeAt: [Double]
    private var last: QueueSimulation.Frame?

    init(_ work: ((Double) -> Double)..., hasQueue: Bool = true) {
        (self.work, self.hasQueue) = (work, hasQueue)
        freeAt = work.map { _ in 0 }
    }

    mutating func push(_ frame: QueueSimulation.Frame, _ simulation: QueueSimulation) -> Double {
        var time = simulation.now
        for index in work.indices {
            let start = max(time, freeAt[index])
            time = start + work[index](start)
            freeAt[index] = time
        }
        simulation.finish(frame, at: time)
        if let last { simulation.release(last, at: time) }
        last = frame
        return hasQueue ? simulation.now : time
    }
}

/// A decoder or an encoder with frame threads.
///
/// The element processes `count` frames at the same time and outputs them in order.
struct FrameThreads: Downstream {
    var work: Double
    private var freeAt: [Double]
    private var lastEnd = 0.0

    init(count: Int, work: Double) { (freeAt, self.work) = (.init(repeating: 0, count: count), work) }

    mutating func push(_ frame: QueueSimulation.Frame, _ simulation: QueueSimulation) -> Double {
        guard let thread = freeAt.indices.min(by: { freeAt[$0] < freeAt[$1] }) else { return simulation.now }
        let start = max(simulation.now, freeAt[thread])
        freeAt[thread] = start + work
        lastEnd = max(lastEnd, start + work)
        simulation.finish(frame, at: lastEnd)
        simulation.release(frame, at: lastEnd)
        return start
    }
}

/// An element with a look-ahead of `count` frames, followed by a worker.
struct LookAheadThenWorker: Downstream {
    private let count: Int
    private var held: [QueueSimulation.Frame] = []
    private var worker: Workers

    init(count: Int, work: Double) { (self.count, worker) = (count, Workers({ _ in work })) }

    mutating func push(_ frame: QueueSimulation.Frame, _ simulation: QueueSimulation) -> Double {
        held.append(frame)
        guard held.count > count else { return simulation.now }
        return worker.push(held.removeFirst(), simulation)
    }
}
