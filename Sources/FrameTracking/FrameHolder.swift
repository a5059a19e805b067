/// The element that holds a frame, and the observation that identifies it.
public struct FrameHolder: Sendable, Equatable {
    /// The observation that identifies the holder.
    public enum Cause: Sendable, Equatable {
        /// The frame is in the `last-sample` property of the sink.
        case lastSample
        /// A thread is inside the element's chain function.
        case insidePush
        /// The frame has entered no other element after this one.
        case lastEntered
        /// The element has received a stream and has sent none yet.
        case noOutputYet
        /// The element is a queue that contains buffers.
        case queued
        /// The element is an appsink: the application holds the frame, or has not pulled it yet.
        case application
    }

    /// Name of the element.
    public let element: String
    /// Observation that identifies the element.
    public let cause: Cause
    /// Whether the element waits for the clock before it renders a frame.
    public var waitsForClock = false
}
