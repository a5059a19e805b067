import CSystem

/// Times of several clocks at one moment, with which a viewer aligns the trace with other traces.
struct TraceClocks {
    let monotonic: UInt64
    let boottime: UInt64
    let realtime: UInt64

    static var now: TraceClocks {
        TraceClocks(monotonic: ctracing_monotonic(), boottime: ctracing_boottime(), realtime: ctracing_realtime())
    }

    func packet(on sequence: TraceSequence) -> ProtobufWriter {
        let clocks = [
            (PerfettoValue.monotonic, monotonic), (PerfettoValue.boottime, boottime),
            (PerfettoValue.realtime, realtime),
        ]
        return sequence.packet { packet in
            packet.message(PerfettoField.Packet.clockSnapshot) { snapshot in
                for (id, time) in clocks {
                    snapshot.message(PerfettoField.Clocks.clock) {
                        $0.field(PerfettoField.Clocks.id, id)
                        $0.field(PerfettoField.Clocks.time, time)
                    }
                }
                snapshot.field(PerfettoField.Clocks.primary, PerfettoValue.monotonic)
            }
        }
    }
}
