import GStreamer

/// The buffer of one or several chunks on its way from the network thread to the streaming thread.
///
/// The network thread copies the data, so that the streaming thread only sets the timestamp.
final class QueuedBuffer: @unchecked Sendable {  // Once it is queued, the mutex of `SourceQueue` protects it.
    private var buffer: Buffer?

    /// Copies `bytes`, with room for `room` more bytes; nil if there is no memory.
    init?(copying bytes: ArraySlice<UInt8>, room: Int) {
        guard var buffer = Buffer(byteCount: bytes.count + room) else { return nil }
        buffer.keep(0..<0)
        guard buffer.append(bytes.span) else { return nil }
        self.buffer = consume buffer
    }

    /// Copies `bytes` to the end of the buffer; false if there is no room.
    func append(_ bytes: ArraySlice<UInt8>) -> Bool { buffer?.append(bytes.span) ?? false }

    /// Transfers ownership of the buffer; nil at the second call.
    func take() -> Buffer? { buffer.take() }
}
