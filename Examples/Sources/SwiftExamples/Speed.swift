import GStreamer
import Threads

/// Changes the speed by all times, and by the rate of raw audio; the pitch changes, the frame rate in caps does not.
///
///     gst-launch-1.0 filesrc location=a.webm ! decodebin name=in ! queue ! swiftspeed speed=3/2 ! autovideosink \
///         in. ! queue ! swiftspeed speed=3/2 ! audioconvert ! audioresample ! autoaudiosink
final class Speed: ConcurrentElement {
    static let factoryName = "swiftspeed"
    static let typeName = "GstSwiftSpeed"
    static let metadata = ElementMetadata(
        "Speed", classification: "Filter/Effect", description: "Plays a stream at another speed", author: "Me")
    static let padTemplates: [PadTemplate] = [.sink("ANY"), .source("ANY")]

    struct Settings: ElementSettings {
        var speed = Structure.Fraction(1, 1)
        static let properties: [Property<Self>] = [
            .fraction(
                "speed", from: .init(1, 100), to: .init(100, 1), "Speed (2/1 = twice as fast)", flags: .beforeStart,
                get: { $0.speed }, set: { $0.speed = $1 })
        ]
    }

    let host: ElementHost
    private let source: Pad
    private let speed = Mutex(Structure.Fraction(1, 1))
    private var pace: Structure.Fraction { speed.withLock { .init($0.denominator, $0.numerator) } }

    init(host: ElementHost) {
        self.host = host
        source = host.pad("src")!
        for template in Self.padTemplates { host.pad(template.name)?.proxyCaps() }
    }

    func start(_ settings: LiveSettings<Settings>) { speed.withLock { $0 = settings.now.speed } }

    func chain(_ buffer: consuming Buffer, on pad: borrowing Pad) -> FlowResult {
        let pace = pace
        buffer.pts = buffer.pts?.scaled(by: pace)
        buffer.dts = buffer.dts?.scaled(by: pace)
        buffer.duration = buffer.duration?.scaled(by: pace)
        return source.push(buffer)
    }

    func sinkEvent(_ event: consuming Event, on pad: borrowing Pad) -> FlowResult {
        let (pace, speed) = (pace, speed.withLock { $0 })
        event.segment = event.segment?.scaled(by: pace)
        event.segmentDone = event.segmentDone?.scaled(by: pace)
        event.gap = event.gap.map { ($0.at.scaled(by: pace), $0.duration?.scaled(by: pace)) }
        if let caps = event.caps, caps.mediaType() == "audio/x-raw", case .int(let rate) = caps.value("rate") {
            let scaled = Int(rate) * Int(speed.numerator) / Int(speed.denominator)
            event.caps = caps.setting("rate", to: .int(Int32(clamping: max(scaled, 1))))
        }
        return pad.handleByDefault(event) ? .ok : .error
    }

    func sourceEvent(_ event: consuming Event, on pad: borrowing Pad) -> Bool {
        let speed = speed.withLock { $0 }
        // An event with running times, which this element does not change, ends an instant change of the rate.
        guard event.seek?.flags.contains(.instantRateChange) != true else { return false }
        event.seek = event.seek?.scaled(by: speed)
        event.qualityOfService = event.qualityOfService?.scaled(by: speed)
        return pad.handleByDefault(event)
    }

    func sinkQuery(_ query: borrowing Query, on pad: borrowing Pad) -> Bool {
        query.kind == .allocation ? source.queryPeer(query) : pad.answerByDefault(query)
    }

    /// Latency is a time of the clock, which does not change.
    func sourceQuery(_ query: borrowing Query, on pad: borrowing Pad) -> Bool {
        guard query.kind != .conversion, pad.answerByDefault(query) else { return false }
        let pace = pace
        query.position = query.position?.scaled(by: pace)
        query.duration = query.duration?.scaled(by: pace)
        query.seeking = query.seeking.map { ($0.isSeekable, $0.start.scaled(by: pace), $0.stop.scaled(by: pace)) }
        query.segment = query.segment.map { ($0.rate, $0.start.scaled(by: pace), $0.stop.scaled(by: pace)) }
        return true
    }
}
