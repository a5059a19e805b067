/// Values of one element as they are read once a second.
public struct ElementReading: Sendable {
    /// Identifies the element among those of one session, also when another has its name.
    public var id: Int
    /// Name of the element, unique among the readings; see `UniqueNames`.
    public var name: String
    /// Name that the element has itself.
    public var ownName: String
    /// Name of its factory.
    public var factory: String
    /// Kinds by which targets may mean it: `source`, `sink`, `encoder`, `decoder`, `queue`, in lower case.
    public var kinds: [String]
    /// Whether frames end here.
    public var isSink = false
    /// Whether the element is in the pipeline; false after it was removed.
    public var isPresent = true
    /// Whether one frame that enters is one that leaves, so that the missing ones were dropped.
    public var keepsFrames = true
    /// Whether the time that pushes were blocked is measured; probes do not see it.
    public var measuresBlocked = false
    /// Time at which the element came; nil is within the last second.
    public var began: Duration?
    /// Counts since the start.
    public var counts: ElementCounts
    /// CPU time of its threads in cores.
    public var cpu: Double?
    /// How many of its threads were ready and had no processor, on average.
    public var cpuWait: Double?
    /// Whether it holds frames until their time: a sink, `clocksync`, `identity sync=true`.
    public var waitsForClock = false
    /// Whether it passes frames on from another thread than the one that brings them.
    public var hasOwnThread = false
    /// Frames a second of the caps of a source; nil if they have none.
    public var framerate: Double?
    /// Time for which a jitter buffer waits for packets; nil in other elements.
    public var packetLatency: Duration?
    /// Whether raw video in the memory of the system enters it.
    public var takesRawVideo = false
    /// Values that the element itself reports.
    public var levels: [ElementSnapshot.Level] = []
    /// Names of the elements that its source pads are linked to.
    public var downstream: [String] = []

    /// Creates a reading.
    public init(id: Int, name: String, factory: String, kinds: [String], counts: ElementCounts) {
        self.id = id
        self.name = name
        ownName = name
        self.factory = factory
        self.kinds = kinds
        self.counts = counts
    }
}
