/// Values of one element, read once a second.
public struct ElementReading: Sendable {
    /// Identifies the element within a session, even if another element has the same name.
    public var id: Int
    /// Name of the element, unique among the readings; see `uniqueNames(_:)`.
    public var name: String
    /// Name of the element in the pipeline.
    public var ownName: String
    /// Name of its factory.
    public var factory: String
    /// Kinds that a target may match, in lower case: `source`, `sink`, `encoder`, `decoder`, `queue`.
    public var kinds: [String]
    /// Whether frames end in the element.
    public var isSink = false
    /// Whether the element is in the pipeline; false after it was removed.
    public var isPresent = true
    /// Whether each frame that enters corresponds to one that leaves, so that missing frames were dropped.
    public var keepsFrames = true
    /// Whether the time blocked in pushes is measured; probes cannot measure it.
    public var measuresBlocked = false
    /// Time at which the element was added; nil if it was added within the last second.
    public var began: Duration?
    /// Counts since the start.
    public var counts: ElementCounts
    /// CPU time of its threads, in cores.
    public var cpu: Double?
    /// Mean number of its threads that waited for a processor.
    public var cpuWait: Double?
    /// Whether the element may hold frames until their time, as a sink without `sync=false` or any with `sync=true`.
    public var waitsForClock = false
    /// Whether frames enter on one thread and leave on another one.
    public var hasOwnThread = false
    /// Frames per second in the caps of a source; nil without a framerate.
    public var framerate: Double?
    /// Time for which a jitter buffer waits for packets; nil in other elements.
    public var packetLatency: Duration?
    /// Whether raw video in system memory enters the element.
    public var takesRawVideo = false
    /// Values that the element reports.
    public var levels: [ElementSnapshot.Level] = []
    /// Names of the elements to which its source pads are linked.
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

    /// Returns a name for each element, in the order of `names`: repeated names, and `Target.pipeline`, get a number.
    ///
    /// Elements in different bins may have the same name, and outputs distinguish elements by name: series of
    /// Prometheus, fields of `stats`, cards of the dashboard.
    public static func uniqueNames(_ names: [String]) -> [String] {
        var taken: Set<String> = [Target.pipeline]
        // A name with a number must not be the own name of another element.
        let own = Set(names)
        return names.map { name in
            var unique = name
            var number = 2
            while taken.contains(unique) || (unique != name && own.contains(unique)) {
                unique = "\(name)#\(number)"
                number += 1
            }
            taken.insert(unique)
            return unique
        }
    }
}
