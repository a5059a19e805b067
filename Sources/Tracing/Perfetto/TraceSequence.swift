/// A sequence of packets, for the process, for a thread, or for a line of slices.
///
/// Ids of names are valid within one sequence. The timestamps of a sequence never decrease.
struct TraceSequence {
    /// Number of the sequence, from 1.
    let number: UInt64
    let track: UInt64
    private(set) var time: UInt64
    /// Open spans, outermost first.
    var openSpans: [OpenSpan] = []
    private var names: Set<UInt64> = []

    struct OpenSpan {
        let level: UInt64
        let frame: TraceFrame
    }

    /// Creates a sequence without events; no event is earlier than `time`.
    init(number: UInt64, track: UInt64, time: UInt64) {
        self.number = number
        self.track = track
        self.time = time
    }

    /// Returns the packet that begins the sequence; `describe` writes its track.
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

    /// Returns a further packet of the sequence.
    func packet(_ fill: (inout ProtobufWriter) -> Void) -> ProtobufWriter {
        var packet = ProtobufWriter()
        packet.field(PerfettoField.Packet.sequence, number)
        packet.field(PerfettoField.Packet.sequenceFlags, PerfettoValue.needsState)
        fill(&packet)
        return packet
    }

    /// Returns the packet of an event, with the text of its name at the first use.
    mutating func packet(_ event: TrackEvent, nameID: UInt64?) -> ProtobufWriter {
        // A new thread may reuse the id of an ended thread, and its events may be read first, so event times may fall.
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
