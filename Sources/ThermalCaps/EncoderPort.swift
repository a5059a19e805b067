import Durations
import GStreamer
import Synchronization
import ThermalPolicy
import Threads

/// Reads and writes the bitrate properties of one encoder for its `BitrateController`, on the deciding thread.
struct EncoderPort {
    /// Reason why the bitrate is not lowered.
    enum Obstacle: Equatable {
        /// The bitrate is unknown; the text is a setting with which the user can define the bitrate.
        case isNotSet(String)
        /// These settings make the encoder ignore its bitrate.
        case setting([EncoderProfile.Setting])
        /// The encoder reads its bitrate only at the start.
        case isFixed
        /// The encoder refused a lower bitrate.
        case isRefused
        case isMissing
        /// The muxer of this name refuses the caps that change with the bitrate.
        case muxer(String)
    }

    typealias Checked = (verdict: BitrateCheck.Verdict, bitsPerSecond: Double)

    let encoder: ElementReference
    private(set) var obstacle: Obstacle?
    private let profile: EncoderProfile
    private var controller: BitrateController
    private var reading = EncoderReading()
    private let watched: [EncoderReading.Property: (name: String, watch: PropertyWatch)]
    private let input: StreamMeter?
    private let output: StreamMeter?
    /// Returns the value of a control in the driver; nil if it is unknown.
    private let driver: (UInt32) -> Double?
    /// Whether the bitrate field was added because the user's structure has none; restoring removes the field again.
    private var hasAddedField = false
    private var mayChangeCaps = false

    /// Creates a port for `encoder`; nil for an unknown encoder.
    init?(_ encoder: ElementReference, driver: ((UInt32) -> Double?)? = nil) {
        guard var profile = EncoderProfile.of(factory: encoder.factory) else { return nil }
        profile.companions.removeAll { encoder.number($0) == nil }
        self.encoder = encoder
        self.profile = profile
        self.driver = driver ?? encoder.driverControl
        (input, output) = (StreamMeter(encoder, pad: "sink"), StreamMeter(encoder, pad: "src"))
        // An encoder that selects its bitrate notifies the property on these threads, which is no write of the user.
        let streams = profile.automatic == .zero ? [input, output].compactMap { $0 } : []
        var watched: [EncoderReading.Property: (name: String, watch: PropertyWatch)] = [
            .bitrate: (profile.property, PropertyWatch(encoder, profile.property, besides: streams))
        ]
        for (index, name) in profile.companions.enumerated() {
            watched[.companion(index)] = (name, PropertyWatch(encoder, name))
        }
        if case .bitsPerPixel(let name, _) = profile.automatic {
            watched[.bitsPerPixel] = (name, PropertyWatch(encoder, name))
        }
        self.watched = watched
        controller = BitrateController(profile, reading)
        read()
        controller = BitrateController(profile, reading)
        obstacle = findObstacle()
    }

    /// Bitrate as a share of the full bitrate.
    var share: Double { controller.share(reading) }

    /// Whether the bitrate must not be written at all.
    var isBound: Bool { if case .muxer = obstacle { true } else { false } }

    /// Searches for obstacles again; with `mayChangeCaps` all elements downstream are assumed to accept new caps.
    mutating func findObstacle(mayChangeCaps: Bool) {
        self.mayChangeCaps = mayChangeCaps
        readValues()
        obstacle = findObstacle()
    }

    /// Sets the bitrate to `order`; returns the result of the last check, nil if no check has ended.
    mutating func follow(_ order: BitrateOrder) -> Checked? {
        if !isBound {
            var full = BitrateOrder.full
            full.pixelsPerSecond = order.pixelsPerSecond
            write(obstacle == nil ? order : full)
        }
        return controller.checked(reading.output, pixelsPerSecond: order.pixelsPerSecond)
    }

    /// Restores the full bitrate.
    mutating func restore() { write(.full) }

