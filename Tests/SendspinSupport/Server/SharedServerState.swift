import Sockets
@testable import SendspinProtocol
import WebSocket

/// State of a fake server that its threads share.
struct SharedServerState: Sendable {
    /// The data of a connection that other threads use.
    struct Link: Sendable {
        var report = ClientReport()
        /// Queued work for the thread of the connection.
        var work: [@Sendable (FakeConnection) -> Void] = []
        var waker: Waker?
    }

    var settings: PeerSettings
    var keys: ServerKeys
    var clock: ServerClock
    var network = NetworkConditions()
    var timeline = Timeline()
    /// Time between sending a chunk and its play time.
    var sendAhead = Duration.seconds(2)
    /// All connections in their order.
    var links: [Link] = []
    var metadata: Metadata?
    var controller: ControllerState?
    var group = GroupUpdate(playback: .stopped, groupID: "group", groupName: "Group")
    /// Reasons why the server could not dial or listen.
    var failures: [String] = []
    var isOnline = true
    /// Whether a client can connect, because the listening thread has an open socket.
    var isListening = true
    var isStopped = false
    /// Whether the connections read and send nothing.
    var isHeld = false
    /// Number of threads that have not ended.
    var threadCount = 0
    var address: WebSocketAddress
    /// Increases with each change.
    var version = 0
    /// Seed of the jitter.
    var seed: UInt64 = 1
}
