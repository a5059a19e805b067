import GStreamer
import AudioSinks
import Synchronization

/// A bin with a `swifttestsplitter` and a sink, which it links when the splitter adds its pad `extra`.
///
/// The bin has a volume, a property of its sink, and action signals.
final class Player: Bin {
    static let factoryName = "swifttestplayer"
    static let typeName = "GstSwiftTestPlayer"
    static let metadata = ElementMetadata("Player", classification: "Sink", description: "Tests", author: "Tests")
    static let padTemplates: [PadTemplate] = [.sink("ANY")]
    static let interfaces: [Interface] = [.streamVolume]
    static let signals = [seek, stop]

    static let seek = Signal.action("seek", arguments: [.uint64, .string], returns: .bool) {
        (player: Player, arguments) in
        guard case .uint64(let position) = arguments[0] else { return nil }
        player.sought.withLock { $0.append("\(position) \(arguments[1])") }
        return .bool(position < 100)
    }
    static let stop = Signal.action("stop") { (player: Player, _) in
        player.sought.withLock { $0.append("stop") }
        return nil
    }

    struct Settings: ElementSettings {
        typealias Report = Sink
        var volume = 1.0
        var isMuted = false
        static let properties: [Property<Self>] = [
            .double("volume", \.volume, in: 0...10, "The volume"),
            .bool("mute", \.isMuted, "Whether it is silent"),
            .uint32("sum", "The sum of the sink") { report in
                guard case .uint(let sum) = report.element?.value("sum") else { return 0 }
                return sum
            },
        ]
    }

    final class Sink: Sendable {
        let element = ElementReference(factory: "swifttestsum", name: "sum")
    }

    let host: ElementHost
    let report = Sink()
    let sought = Mutex<[String]>([])
    private let observer: PadObserver?

    init(host: ElementHost) {
        self.host = host
        guard let splitter = ElementReference(factory: "swifttestsplitter"), let sink = report.element else {
            observer = nil
            return
        }
        host.add(splitter)
        host.add(sink)
        host.addGhostPad(Self.padTemplates[0], target: splitter.pad("sink"))
        observer = PadObserver(splitter) { pad in
            guard let input = sink.pad("sink"), !input.isLinked else { return }
            _ = pad.link(to: input)
        }
    }
}