    private mutating func write(_ order: BitrateOrder) {
        read()
        var writes = controller.begin(order, reading)
        while !writes.isEmpty {
            for write in writes { perform(write) }
            read()
            writes = controller.proceed(reading)
        }
        if controller.isRefused { obstacle = .isRefused }
    }

    // MARK: Access

    private mutating func read() {
        reading.setByUser = []
        for (property, value) in watched where value.watch.hasChanged() {
            if property != .bitrate || !replaceMissingField() { reading.setByUser.insert(property) }
        }
        readValues()
    }

    private mutating func readValues() {
        switch profile.form {
        case .number:
            reading.bitrate = encoder.number(profile.property)
            reading.actualBitrate = reading.bitrate
        case .control(let field, let id):
            let actual = driver(id)
            reading.bitrate = encoder.control(field, in: profile.property) ?? actual ?? controller.heldBitrate
            reading.actualBitrate = actual ?? reading.bitrate
        }
        reading.bitsPerPixel = watched[.bitsPerPixel].flatMap { encoder.number($0.name) }
        reading.companions = profile.companions.map { encoder.number($0) }
        reading.output = EncodedAmount(
            bytes: output?.bytes ?? 0, time: output?.time ?? .zero, frames: output?.frames ?? 0)
        reading.framesIn = input?.frames
    }

    /// Handles a new structure of the user without the bitrate field; false if it has the field or nothing is lowered.
    ///
    /// The driver keeps the last bitrate. If the driver cannot be read, the bitrate is written again, because the
    /// device may not have been open at the last write.
    private mutating func replaceMissingField() -> Bool {
        guard case .control(let field, let id) = profile.form, let held = controller.heldBitrate,
            encoder.control(field, in: profile.property) == nil
        else { return false }
        hasAddedField = true
        if driver(id) == nil { watched[.bitrate]?.watch.write { encoder.set(field, in: profile.property, to: held) } }
        return true
    }

    private mutating func perform(_ write: EncoderWrite) {
        guard let (name, watch) = watched[write.property] else { return }
        guard write.property == .bitrate, case .control(let field, _) = profile.form else {
            return watch.write { encoder.set(name, to: write.value) }
        }
        if write.replacesUsers { hasAddedField = encoder.control(field, in: name) == nil }
        watch.write {
            encoder.set(field, in: name, to: write.value)
            if hasAddedField, !write.isHeld { encoder.set(field, in: name, to: nil) }
        }
    }

    // MARK: Obstacles

    private func findObstacle() -> Obstacle? {
        if controller.isRefused { return .isRefused }
        if profile.isFixed || encoder.isFixed(profile.property) { return .isFixed }
        for settings in profile.unless where settings.allSatisfy({ encoder.text($0.property).map($0.matches) == true })
        {
            return .setting(settings)
        }
        if !profile.keepsCaps, !mayChangeCaps,
            let muxer = encoder.elementsDownstream().first(where: { $0.refusesNewCaps })
        {
            return .muxer(muxer.name)
        }
        guard reading.bitrate == nil else { return nil }
        guard case .control(let field, _) = profile.form else { return .isMissing }
        // A driver that is not open yet has no value.
        return output?.frames ?? 0 > 0 ? .isNotSet("\(profile.property)=\"controls,\(field)=4000000\"") : nil
    }
}

/// Detects that the application sets a property, even to its present value; used by one thread.
///
/// An element that selects a value notifies the property on its streaming threads. Such notifications do not count.
final class PropertyWatch {
    private final class Counts: Sendable {
        let writer = Atomic<UInt>(0)
        let own = Atomic<UInt64>(0)
        let others = Atomic<UInt64>(0)
        private let streams: [StreamMeter]

        init(_ streams: [StreamMeter]) { self.streams = streams }

        func note() {
            let thread = Worker.currentThread
            if writer.load(ordering: .relaxed) == thread {
                own.wrappingAdd(1, ordering: .relaxed)
            } else if !streams.contains(where: { $0.thread == thread }) {
                others.wrappingAdd(1, ordering: .relaxed)
            }
        }
    }

