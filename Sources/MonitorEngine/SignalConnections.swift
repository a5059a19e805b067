import CGStreamer

/// Connections to signals of one object, such as `pad-added` or `deep-element-added`.
struct SignalConnections: @unchecked Sendable {  // GObject guards its signals.
    typealias Handler = @convention(c) (gpointer?, UnsafeMutableRawPointer?, gpointer?) -> Void
    typealias DeepHandler = @convention(c) (gpointer?, gpointer?, UnsafeMutablePointer<GstElement>?, gpointer?) -> Void

    private let sender: UnsafeMutableRawPointer
    private var ids: [gulong] = []

    /// Creates an empty list of connections to `sender`, which must outlive the connections.
    init(_ sender: UnsafeMutablePointer<some Any>) { self.sender = UnsafeMutableRawPointer(sender) }

    /// Connects a signal such as `pad-added`; the connection retains its receiver.
    mutating func connect(_ signal: String, _ receiver: AnyObject, _ handler: @escaping Handler) {
        connect(signal, receiver, unsafeBitCast(handler, to: GCallback.self))
    }

    /// Connects a signal of a bin such as `deep-element-added`; the handler receives the nested bin and the element.
    mutating func connect(_ signal: String, _ receiver: AnyObject, deep handler: @escaping DeepHandler) {
        connect(signal, receiver, unsafeBitCast(handler, to: GCallback.self))
    }

    private mutating func connect(_ signal: String, _ receiver: AnyObject, _ handler: @escaping GCallback) {
        let data = Unmanaged.passRetained(receiver).toOpaque()
        let release: GClosureNotify = { data, _ in
            if let data { Unmanaged<AnyObject>.fromOpaque(data).release() }
        }
        ids.append(g_signal_connect_data(sender, signal, handler, data, release, GConnectFlags(rawValue: 0)))
    }

    mutating func disconnectAll() {
        for id in ids { g_signal_handler_disconnect(sender, id) }
        ids = []
    }
}
