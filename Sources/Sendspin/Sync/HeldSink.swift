import AudioSinks
import GStreamer

/// The audio sink behind `sendspinsync`, whose property `slave-method` is `none` while the element holds it.
struct HeldSink: ~Copyable {
    /// The sink; nil if there is none, or if another `sendspinsync` in front of it corrects.
    private var sink: AudioSink?
    /// Value of `slave-method` to restore; nil while the sink is not held.
    private var slaveMethod: String?
    private var isLengthened = false
    private var orders: [SinkOrder] = []
    /// Whether the sink must be searched for.
    private var isUnknown = true

    /// The sink while it is held.
    var held: AudioSink? { slaveMethod == nil ? nil : sink }

    /// Releases the sink, and does not keep it alive.
    mutating func drop() {
        release()
        sink = nil
        forget()
    }

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
        orders.append(.setSlaveMethod(sink, "none"))
        SendspinSync.log.info(host, "\(sink.name) is the sink")
        return true
    }

    /// Makes the sink write less often if the audio comes from a server, which sends it seconds ahead.
    ///
    /// It must be called before the sink negotiates, when the elements upstream are linked.
    mutating func lengthenPeriod(_ host: ElementHost) {
        guard let sink = held, !isLengthened,
            host.elementsUpstream().contains(where: { $0.factory == SendspinSource.factoryName })
        else { return }
        isLengthened = sink.hasDefaultPeriod
        if isLengthened { orders.append(.lengthenPeriod(sink)) }
    }

    /// Makes the sink correct by itself, as before.
    mutating func release() {
        if let sink, let slaveMethod { orders.append(.setSlaveMethod(sink, slaveMethod)) }
        if let sink, isLengthened { orders.append(.restorePeriod(sink)) }
        (slaveMethod, isLengthened) = (nil, false)
    }

    /// Changes of sinks since the last call, to be carried out without a lock.
    mutating func takeOrders() -> [SinkOrder] {
        defer { if !orders.isEmpty { orders = [] } }
        return orders
    }
}