    private let counts: Counts
    private let observer: PropertyObserver
    private var seen: UInt64 = 0
    /// Whether another thread will notify the last write, because that thread was setting a property meanwhile.
    private var isOwed = false

    /// Watches the property `name`; notifications on the threads of `streams` come from the element itself.
    init(_ element: ElementReference, _ name: String, besides streams: [StreamMeter] = []) {
        let counts = Counts(streams)
        self.counts = counts
        observer = PropertyObserver(element, name) { counts.note() }
    }

    /// Whether the property was set since the last call.
    func hasChanged() -> Bool {
        let others = counts.others.load(ordering: .relaxed)
        defer {
            seen = others
            isOwed = false
        }
        return others &- seen > (isOwed ? 1 : 0)
    }

    /// Runs `body`, whose write of the property does not count as a change.
    func write(_ body: () -> Void) {
        let before = counts.own.load(ordering: .relaxed)
        counts.writer.store(Worker.currentThread, ordering: .relaxed)
        body()
        counts.writer.store(0, ordering: .relaxed)
        if counts.own.load(ordering: .relaxed) == before { isOwed = true }
    }
}

/// Counts the buffers and bytes that pass a pad, and the duration of the stream; any thread may read the counts.
final class StreamMeter: Sendable {
    private final class Counts: Sendable {
        let bytes = Atomic<UInt64>(0)
        let frames = Atomic<UInt64>(0)
        /// Duration in nanoseconds, because an atomic value has 64 bits.
        let time = Atomic<UInt64>(0)
        /// Highest timestamp in nanoseconds; `UInt64.max` before the first timestamp.
        let last = Atomic<UInt64>(.max)
        let thread = Atomic<UInt>(0)
    }

    /// Longest step of the timestamps in nanoseconds; a longer step is a pause or a seek.
    private static let longestStep: UInt64 = 2_000_000_000

    private let counts: Counts
    private let probe: PadProbe

    var bytes: UInt64 { counts.bytes.load(ordering: .relaxed) }
    var frames: UInt64 { counts.frames.load(ordering: .relaxed) }
    /// Duration of the stream from its timestamps, without steps of more than 2 s.
    var time: Duration { Duration(nanoseconds: counts.time.load(ordering: .relaxed)) }
    /// Thread of the last buffer or caps, as in `Worker.currentThread`; 0 before the first.
    var thread: UInt { counts.thread.load(ordering: .relaxed) }

    /// Starts to count at the pad `name` of `element`; nil if the element has no such pad.
    init?(_ element: ElementReference, pad name: String) {
        let counts = Counts()
        guard let probe = PadProbe(element, pad: name, { Self.note($0, counts) }) else { return nil }
        (self.counts, self.probe) = (counts, probe)
    }

    /// Runs on the streaming thread, except for events, which any thread may send between buffers.
    private static func note(_ item: PadProbe.Item, _ counts: Counts) {
        switch item {
        case .event(.caps):
            // An encoder starts when it receives caps, before the first buffer.
            counts.thread.store(Worker.currentThread, ordering: .relaxed)
        case .event: break
        case .buffers(let count, let bytes, let lastTime):
            counts.thread.store(Worker.currentThread, ordering: .relaxed)
            counts.bytes.wrappingAdd(UInt64(bytes), ordering: .relaxed)
            counts.frames.wrappingAdd(UInt64(count), ordering: .relaxed)
            guard let lastTime else { return }
            noteTime(UInt64(nanosecondsOf: lastTime), counts)
        }
    }

    private static func noteTime(_ time: UInt64, _ counts: Counts) {
        let before = counts.last.load(ordering: .relaxed)
        // A reordered frame has a lower timestamp than a frame before it, and adds no time.
        if before != .max, time <= before, before - time <= longestStep { return }
        counts.last.store(time, ordering: .relaxed)
        guard before != .max, time > before, time - before <= longestStep else { return }
        counts.time.wrappingAdd(time - before, ordering: .relaxed)
    }
}
