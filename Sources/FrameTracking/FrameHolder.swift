/// The element that holds a frame, and how that is known.
public struct FrameHolder: Sendable, Equatable {
    /// The observation that identifies the holder.
    public enum Cause: Sendable, Equatable {
        /// It is the sample that the sink keeps to show again.
        case lastSample
        /// A thread is inside the element's chain function.
        case insidePush
        /// It was the last element that the frame entered.
        case lastEntered
        /// It has taken frames in and has put none out yet.
        case noOutputYet
        /// It is a queue with buffers in it.
        case queued
        /// The element is an appsink, so the application has it or has yet to pull it.
        case application
    }

    /// Name of the element.
    public let element: String
    /// The observation that identifies it.
    public let cause: Cause
    /// It is a sink that waits for the time of each frame.
    public var waitsForClock = false
}
