/// Encodes records as a Perfetto trace, without a clock, a file or a thread.
///
/// A file that is cut between two packets is a valid trace.
struct TraceEncoder {
    /// Number of bytes reserved for the end of each open span.
    private static let spanEnd = 64
    /// Number of bytes reserved for the last packets of the trace.
    private static let ending = 1024
    /// Smallest limit of a trace, in bytes.
    static let leastBytes = 65536

    var sequences: [TraceSequence] = []
    /// Encoded packets that `takeBytes` has not returned yet.
    private var bytes: [UInt8] = []
    /// Number of bytes since the beginning of the trace.
    private var written = 0
    private let maximum: Int
    private var openSpans = 0
    private let process: Int32
    private let firstTrack: UInt64
    private let start: UInt64
    private var nextTrack: UInt64 = 0
    private var nameIDs: [UInt: UInt64] = [:]
    private var threads: [Int32: (sequence: Int, name: String)] = [:]
    private var counters: [UInt: UInt64] = [:]
    /// Lines on which the slices of a name are drawn, and the ends of their last slices.
    var lines: [UInt: [(sequence: Int, end: UInt64)]] = [:]
    var slices: [TraceRecord] = []
    /// Whether the final mark is written, after which nothing is added.
    private(set) var isFinished = false
    private var lost: UInt64 = 0

    /// Begins a trace; `seed` makes its track numbers differ from those of other traces.
    init(process: Int32, name: String, clocks: TraceClocks, seed: UInt64, maximumBytes: Int) {
        self.process = process
        start = clocks.monotonic
        maximum = max(maximumBytes, Self.leastBytes)
        // A constant of SplitMix64 spreads the seed over 64 bits; the low bits count tracks.
        firstTrack = ((seed &* 0x9E37_79B9_7F4A_7C15) | (1 << 63)) & ~0xFFFF_FFFF
        _ = addSequence { descriptor in
            descriptor.message(PerfettoField.Track.process) {
                $0.field(PerfettoField.Process.number, UInt64(process))
                $0.field(PerfettoField.Process.name, text: String(name.prefix(200)))
            }
        }
        write([clocks.packet(on: sequences[0])])
    }

    mutating func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    mutating func name(_ thread: Int32, _ name: String) {
        guard !isFinished, threads[thread]?.name != name else { return }
        let process = process
        let describe = { (descriptor: inout ProtobufWriter) in
            descriptor.message(PerfettoField.Track.thread) {
                $0.field(PerfettoField.Thread.process, UInt64(process))
                $0.field(PerfettoField.Thread.number, UInt64(thread))
                $0.field(PerfettoField.Thread.name, text: name)
            }
        }
        if let known = threads[thread] {
            let sequence = sequences[known.sequence]
            write([
                sequence.packet { packet in
                    packet.message(PerfettoField.Packet.trackDescriptor) {
                        $0.field(PerfettoField.Track.id, sequence.track)
                        describe(&$0)
                    }
                }
            ])
            threads[thread]?.name = name
        } else {
            threads[thread] = (addSequence(describe), name)
        }
    }

    /// Adds a record of a thread; ignores threads without a name.
    mutating func add(_ record: TraceRecord, of thread: Int32) {
        guard !isFinished, let sequence = threads[thread]?.sequence, let kind = record.kind else { return }
        switch kind {
        case .begin: begin(record, sequence)
        case .end: close(from: record.value, sequence, time: record.time)
        case .slice: slices.append(record)
        case .counter: count(record, sequence)
        case .instant, .instantWithValue, .instantWithReason: instant(record, kind, sequence)
        }
    }

    /// Adds a mark that `count` records were lost; `thread` is nil for several threads, or for threads without a ring.
    ///
    /// The mark is at `time`, or at the last event of the thread if that is later.
    mutating func addLost(_ count: UInt64, of thread: Int32?, reason: String, time: UInt64 = 0) {
        guard !isFinished, count > 0 else { return }
        lost += count
        let sequence = thread.flatMap { threads[$0]?.sequence } ?? 0
        var event = TrackEvent(kind: .instant, time: time, name: TraceName("trace.lost").address)
        event.reason = reason
        event.lost = count
        write(event, on: sequence)
    }

    /// Ends all open spans and marks the end of the trace with the reason.
    mutating func finish(_ reason: String, time: UInt64, clocks: TraceClocks? = nil) {
        guard !isFinished else { return }
        isFinished = true
        for index in sequences.indices {
            while sequences[index].openSpans.popLast() != nil {
                openSpans -= 1
                _ = append([packet(TrackEvent(kind: .end, time: time), on: index)], isLast: true)
            }
        }
        if let clocks { _ = append([clocks.packet(on: sequences[0])], isLast: true) }
        var event = TrackEvent(kind: .instant, time: time, name: TraceName("trace.end").address)
        event.reason = reason
        event.lost = lost
        _ = append([packet(event, on: 0)], isLast: true)
    }
}

