import Threads

/// Tells a volume that the application sets from one that the server has set, which is not sent back.
final class VolumeExchange: Sendable {
    private struct State {
        /// `volumeWrites` of the newest settings that were handled.
        var writes = 0
        /// Threads that take over a volume of the server.
        var takers: Set<UInt> = []
    }

    private let state = Mutex(State())

    /// Whether the application has written `volume` or `mute`, perhaps with the same value, since the last call.
    func isOrder(_ settings: SendspinPlaySettings) -> Bool {
        state.withLock { state in
            let new = settings.volumeWrites - state.writes
            state.writes = max(state.writes, settings.volumeWrites)
            // With a second write, the application has set the volume meanwhile.
            return new > (state.takers.contains(Worker.currentThread) ? 1 : 0)
        }
    }

    /// Calls `body`, which writes a volume of the server to the properties.
    func takeOver(_ body: () -> Void) {
        let isFirst = state.withLock { $0.takers.insert(Worker.currentThread).inserted }
        body()
        if isFirst { state.withLock { _ = $0.takers.remove(Worker.currentThread) } }
    }
}
