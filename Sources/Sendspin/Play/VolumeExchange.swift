import Threads

/// Distinguishes volumes that the application sets from those of the server; only the former are sent to the server.
final class VolumeExchange: Sendable {
    private struct State {
        /// `volumeWrites` of the newest settings that were handled.
        var writes = 0
        /// Threads that copy a volume of the server to the properties.
        var takers: Set<UInt> = []
    }

    private let state = Mutex(State())

    /// Whether the application has written `volume` or `mute` since the last call, also with the same value.
    func isOrder(_ settings: SendspinPlaySettings) -> Bool {
        state.withLock { state in
            let new = settings.volumeWrites - state.writes
            state.writes = max(state.writes, settings.volumeWrites)
            // A second write means that the application has also set the volume.
            return new > (state.takers.contains(Worker.currentThread) ? 1 : 0)
        }
    }

    func takeOver(_ body: () -> Void) {
        let isFirst = state.withLock { $0.takers.insert(Worker.currentThread).inserted }
        body()
        if isFirst { state.withLock { _ = $0.takers.remove(Worker.currentThread) } }
    }
}
