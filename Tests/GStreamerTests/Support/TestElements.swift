import GStreamer
import struct Synchronization.Atomic
import Threads

/// An element with a sink pad, request source pads, and a source pad that is added at the first buffer.
///
/// The element pushes each buffer to all source pads.
final class Splitter: ConcurrentElement {
    static let factoryName = "swifttestsplitter"
    static let typeName = "GstSwiftTestSplitter"
    static let metadata = ElementMetadata("Splitter", classification: "Generic", description: "Tests", author: "Tests")
    static let requested = PadTemplate.source("ANY", name: "src_%u", .request)
    static let extra = PadTemplate.source("ANY", name: "extra", .sometimes)
    static let padTemplates: [PadTemplate] = [.sink("ANY"), requested, extra]
    static let rank = Rank.secondary
    static let interfaces: [Interface] = [.uriHandler(.sink, protocols: ["swifttest"], property: "location")]
    static let signals = [passed, mayPass]

    static let passed = Signal("passed", arguments: [.uint, .string])
    static let mayPass = Signal("may-pass", arguments: [.uint], returns: .bool)

    struct Settings: ElementSettings {
        var location: String?
        static let properties: [Property<Self>] = [
            .string("location", "Where to", get: { $0.location }) { text throws(ElementError) in
                guard text?.hasPrefix("swifttest://") == true else {
                    throw .settings("\(text ?? "nothing") is not a valid location")
                }
                return { $0.location = text }
            }
        ]
    }

    private struct Outputs {
        var pads: [PadReference] = []
        var count: UInt32 = 0
    }

    let host: ElementHost
    private let outputs = Mutex(Outputs())

    init(host: ElementHost) { self.host = host }

    func requestPad(_ template: PadTemplate, name: String?) -> Pad? {
        guard let pad = host.addPad(template, name: name) else { return nil }
        outputs.withLock { $0.pads.append(PadReference(pad)) }
        return pad
    }

    func releasePad(_ pad: borrowing Pad) {
        let released = PadReference(pad)
        outputs.withLock { $0.pads.removeAll { $0 == released } }
        host.removePad(pad)
    }

    func chain(_ buffer: consuming GStreamer.Buffer, on pad: borrowing Pad) -> FlowResult {
        let (number, isFirst) = outputs.withLock { outputs in
            outputs.count += 1
            return (outputs.count, outputs.count == 1)
        }
        if isFirst, let extra = host.addPad(Self.extra, name: "extra") {
            outputs.withLock { $0.pads.append(PadReference(extra)) }
        }
        if host.emit(Self.mayPass, .uint(number)) == .bool(false) { return .ok }
        for output in outputs.withLock({ $0.pads }) { _ = output.pad.push(buffer.retained()) }
        host.emit(Self.passed, .uint(number), .string(pad.name))
        return .ok
    }
}

/// A source of numbered buffers, whose only byte is the number.
struct NumberSource: PushSource, ~Copyable {
    static let factoryName = "swifttestnumbers"
    static let typeName = "GstSwiftTestNumbers"
    static let metadata = ElementMetadata("Numbers", classification: "Source", description: "Tests", author: "Tests")
    static let padTemplates: [PadTemplate] = [.source("application/x-numbers")]
    static let isSeekable = true

    struct Settings: ElementSettings {
        var count: UInt32 = 3
        var waits = false
        typealias Report = Gate
        static let properties: [Property<Self>] = [
            .uint32("count", \.count, "How many"), .bool("waits", \.waits, "Whether create waits until it is unlocked"),
        ]
    }

    /// Blocks the callers of `wait` until `set(true)` is called.
    final class Gate: Sendable {
        private let monitor = Monitor(false, conditions: 1)
        let waiting = Atomic<Bool>(false)

        func wait() {
            waiting.store(true, ordering: .relaxed)
            monitor.await { isOpen -> Monitor<Bool>.Step<Void> in isOpen ? .done(()) : .wait(0, until: nil) }
        }

        func set(_ isOpen: Bool) {
            monitor.change { state in
                state = isOpen
                monitor.mutex.wakeAll()
            }
        }
    }

    let host: ElementHost
    let report = Gate()
    private var made: UInt32 = 0

    init(host: ElementHost) { self.host = host }

    mutating func seek(to time: Duration) { made = UInt32(time / .milliseconds(40)) }

    static func duration(_ settings: Settings) -> Duration? { .milliseconds(40) * Int(settings.count) }

    mutating func create(_ settings: Settings) throws(FlowResult) -> GStreamer.Buffer {
        if settings.waits {
            report.wait()
            throw .flushing
        }
        guard made < settings.count else { throw .endOfStream }
        guard var buffer = GStreamer.Buffer(byteCount: 1) else { throw host.fail(.resource(.noSpaceLeft, "no memory")) }
        let number = UInt8(truncatingIfNeeded: made)
        _ = buffer.withMutableBytes { $0.storeBytes(of: number, as: UInt8.self) }
        buffer.pts = .milliseconds(40) * Int(made)
        buffer.duration = .milliseconds(40)
        made += 1
        return buffer
    }

