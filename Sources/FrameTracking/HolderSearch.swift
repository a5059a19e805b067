public import GStreamer
import Glibc

extension Pad {
    /// Returns the element downstream of this pad that holds the frame of `token`; nil if the search does not find it.
    ///
    /// The search locks each element downstream briefly and takes up to 12 ms, so do not call it on a streaming thread.
    public func searchHolder(of token: HeldToken) -> FrameHolder? {
        var search = HolderSearch(lastElement: token.lastElement)
        return search.run(behind: self, isReleased: { token.isReleased }) {
            $0.withUnsafePointer { TokenMeta.carries($0, token.raw) }
        }
    }

    /// Searches for the holder of a buffer without a token; `isSought` returns true for this buffer.
    public func searchHolder(where isSought: (borrowing Buffer) -> Bool) -> FrameHolder? {
        var search = HolderSearch(lastElement: 0)
        return search.run(behind: self, isReleased: { false }, isSought)
    }

    /// Element farthest downstream of this pad in which a thread is blocked for 12 ms or longer; nil if there is none.
    public func searchBlocked() -> FrameHolder? {
        // A blocked thread is at one pad in five samples, 3 ms apart. A single sample may find a running thread.
        var blocked = deepestStreaming()
        for _ in 0..<4 where blocked != nil {
            usleep(3000)
            if deepestStreaming()?.pad != blocked?.pad { blocked = nil }
        }
        return blocked.map { FrameHolder(element: $0.element, cause: .insidePush, waitsForClock: $0.waitsForClock) }
    }

    private func deepestStreaming() -> (pad: UInt, element: String, waitsForClock: Bool)? {
        var deepest: (pad: UInt, element: String, waitsForClock: Bool)?
        forEachLinkedElement { element, _ in
            element.forEachSinkPad { pad in
                guard pad.isStreaming else { return }
                deepest = (pad.identity, element.name, element.value("sync") == .bool(true))
            }
            return true
        }
        return deepest
    }
}

private struct HolderSearch {
    let lastElement: UInt
    private var lastSample: FrameHolder?
    /// The first sink that has a last sample; this sample may have replaced the frame.
    private var keeper: FrameHolder?
    private var lastEntered: FrameHolder?
    private var withoutOutput: FrameHolder?
    private var queued: FrameHolder?
    private var application: FrameHolder?

    init(lastElement: UInt) { self.lastElement = lastElement }

    /// Returns the holder; the most reliable observation takes precedence.
    ///
    /// When a frame expires, the next frame is pushed, so the sink may have replaced its last sample before the search.
    mutating func run(
        behind pad: borrowing Pad, isReleased: () -> Bool, _ isSought: (borrowing Buffer) -> Bool
    ) -> FrameHolder? {
        pad.forEachLinkedElement { element, _ in
            examine(element, isSought)
            return lastSample == nil
        }
        return lastSample ?? pad.searchBlocked() ?? lastEntered ?? withoutOutput ?? queued ?? application
            ?? (isReleased() ? keeper : nil)
    }

    private mutating func examine(_ element: ElementReference, _ isSought: (borrowing Buffer) -> Bool) {
        var isApplication = false
        if case .bool = element.value("emit-signals") { isApplication = element.isSink }
        let isKept = element.lastSample(isSought)
        if let isKept {
            let holder = FrameHolder(element: element.name, cause: .lastSample)
            if isKept { lastSample = holder }
            keeper = keeper ?? holder
        }
        if isApplication, isKept != true {
            application = FrameHolder(element: element.name, cause: .application)
        }
        if element.identity == lastElement {
            lastEntered = FrameHolder(element: element.name, cause: isApplication ? .application : .lastEntered)
        }
        let (hasInput, hasOutput) = streams(through: element)
        if withoutOutput == nil, !element.isSink, hasInput, !hasOutput {
            withoutOutput = FrameHolder(element: element.name, cause: .noOutputYet)
        }
        // A queue that has sent its segment may still contain the frame.
        if queued == nil, case .uint(let level) = element.value("current-level-buffers"), level > 0 {
            queued = FrameHolder(element: element.name, cause: .queued)
        }
    }

    /// Whether the element has received a stream, and whether it has sent a stream.
    private func streams(through element: ElementReference) -> (hasInput: Bool, hasOutput: Bool) {
        var (hasInput, hasOutput) = (false, false)
        element.forEachSinkPad { pad in hasInput = hasInput || pad.hasSegment }
        element.forEachSourcePad { pad in hasOutput = hasOutput || pad.hasSegment }
        return (hasInput, hasOutput)
    }
}

extension ElementReference {
    /// Whether the last sample of a sink is the sought frame; nil if the element has no last sample.
    fileprivate func lastSample(_ isSought: (borrowing Buffer) -> Bool) -> Bool? {
        guard case .sample(let sample) = value("last-sample"), let buffer = sample.buffer else { return nil }
        return isSought(buffer)
    }
}

/// Element that holds a frame, and the observation that identifies it.
public struct FrameHolder: Sendable, Equatable {
    /// Observation that identifies the holder.
    public enum Cause: Sendable, Equatable {
        /// The frame is in the `last-sample` property of the sink.
        case lastSample
        /// A thread is inside the chain function of the element.
        case insidePush
        /// The frame entered no other element after this one.
        case lastEntered
        /// The element has received a stream but has not sent a stream yet.
        case noOutputYet
        /// The element is a queue that contains buffers.
        case queued
        /// The element is an appsink, and the application holds the frame or has not pulled it yet.
        case application
    }

    /// Name of the element.
    public let element: String
    /// The observation that identifies the holder.
    public let cause: Cause
    /// Whether the element waits for the clock before it renders a frame.
    public var waitsForClock = false
}
