import AudioSinks
import GStreamer

/// The audio sink behind `sendspinsync`, whose property `slave-method` is `none` while the element holds it.
struct HeldSink: ~Copyable {
    /// The sink; nil if there is none, or if another `sendspinsync` in front of it corrects.
    private var sink: AudioSink?
    /// Value of `slave-method` to restore; nil while the sink is not held.
    private var slaveMethod: String?
    /// Whether the sink must be searched for.
    private var isUnknown = true

    /// The sink while it is held.
    var held: AudioSink? { slaveMethod == nil ? nil : sink }

    /// Downstream was linked again, perhaps to another sink.
    mutating func forget() { isUnknown = true }

    /// Searches for the sink if it may be another one; returns whether it is.
    mutating func search(_ host: ElementHost) -> Bool {
        guard isUnknown else { return false }
        isUnknown = false
        // Two elements that correct the same sink would work against each other.
        let found = AudioSink.downstream(of: host, notBehind: SendspinSync.factoryName)
        guard found?.identity != sink?.identity else { return false }
        release()
        sink = found
        return true
    }

    /// Makes the sink leave the corrections to the element; returns whether it did them itself before.
    mutating func hold(_ host: ElementHost) -> Bool {
        guard let sink, slaveMethod == nil, let method = sink.slaveMethod else { return false }
        slaveMethod = method
        sink.disableSlaving()
        // Fewer writes cost latency, which a player allows for.
        if host.elementsUpstream().contains(where: { $0.factory == "sendspinsrc" }) { sink.lengthenPeriod() }
        SendspinSync.log.info(host, "\(sink.name) is the sink")
        return true
    }

    /// Makes the sink correct by itself, as before.
    mutating func release() {
        if let sink, let slaveMethod { sink.setSlaveMethod(slaveMethod) }
        slaveMethod = nil
    }
}
