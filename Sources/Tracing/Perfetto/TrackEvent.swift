struct TrackEvent {
    /// Kinds of events, with the numbers of the schema.
    enum Kind: UInt64 {
        case begin = 1
        case end, instant, counter
    }

    /// Annotations that an event may have; the raw value is the id of the name in each sequence.
    enum Note: UInt64, CaseIterable {
        case runningTime = 1
        case value, reason, records

        var name: String {
            switch self {
            case .runningTime: "running-time"
            case .value: "value"
            case .reason: "reason"
            case .records: "records"
            }
        }
    }

    var kind: Kind
    var time: UInt64
    /// Address of the name; 0 if the event has no name.
    var name: UInt = 0
    /// Track of the event; nil for the track of the sequence.
    var track: UInt64?
    var counterValue: Int64?
    var frame = TraceFrame.none
    var isLast = false
    var value: Int64?
    var reason: String?
    /// Number of lost records.
    var lost: UInt64?

    /// Returns the event as a message; `nameID` is the number of its name in the sequence.
    func message(nameID: UInt64?) -> ProtobufWriter {
        var event = ProtobufWriter()
        event.field(PerfettoField.Event.type, kind.rawValue)
        if let nameID { event.field(PerfettoField.Event.nameID, nameID) }
        if let track { event.field(PerfettoField.Event.track, track) }
        if let counterValue { event.field(PerfettoField.Event.counterValue, signed: counterValue) }
        if frame != .none {
            event.field(isLast ? PerfettoField.Event.lastFlows : PerfettoField.Event.flows, fixed: frame.word)
            Self.note(.runningTime, &event) { $0.field(PerfettoField.Annotation.unsigned, frame.runningTime) }
        }
        if let value { Self.note(.value, &event) { $0.field(PerfettoField.Annotation.signed, signed: value) } }
        if let reason { Self.note(.reason, &event) { $0.field(PerfettoField.Annotation.text, text: reason) } }
        if let lost { Self.note(.records, &event) { $0.field(PerfettoField.Annotation.unsigned, lost) } }
        return event
    }

    private static func note(_ note: Note, _ event: inout ProtobufWriter, _ fill: (inout ProtobufWriter) -> Void) {
        event.message(PerfettoField.Event.annotations) { annotation in
            annotation.field(PerfettoField.Annotation.nameID, note.rawValue)
            fill(&annotation)
        }
    }
}
