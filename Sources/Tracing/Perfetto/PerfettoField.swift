/// Field numbers of Perfetto's public schema, which never change.
///
/// Source: `protos/perfetto/trace/trace_packet.proto` and `protos/perfetto/trace/track_event/*.proto` of
/// github.com/google/perfetto.
enum PerfettoField {
    static let packetOfTrace = 1

    enum Packet {
        static let clockSnapshot = 6
        static let timestamp = 8
        static let sequence = 10
        static let trackEvent = 11
        static let internedData = 12
        static let sequenceFlags = 13
        static let defaults = 59
        static let trackDescriptor = 60
        static let isFirstOnSequence = 87
    }

    enum Defaults {
        static let trackEvent = 11
        static let clock = 58
    }

    enum Event {
        static let annotations = 4
        static let type = 9
        static let nameID = 10
        static let track = 11
        static let counterValue = 30
        static let flows = 47
        static let lastFlows = 48
    }

    enum Annotation {
        static let nameID = 1
        static let unsigned = 3
        static let signed = 4
        static let text = 6
    }

    enum Interned {
        static let eventNames = 2
        static let annotationNames = 3
        static let id = 1
        static let name = 2
    }

    enum Track {
        static let id = 1
        static let name = 2
        static let process = 3
        static let thread = 4
        static let parent = 5
        static let counter = 8
    }

    enum Process {
        static let number = 1
        static let name = 6
    }

    enum Thread {
        static let process = 1
        static let number = 2
        static let name = 5
    }

    enum Counter { static let unit = 3 }

    enum Clocks {
        static let clock = 1
        static let primary = 2
        static let id = 1
        static let time = 2
    }
}

enum PerfettoValue {
    static let stateCleared: UInt64 = 1
    static let needsState: UInt64 = 2
    static let realtime: UInt64 = 1
    static let monotonic: UInt64 = 3
    static let boottime: UInt64 = 6
    /// Unit of a counter: a number without a unit.
    static let count: UInt64 = 2
}
