/// A sequence of packets: one for the process, for each thread, and for each line of slices.
///
/// Ids of names are valid in one sequence only, and its timestamps never decrease.
struct TraceSequence {
    /// Number of the sequence, from 1 up.
    let number: UInt64
    /// Track of its events.
    let track: UInt64
    /// Time of the last event.
    private(set) var time: UInt64
    /// The spans that are open, outermost first.
    var openSpans: [OpenSpan] = []
    private var names: Set<UInt64> = []

    /// A span that is open.
    struct OpenSpan {
        let level: UInt64
        let frame: TraceFrame
    }

    /// A sequence without events; none of them is earlier than `time`.
    init(number: UInt64, track: UInt64, time: UInt64) {
        self.number = number
        self.track = track
        self.time = time
    }

    /// The packet that begins the sequence; `describe` writes its track.
    func opening(_ describe: (inout ProtobufWriter) -> Void) -> ProtobufWriter {
        var packet = ProtobufWriter()
        packet.field(PerfettoField.Packet.sequence, number)
        packet.field(PerfettoField.Packet.sequenceFlags, PerfettoValue.stateCleared)
        packet.field(PerfettoField.Packet.isFirstOnSequence, 1)
        packet.message(PerfettoField.Packet.defaults) { defaults in
            defaults.field(PerfettoField.Defaults.clock, PerfettoValue.monotonic)
            defaults.message(PerfettoField.Defaults.trackEvent) { $0.field(PerfettoField.Event.track, track) }
        }
        packet.message(PerfettoField.Packet.internedData) { data in
            for note in TrackEvent.Note.allCases {
                data.message(PerfettoField.Interned.annotationNames) { Self.name(note.name, note.rawValue, &$0) }
            }
        }
        packet.message(PerfettoField.Packet.trackDescriptor) { descriptor in
            descriptor.field(PerfettoField.Track.id, track)
            describe(&descriptor)
        }
        return packet
    }

    /// A further packet of the sequence.
    func packet(_ fill: (inout ProtobufWriter) -> Void) -> ProtobufWriter {
        var packet = ProtobufWriter()
        packet.field(PerfettoField.Packet.sequence, number)
        packet.field(PerfettoField.Packet.sequenceFlags, PerfettoValue.needsState)
        fill(&packet)
        return packet
    }

    /// The packet of an event, with its name if the sequence has not had it yet.
    mutating func packet(_ event: TrackEvent, nameID: UInt64?) -> ProtobufWriter {
        // A new thread may have the id of one that has ended, and its events may then be read first.
        time = max(time, event.time)
        var newName: UInt64?
        if let nameID, names.insert(nameID).inserted { newName = nameID }
        let time = time
        return packet { packet in
            packet.field(PerfettoField.Packet.timestamp, time)
            if let newName {
                packet.message(PerfettoField.Packet.internedData) { data in
                    data.message(PerfettoField.Interned.eventNames) {
                        Self.name(TraceName.text(at: event.name), newName, &$0)
                    }
                }
            }
            packet.field(PerfettoField.Packet.trackEvent, event.message(nameID: nameID))
        }
    }

    private static func name(_ text: String, _ number: UInt64, _ writer: inout ProtobufWriter) {
        writer.field(PerfettoField.Interned.id, number)
        writer.field(PerfettoField.Interned.name, text: text)
    }
}
