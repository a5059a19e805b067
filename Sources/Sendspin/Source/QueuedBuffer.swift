import GStreamer
import Threads

/// The buffer of a chunk on its way from the network thread to the streaming thread.
///
/// The network thread copies the data, so that the streaming thread only sets the timestamp.
final class QueuedBuffer: Sendable {
    private let buffer: Mutex<Buffer?>

    /// Copies `bytes`; nil if there is no memory.
    init?(copying bytes: ArraySlice<UInt8>) {
        guard let buffer = Buffer(copying: bytes.span) else { return nil }
        self.buffer = Mutex(buffer)
    }

    /// Transfers ownership of the buffer; nil at the second call.
    func take() -> Buffer? { buffer.withLock { $0.take() } }
}
