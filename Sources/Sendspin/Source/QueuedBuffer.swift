import GStreamer

/// The buffer of a chunk on its way from the network thread to the streaming thread.
///
/// The network thread copies the data, so that the streaming thread only sets the timestamp.
final class QueuedBuffer: @unchecked Sendable {  // Once it is queued, the mutex of `SourceQueue` protects it.
    private var buffer: Buffer?

    /// Copies `bytes`; nil if there is no memory.
    init?(copying bytes: ArraySlice<UInt8>) {
        guard let buffer = Buffer(copying: bytes.span) else { return nil }
        self.buffer = consume buffer
    }

    /// Transfers ownership of the buffer; nil at the second call.
    func take() -> Buffer? { buffer.take() }
}
