/// A connection whose upgrade is not complete.
struct PendingUpgrade {
    /// Result of input.
    enum Progress {
        case incomplete
        /// The upgrade is complete; the bytes follow the HTTP head.
        case complete(ArraySlice<UInt8>)
        case over
    }

    let socket: StreamSocket
    let network: PeerNetwork
    /// Time at which it is given up.
    let deadline: Duration
    private let path: String
    private var reader = HTTPHeadReader()
    /// The request was refused; what the client still sends is discarded, so that it reads the answer.
    private var isRefused = false

    init(_ socket: StreamSocket, path: String, deadline: Duration) {
        self.socket = socket
        network = socket.network
        self.path = path
        self.deadline = deadline
    }

    /// Reads what has arrived.
    mutating func receive(into buffer: inout [UInt8]) -> Progress {
        do {
            let count = try socket.receive(into: &buffer)
            guard count > 0 else { return .over }
            return isRefused ? .incomplete : try evaluate(buffer[..<count])
        } catch {
            return error.isPending ? .incomplete : .over
        }
    }

    private mutating func evaluate(_ bytes: ArraySlice<UInt8>) throws(SocketFailure) -> Progress {
        var input = bytes
        let answer: [UInt8]
        do {
            guard let head = try reader.next(&input) else { return .incomplete }
            let request = try UpgradeRequest(head)
            try request.check(path: path)
            answer = UpgradeResponse.acceptance(request.key.accept)
        } catch {
            answer = UpgradeResponse.refusal(error)
            isRefused = true
        }
        // Nothing was sent before, so the socket takes the few bytes at once.
        guard try socket.send(answer[...]) == answer.count else { return .over }
        guard isRefused else { return .complete(input) }
        socket.endSending()
        return .incomplete
    }
}
