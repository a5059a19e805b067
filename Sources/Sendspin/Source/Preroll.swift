import AudioSinks
import GStreamer
import SendspinProtocol

/// The way in which `sendspinsrc` makes downstream negotiate before it has data.
///
/// A parser that has received no buffer pushes caps with a rate of 1 Hz at a gap, which a decoder replaces later. An
/// empty buffer makes it read the header in its caps first.
enum Preroll: Equatable {
    /// The first data negotiates.
    case none
    case gap
    case headerAndGap

    init(_ codec: AudioCodec, behind host: ElementHost) {
        let elements = host.elementsDownstream()
        let parsers = elements.filter { $0.classes.contains("Parser") }
        // A muxer keeps the first caps. The parser that decodebin has added is no neighbour.
        let isMuxed =
            host.elementsLinkedDownstream().contains { $0.classes.contains("Parser") }
            && !elements.contains { $0.classes.contains("Decoder") }
        if isMuxed {
            self = .none
        } else if codec != .flac || !parsers.contains(where: Self.isExposed) {
            // A decoder that has received only a header posts an error at EOS, or when it is replaced.
            self = .gap
        } else {
            // A link behind a parsebin fails at 1 Hz. With several sinks, the flush would discard the header in files.
            self = host.sinkCount <= 1 ? .headerAndGap : .none
        }
    }

    /// Whether the parser belongs to a parsebin that is no part of a decodebin3.
    private static func isExposed(_ parser: ElementReference) -> Bool {
        guard let bin = parser.parent, bin.factory == "parsebin" else { return false }
        return bin.parent.map { ["pipeline", "bin"].contains($0.factory) } ?? true
    }
}
