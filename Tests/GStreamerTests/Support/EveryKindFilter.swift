import GStreamer
import Synchronization

enum Mood: Int32, PropertyChoice {
    case calm = 0
    case wild = 7
    static let typeName = "GstSwiftTestMood"
    var nick: String { self == .calm ? "calm" : "wild" }
    var summary: String { self == .calm ? "Nothing happens" : "Everything happens" }
}

struct Parts: OptionSet {
    let rawValue: UInt32
    static let luma = Self(rawValue: 1)
    static let chroma = Self(rawValue: 4)
}

/// State of the filter that its read-only properties return.
final class Sightings: Sendable {
    struct Frame: Sendable, Equatable {
        var pts: Duration?
        var gain: Float = 0
        var width = 0, height = 0, stride = 0, firstRowOffset = 0, byteCount = 0
        var isInterlaced = false, isOneField = false, isTopFieldFirst = false
    }
    let frames = Atomic<UInt64>(0)
    let configured = Atomic<UInt64>(0)
    let last = Mutex(Frame())
    var structure: Structure { Structure("stats", ["frames": .uint64(frames.load(ordering: .relaxed))]) }
}

/// A filter with a property of every kind, which fails in the method selected by `trouble`.
///
/// The filter writes `gain` into the first byte of each frame.
struct EveryKindFilter: VideoFilter, ~Copyable {
    static let factoryName = "swifttesteverykind"
    static let typeName = "GstSwiftTestEveryKind"
    static let metadata = ElementMetadata(
        "Every kind", classification: "Filter/Effect/Video", description: "For tests", author: "Tests")
    private static let caps = """
        video/x-raw, format=(string){ BGRx, RGB, NV12 }; \
        video/x-raw(format:Interlaced), format=(string){ BGRx }, interlace-mode=(string)alternate
        """
    static let padTemplates: [PadTemplate] = [.sink(caps), .source(caps)]
    static let interfaces: [Interface] = [.preset]

    enum Trouble: Int32 {
        case none, start, configure, configureSilently, process, endOfStream, flushing
    }

    struct Settings: ElementSettings {
        typealias Report = Sightings
        var flag = true
        var int32: Int32 = -3
        var uint32: UInt32 = 3
        var int64 = Int64.min
        var uint64 = UInt64.max
        var gain: Float = 0.25
        var level = 0.5
        var mood = Mood.wild
        var otherMood = Mood.calm
        var parts: Parts = [.luma]
        var ratio = Structure.Fraction(3, 2)
        var label: String?
        var recipe: String?
        var enabled = true
        var trouble: Int32 = 0

        static let properties: [Property<Self>] = [
            .bool("flag", \.flag, "A flag"),
            .int32("int32", \.int32, in: -10...10, "A number"),
            .uint32("uint32", \.uint32, in: 1...10, "A number", flags: .beforeStart),
            .int64("int64", \.int64, "A number"),
            .uint64("uint64", \.uint64, "A number"),
            .float("gain", \.gain, in: 0...1, "A number"),
            .double("level", in: 0...2, "A number", get: { $0.level }, set: { $0.level = $1 }),
            .choice("mood", \.mood, "A mood"),
            .choice("other-mood", \.otherMood, "Another mood"),
            .flags(
                "parts", typeName: "GstSwiftTestParts",
                options: [(1, "luma", "Brightness"), (4, "chroma", "Colour")], \.parts, "Some parts"),
            .fraction(
                "ratio", from: .init(1, 2), to: .init(4, 1), "A fraction", get: { $0.ratio }, set: { $0.ratio = $1 }),
            .string("label", \.label, "A text"),
            .string("recipe", "Gain and number in one, as 0.5/7", get: { $0.recipe }, parse: parseRecipe)
                .storedInPresets(false),
            .bool("enabled", \.enabled, "Whether frames are changed").storedInPresets(false),
            .int32("trouble", \.trouble, in: 0...6, "Where to fail"),
            .structure("stats", "Statistics", reported: { $0.structure }),
            .uint64("frames", "Frames so far", reported: { $0.frames.load(ordering: .relaxed) }),
            .uint64("configured", "Formats so far", reported: { $0.configured.load(ordering: .relaxed) }),
            .structure("echo", "The number again", get: { Structure("echo", ["int32": .int($0.int32)]) }),
        ]

        private static func parseRecipe(_ text: String?) throws(ElementError) -> Property<Self>.Update {
            guard let text else { return { $0.recipe = nil } }
            let words = text.split(separator: "/")
            guard words.count == 2, let gain = Float(words[0]), let number = Int32(words[1]) else {
                throw .settings("\"\(text)\" is no recipe", debug: "Write it as 0.5/7.")
            }
            return {
                $0.recipe = text
                $0.gain = gain
                $0.int32 = number
            }
        }

        func fails(at place: Trouble) -> Bool { trouble == place.rawValue }
    }

    let report = Sightings()
    let host: ElementHost

    init(host: ElementHost) { self.host = host }

    mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        if settings.now.fails(at: .start) { throw .resource(.notFound, "no tape", debug: "put one in") }
    }

    mutating func configure(_ format: VideoFormat, _ settings: Settings) throws(FlowResult) {
        if settings.fails(at: .configure) { throw host.fail(.stream(.format, "\(format.name) is too odd")) }
        if settings.fails(at: .configureSilently) { throw .notNegotiated }
        report.configured.add(1, ordering: .relaxed)
    }

    mutating func process(_ frame: borrowing VideoFrame, _ settings: Settings) throws(FlowResult) {
        if settings.fails(at: .process) { throw host.fail(.library(.failed, "the tape is torn", debug: "glue it")) }
        if settings.fails(at: .endOfStream) { throw .endOfStream }
        if settings.fails(at: .flushing) { throw .flushing }
        var pixels = frame.plane()
        pixels[frame.firstRowOffset()] = UInt8(settings.gain * 255)
        let seen = Sightings.Frame(
            pts: frame.pts, gain: settings.gain, width: frame.width, height: frame.height, stride: frame.stride(),
            firstRowOffset: frame.firstRowOffset(), byteCount: pixels.count, isInterlaced: frame.isInterlaced,
            isOneField: frame.isOneField, isTopFieldFirst: frame.isTopFieldFirst)
        report.last.withLock { $0 = seen }
        report.frames.add(1, ordering: .relaxed)
        Self.newest.withLock { $0[host.name] = seen }
    }

    static func isPassthrough(_ settings: Settings) -> Bool { !settings.enabled }

    /// The last frame of each filter; the key is the name of the element.
    static let newest = Mutex<[String: Sightings.Frame]>([:])
}