    static func unlock(_ report: Gate) { report.set(true) }
    static func unlockStop(_ report: Gate) { report.set(false) }
}

/// A sink that computes the sum of the received bytes.
struct SumSink: BaseSink, ~Copyable {
    static let factoryName = "swifttestsum"
    static let typeName = "GstSwiftTestSum"
    static let metadata = ElementMetadata("Sum", classification: "Sink", description: "Tests", author: "Tests")
    static let padTemplates: [PadTemplate] = [.sink("ANY")]
    static let isSynchronized = false

    struct Settings: ElementSettings {
        typealias Report = Sum
        static let properties: [Property<Self>] = [
            .uint32("sum", "The sum") { $0.value.load(ordering: .relaxed) },
            .uint64("end", "The end of the last buffer") { $0.end.load(ordering: .relaxed) },
            .bool("is-over", "Whether EOS was received") { $0.isOver.load(ordering: .relaxed) },
        ]
    }

    final class Sum: Sendable {
        let value = Atomic<UInt32>(0)
        let end = Atomic<UInt64>(0)
        let isOver = Atomic<Bool>(false)
    }

    let host: ElementHost
    let report = Sum()

    mutating func render(_ buffer: borrowing GStreamer.Buffer, _ settings: Settings) throws(FlowResult) {
        let sum = buffer.withBytes { bytes in
            (0..<bytes.byteCount).reduce(UInt32(0)) {
                $0 + UInt32(bytes.unsafeLoad(fromByteOffset: $1, as: UInt8.self))
            }
        }
        guard let sum else { throw host.fail(.resource(.read, "a buffer cannot be read")) }
        report.value.wrappingAdd(sum, ordering: .relaxed)
        if let pts = buffer.pts, let duration = buffer.duration {
            report.end.store(UInt64((pts + duration) / .nanoseconds(1)), ordering: .relaxed)
        }
    }

    mutating func endOfStream() { report.isOver.store(true, ordering: .relaxed) }

    init(host: ElementHost) { self.host = host }
}

/// A bin with an `identity` that drops the element message `swift-private`.
final class Wrapper: Bin {
    static let factoryName = "swifttestwrapper"
    static let typeName = "GstSwiftTestWrapper"
    static let metadata = ElementMetadata("Wrapper", classification: "Generic", description: "Tests", author: "Tests")
    static let padTemplates: [PadTemplate] = [.sink("ANY"), .source("ANY")]

    struct Settings: ElementSettings {
        static let properties: [Property<Self>] = []
    }

    let host: ElementHost
    let changes = Mutex<[StateChange]>([])

    init(host: ElementHost) {
        self.host = host
        guard let inside = ElementReference(factory: "identity", name: "inside") else { return }
        host.add(inside)
        for template in Self.padTemplates { host.addGhostPad(template, target: inside.pad(template.name)) }
    }

    func handleMessage(_ message: consuming Message) {
        if message.kind == .element, message.structure?.name == "swift-private" { return }
        host.parentHandleMessage(message)
    }
}

/// A clock whose time changes only by `move`.
final class HeldClock: Clock {
    static let typeName = "GstSwiftTestClock"
    private let now = Mutex(Duration.seconds(5))

    init() {}
    typealias Settings = NoSettings

    var internalTime: Duration { now.withLock { $0 } }
    func move(_ time: Duration) { now.withLock { $0 += time } }
}

/// A transform that increments bytes in place and drops buffers that begin with 0.
struct Increment: BaseTransform, ~Copyable {
    static let factoryName = "swifttestincrement"
    static let typeName = "GstSwiftTestIncrement"
    static let metadata = ElementMetadata("Increment", classification: "Filter", description: "Tests", author: "Tests")
    static let padTemplates: [PadTemplate] = [.sink("ANY"), .source("ANY")]

    typealias Settings = NoSettings

    let host: ElementHost

    init(host: ElementHost) { self.host = host }

    mutating func submitInput(_ buffer: consuming GStreamer.Buffer) throws(FlowResult) -> GStreamer.Buffer? {
        let first = buffer.withBytes { $0.unsafeLoad(as: UInt8.self) }
        if first == 0 { return nil }
        return buffer
    }

    mutating func transform(_ buffer: borrowing WritableBuffer, _ settings: Settings) throws(FlowResult) {
        _ = buffer.withMutableBytes { bytes in
            for index in 0..<bytes.byteCount {
                let byte = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
                bytes.storeBytes(of: byte &+ 1, toByteOffset: index, as: UInt8.self)
            }
        }
    }
}
