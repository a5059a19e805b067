/// The size and the rate of a raw video stream, as its caps say.
public struct StreamPicture: Sendable, Equatable {
    public var width: Int32
    public var height: Int32
    /// 0 when frames come whenever they like.
    public var rateNumerator: Int32
    public var rateDenominator: Int32
    public var isInterlaced = false
    /// Whether a scaler can take it: whole frames in plain memory.
    public var isScalable = true
    /// Whether a buffer is one field, which is worth nothing without the other.
    public var isFields = false

    public init(width: Int32, height: Int32, rateNumerator: Int32, rateDenominator: Int32) {
        self.width = width
        self.height = height
        self.rateNumerator = rateNumerator
        self.rateDenominator = rateDenominator
    }
}

/// What upstream is asked for; nil is left to upstream.
public struct StreamWish: Sendable, Equatable {
    public var size: StreamSize?
    public var rate: StreamRate?

    public init(size: StreamSize? = nil, rate: StreamRate? = nil) {
        self.size = size
        self.rate = rate
    }

    public struct StreamSize: Sendable, Equatable {
        public let width, height: Int32
        public init(_ width: Int32, _ height: Int32) {
            self.width = width
            self.height = height
        }
    }

    public struct StreamRate: Sendable, Equatable {
        public let numerator, denominator: Int32
        public init(_ numerator: Int32, _ denominator: Int32) {
            self.numerator = numerator
            self.denominator = denominator
        }
    }

    /// Whether `picture` is what was wished for.
    public func isMet(by picture: StreamPicture) -> Bool {
        (size.map { $0.width == picture.width && $0.height == picture.height } ?? true)
            && (rate.map { $0.numerator == picture.rateNumerator && $0.denominator == picture.rateDenominator } ?? true)
    }
}

/// What becomes of one frame.
public enum FrameVerdict: Sendable, Equatable {
    case pass
    /// Passes, and stands for so many nanoseconds.
    case stretch(UInt64)
    case drop
}

/// A bin with one input and one output that makes a video stream smaller and slower, itself or by asking upstream.
///
/// Inside is a scaler. While the stream leaves as it came, frames go past it. GStreamer calls from several threads;
/// what belongs to the stream comes one call at a time.
public protocol ShapedBin: Bin {
    /// The way of the frames; made in `init`.
    var stream: ShapedStream { get }

    // MARK: The stream

    /// What the stream is to become, best first; what downstream cannot take is passed over.
    ///
    /// `isNew` when caps have arrived, and not when the shape was asked for anew.
    func shapes(for picture: StreamPicture, isNew: Bool) -> [StreamPicture]
    /// Tells which shape has been agreed on for `input`.
    func shaped(_ input: StreamPicture, into output: StreamPicture)
    /// The nearest to `shape`, which was refused, that is offered and can be made of `input`.
    func nearest(to shape: StreamPicture, of offers: [StreamOffer], from input: StreamPicture) -> StreamPicture?
    /// Called for each frame while the stream is paced; must not allocate.
    func verdict(onFrameAt time: UInt64?) -> FrameVerdict
    /// Called when time begins anew: after a flush, and with a segment.
    func timeRestarted()

    /// Chooses, after `requestUpstreamChange`, what upstream is to send; true when it has to be asked for that.
    func choose(from offers: [StreamOffer], now: StreamPicture) -> Bool

    // MARK: From outside the stream, on any thread

    /// What upstream is asked for now; nil when anything will do.
    func wish() -> StreamWish?
    /// Hears an upstream event of the application's own; true when it is for this element.
    func heard(_ event: CustomEvent) -> Bool
}