extension TraceEncoder {
    private mutating func begin(_ record: TraceRecord, _ sequence: Int) {
        close(from: record.value, sequence, time: record.time)
        var event = TrackEvent(kind: .begin, time: record.time, name: record.name)
        event.frame = TraceFrame(word: record.frame)
        // A span without a frame belongs to the frame of the enclosing span.
        if event.frame == .none, let around = sequences[sequence].openSpans.last { event.frame = around.frame }
        guard write(event, on: sequence, opens: 1) else { return }
        openSpans += 1
        sequences[sequence].openSpans.append(TraceSequence.OpenSpan(level: record.value, frame: event.frame))
    }

    /// Ends the open spans of this level and of higher levels; usually this is one span.
    private mutating func close(from level: UInt64, _ sequence: Int, time: UInt64) {
        while let open = sequences[sequence].openSpans.last, open.level >= level {
            sequences[sequence].openSpans.removeLast()
            openSpans -= 1
            // The bytes of this packet were reserved when the span began.
            _ = append([packet(TrackEvent(kind: .end, time: time), on: sequence)], isLast: false)
        }
    }

    private mutating func instant(_ record: TraceRecord, _ kind: MarkKind, _ sequence: Int) {
        var event = TrackEvent(kind: .instant, time: record.time, name: record.name)
        event.frame = TraceFrame(word: record.frame)
        event.isLast = record.isLast
        if kind == .instantWithValue { event.value = Int64(bitPattern: record.value) }
        if kind == .instantWithReason { event.reason = TraceName.text(at: UInt(record.value)) }
        write(event, on: sequence)
    }

    private mutating func count(_ record: TraceRecord, _ sequence: Int) {
        var event = TrackEvent(kind: .counter, time: record.time)
        event.track = counterTrack(record)
        event.counterValue = Int64(bitPattern: record.value)
        write(event, on: sequence)
    }

    private mutating func counterTrack(_ record: TraceRecord) -> UInt64 {
        if let known = counters[record.name] { return known }
        let (track, parent) = (newTrack(), sequences[0].track)
        counters[record.name] = track
        write([
            sequences[0].packet { packet in
                packet.message(PerfettoField.Packet.trackDescriptor) { descriptor in
                    descriptor.field(PerfettoField.Track.id, track)
                    descriptor.field(PerfettoField.Track.name, text: TraceName.text(at: record.name))
                    descriptor.field(PerfettoField.Track.parent, parent)
                    descriptor.message(PerfettoField.Track.counter) {
                        $0.field(PerfettoField.Counter.unit, PerfettoValue.count)
                    }
                }
            }
        ])
        return track
    }
}

extension TraceEncoder {
    /// Begins a sequence with its own track, and returns its index; no event of the sequence is earlier than `time`.
    ///
    /// By default, `time` is the beginning of the trace. Slices may begin earlier and require another value.
    mutating func addSequence(from time: UInt64? = nil, _ describe: (inout ProtobufWriter) -> Void) -> Int {
        let sequence = TraceSequence(number: UInt64(sequences.count + 1), track: newTrack(), time: time ?? start)
        sequences.append(sequence)
        write([sequence.opening(describe)])
        return sequences.count - 1
    }

    @discardableResult
    mutating func write(_ event: TrackEvent, on sequence: Int, opens: Int = 0) -> Bool {
        write([packet(event, on: sequence)], opens: opens)
    }

    mutating func packet(_ event: TrackEvent, on sequence: Int) -> ProtobufWriter {
        let nameID = nameID(event.name)
        return sequences[sequence].packet(event, nameID: nameID)
    }

    /// Writes the packets, which open `opens` spans; if they do not fit, writes none of them and ends the trace.
    @discardableResult
    mutating func write(_ packets: [ProtobufWriter], opens: Int = 0) -> Bool {
        guard !isFinished else { return false }
        if append(packets, isLast: false, opens: opens) { return true }
        finish("max-bytes reached", time: sequences.map(\.time).max() ?? 0)
        return false
    }

    /// Appends all packets if they and the reserved bytes fit; if not, appends none of them.
    private mutating func append(_ packets: [ProtobufWriter], isLast: Bool, opens: Int = 0) -> Bool {
        var framed = ProtobufWriter()
        for packet in packets { framed.field(PerfettoField.packetOfTrace, packet) }
        let reserve = isLast ? 0 : Self.ending + ((openSpans + opens) * Self.spanEnd)
        guard written + framed.bytes.count + reserve <= maximum else { return false }
        bytes += framed.bytes
        written += framed.bytes.count
        return true
    }

    private mutating func newTrack() -> UInt64 {
        nextTrack += 1
        return firstTrack | nextTrack
    }

    private mutating func nameID(_ address: UInt) -> UInt64? {
        guard address != 0 else { return nil }
        if let known = nameIDs[address] { return known }
        let number = UInt64(nameIDs.count + 1)
        nameIDs[address] = number
        return number
    }
}
