import GStreamer
import WebSocket

struct SendspinSinkSettings: LinkSettings {
    typealias Report = SendspinSinkReport

    var uri: String?
    var server: WebSocketAddress?
    var listenText: String?
    var listenAddress: WebSocketAddress?
    var clientName: String?
    var storageFolder: String?
    var unpairedAccess = UnpairedAccess.untilPaired
    var pairingCode = PairingCodeDisplay.none
    var sensesLine = false
    var threshold = -50.0
    var hold = Duration.seconds(10)

    static var kind: String { "source" }

    static let properties: [Property<Self>] = [
        uriProperty, listenAddressProperty, clientNameProperty, storageFolderProperty, unpairedAccessProperty,
        pairingCodeProperty,
        .bool(
            "line-sense", \.sensesLine,
            "Whether the server is informed when raw audio has a signal and when it has none, so that it can start and stop by itself",
            flags: .beforeStart),
        .double(
            "line-sense-level", \.threshold, in: -120...0, "Level from which the input has a signal, in dBFS (RMS)",
            flags: .anyTime),
        .duration(
            "line-sense-hold", \.hold, in: .zero ... .seconds(3600),
            "Time below line-sense-level after which the input has no signal, in nanoseconds", flags: .anyTime),
        .bool("connected", "Whether a server is connected", reported: { $0.link.isConnected }),
        .string("server-name", "Name of the connected server; NULL without one", reported: { $0.link.serverName }),
        .structure("stats", "Clock, level, and counts of chunks and events", reported: { $0.stats }),
    ]
}
