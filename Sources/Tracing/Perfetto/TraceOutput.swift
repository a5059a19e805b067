/// Packets as bytes of a file, up to a limit.
struct TraceOutput {
    private var bytes: [UInt8] = []
    private let maximum: Int
    /// Bytes since the beginning of the trace.
    private(set) var written = 0

    init(maximumBytes: Int) { maximum = maximumBytes }

    /// Appends all packets if they and `reserve` more bytes fit; otherwise appends none.
    mutating func append(_ packets: [ProtobufWriter], reserve: Int) -> Bool {
        var framed = ProtobufWriter()
        for packet in packets { framed.field(PerfettoField.packetOfTrace, packet) }
        guard written + framed.bytes.count + reserve <= maximum else { return false }
        bytes += framed.bytes
        written += framed.bytes.count
        return true
    }

    /// The bytes since the last call.
    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}
