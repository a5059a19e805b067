/// A trace as a viewer reads it.
///
/// The initializer throws if the trace breaks a rule of the format.
struct DecodedTrace {
    struct Event: Equatable {
        var sequence: UInt64
        var time: UInt64
        var kind: UInt64
        var track: UInt64
        var name: String?
        var counterValue: Int64?
        var flows: [UInt64]
        var lastFlows: [UInt64]
        var notes: [String: String]
    }

    struct Track: Equatable {
        var name: String?
        var parent: UInt64?
        var process: UInt64?
        var thread: UInt64?
        var unit: UInt64?
    }

    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    private struct Sequence {
        var track: UInt64
        var time: UInt64 = 0
        var eventNames: [UInt64: String] = [:]
        var annotationNames: [UInt64: String] = [:]
    }

    private(set) var events: [Event] = []
    private(set) var tracks: [UInt64: Track] = [:]
    private(set) var clocks: [[UInt64: UInt64]] = []
    private var sequences: [UInt64: Sequence] = [:]

    init(_ bytes: [UInt8]) throws {
        for (number, value) in try ProtobufReader.fields(bytes) {
            guard number == 1, let packet = value.bytes else { throw Broken(description: "field \(number) of a trace") }
            try read(try Message(packet, "packet", Schema.packet))
        }
    }

    func events(_ name: String) -> [Event] { events.filter { $0.name == name } }

    /// The track of the thread or counter with this name.
    func track(_ name: String) -> UInt64? { tracks.first { $0.value.name == name }?.key }

    private mutating func read(_ packet: Message) throws {
        let number = packet.number("trusted_packet_sequence_id") ?? 0
        let isFirst = packet.number("sequence_flags") == 1
        guard number != 0, isFirst || packet.number("sequence_flags") == 2 else {
            throw Broken(description: "a packet without sequence or flags")
        }
        guard isFirst == (sequences[number] == nil), isFirst == (packet.number("first_packet_on_sequence") == 1) else {
            throw Broken(description: "sequence \(number) does not begin where it says")
        }
        if isFirst { try begin(number, packet) }
        try intern(packet, number)
        if let descriptor = try packet.message("track_descriptor", Schema.track) { try describe(descriptor) }
        if let snapshot = try packet.message("clock_snapshot", Schema.clocks) { try read(clocks: snapshot) }
        if let event = try packet.message("track_event", Schema.event) { try read(event, packet, number) }
    }

    private mutating func begin(_ number: UInt64, _ packet: Message) throws {
        let defaults = try packet.message("trace_packet_defaults", Schema.defaults)
        guard defaults?.number("timestamp_clock_id") == 3,
            let track = try defaults?.message("track_event_defaults", Schema.eventDefaults)?.number("track_uuid")
        else { throw Broken(description: "sequence \(number) has no clock or no track") }
        sequences[number] = Sequence(track: track)
    }

    private mutating func intern(_ packet: Message, _ number: UInt64) throws {
        guard let data = try packet.message("interned_data", Schema.interned) else { return }
        for (field, names) in [
            ("event_names", \Sequence.eventNames), ("debug_annotation_names", \Sequence.annotationNames),
        ] {
            for entry in try data.messages(field, Schema.internedName) {
                guard let id = entry.number("iid"), id != 0, let name = entry.text("name"),
                    sequences[number]?[keyPath: names][id] == nil
                else { throw Broken(description: "an interned name without number or text, or twice") }
                sequences[number]?[keyPath: names][id] = name
            }
        }
    }

    private mutating func describe(_ descriptor: Message) throws {
        guard let id = descriptor.number("uuid"), id != 0 else { throw Broken(description: "a track without uuid") }
        let process = try descriptor.message("process", Schema.process)
        let thread = try descriptor.message("thread", Schema.thread)
        let counter = try descriptor.message("counter", Schema.counter)
        tracks[id] = Track(
            name: process?.text("process_name") ?? thread?.text("thread_name") ?? descriptor.text("name"),
            parent: descriptor.number("parent_uuid"), process: process?.number("pid") ?? thread?.number("pid"),
            thread: thread?.number("tid"), unit: counter?.number("unit"))
    }

    private mutating func read(clocks snapshot: Message) throws {
        guard snapshot.number("primary_trace_clock") == 3 else { throw Broken(description: "no primary clock") }
        var times: [UInt64: UInt64] = [:]
        for clock in try snapshot.messages("clocks", Schema.clock) {
            times[clock.number("clock_id") ?? 0] = clock.number("timestamp")
        }
        clocks.append(times)
    }

    private mutating func read(_ event: Message, _ packet: Message, _ number: UInt64) throws {
        guard let time = packet.number("timestamp"), let kind = event.number("type"), (1...4).contains(kind),
            let sequence = sequences[number], time >= sequence.time, !clocks.isEmpty
        else { throw Broken(description: "an event of sequence \(number) without time or kind, or out of order") }
        sequences[number]?.time = time
        let track = event.number("track_uuid") ?? sequence.track
        guard let described = tracks[track], (described.unit != nil) == (kind == 4) else {
            throw Broken(description: "an event on a track that was not described, or of another kind")
        }
        let name = event.number("name_iid").map { sequence.eventNames[$0] }
        guard kind == 2 || kind == 4 || name != .some(nil), (kind == 4) == event.has("counter_value") else {
            throw Broken(description: "an event without name or value")
        }
        var notes: [String: String] = [:]
        for note in try event.messages("debug_annotations", Schema.annotation) {
            guard let name = note.number("name_iid").flatMap({ sequence.annotationNames[$0] }) else {
                throw Broken(description: "an annotation without name")
            }
            notes[name] =
                note.text("string_value") ?? note.number("uint_value").map { "\($0)" }
                ?? note.number("int_value").map { "\(Int64(bitPattern: $0))" }
        }
        events.append(
            Event(
                sequence: number, time: time, kind: kind, track: track, name: name ?? nil,
                counterValue: event.number("counter_value").map { Int64(bitPattern: $0) },
                flows: event.fixed("flow_ids"), lastFlows: event.fixed("terminating_flow_ids"), notes: notes))
    }
}
