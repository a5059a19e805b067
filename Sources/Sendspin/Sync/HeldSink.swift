import AudioSinks
import GStreamer

/// The audio sink downstream of `sendspinsync`; while it is held, its property `slave-method` is `none`.
struct HeldSink: ~Copyable {
    /// The sink; nil if there is none, or if another `sendspinsync` in front of the sink corrects it.
    private var sink: AudioSink?
    /// Value of `slave-method` to restore; nil while the sink is not held.
    private var slaveMethod: String?
    private var isLengthened = false
    /// Pending changes of properties, which may call `notify` handlers of the application.
    private var orders: [@Sendable () -> Void] = []
    private var isUnknown = true

    var held: AudioSink? { slaveMethod == nil ? nil : sink }

    /// Releases the sink and the reference to it.
    mutating func drop() {
        release()
        sink = nil
        forget()
    }

    /// Requests a new search, because downstream was linked again.
    mutating func forget() { isUnknown = true }

    /// Searches for the sink after `forget`; returns whether the sink is another one.
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

    /// Disables the corrections of the sink; false if it is missing, already held or without `slave-method`.
    mutating func hold(_ host: ElementHost) -> Bool {
        guard let sink, slaveMethod == nil, let method = sink.slaveMethod else { return false }
        slaveMethod = method
        orders.append { sink.setSlaveMethod("none") }
        SendspinSync.log.info(host, "\(sink.name) is the sink")
        return true
    }

    /// Lengthens the period of the sink if `sendspinsrc` is upstream, because a server sends audio seconds ahead.
    ///
    /// Called when the elements upstream are linked, before the sink negotiates.
    mutating func lengthenPeriod(_ host: ElementHost) {
        guard let sink = held, !isLengthened,
            host.elementsUpstream().contains(where: { $0.factory == SendspinSource.factoryName })
        else { return }
        isLengthened = sink.hasDefaultPeriod
        if isLengthened { orders.append { sink.lengthenPeriod() } }
    }

    /// Restores the properties of the sink.
    mutating func release() {
        if let sink, let slaveMethod { orders.append { sink.setSlaveMethod(slaveMethod) } }
        if let sink, isLengthened { orders.append { sink.restorePeriod() } }
        (slaveMethod, isLengthened) = (nil, false)
    }

    /// Returns the pending property changes; the caller performs them without a mutex.
    mutating func takeOrders() -> [@Sendable () -> Void] {
        defer { if !orders.isEmpty { orders = [] } }
        return orders
    }
}
