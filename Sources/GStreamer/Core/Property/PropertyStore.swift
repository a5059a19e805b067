import CGStreamer
import Threads
import struct Synchronization.Atomic

/// The properties of one instance, independent of the type of the settings.
class PropertyStore {
    /// Returns false if there is no such property, or it cannot be read.
    func read(_ id: guint, into value: UnsafeMutablePointer<GValue>) -> Bool { false }
    /// Returns false if there is no such property, or it cannot be written.
    func write(_ id: guint, from value: UnsafePointer<GValue>) -> Bool { false }
    /// Error of a property whose last value is invalid, so that the element cannot start; nil if all values are valid.
    var failure: ElementError? { nil }
    /// Error of the property `name`; nil if its last value is valid.
    func failure(of name: String) -> ElementError? { nil }
    /// Posts the pending warnings about property values.
    func postWarnings() {}
}

/// The properties and settings of one instance.
///
/// Any thread may use the store.
final class PropertyStoreOf<Settings: ElementSettings>: PropertyStore {
    private struct State {
        var settings = Settings()
        var revision: UInt64 = 0
        /// Errors of properties whose last value is invalid, by index in `rows`.
        var failures: [Int: ElementError] = [:]
        /// Pending warnings about accepted values, by index in `rows`.
        var warnings: [Int: ElementError] = [:]
    }

    private let rows: [Property<Settings>]
    private let host: ObjectHost
    let report: Settings.Report
    /// While this mutex is locked, only `store` and `update` closures run: nothing is parsed, posted or notified.
    private let state = Mutex(State())
    private let changes = Atomic(0)

    init(_ rows: [Property<Settings>], host: ObjectHost, report: Settings.Report) {
        self.rows = rows
        self.host = host
        self.report = report
    }

    var settings: Settings { state.withLock { $0.settings } }

    /// Reads the settings again if they have changed since the last call with `copy`; takes no lock if not.
    func refresh(_ copy: inout (settings: Settings, change: Int)) {
        let change = changes.load(ordering: .acquiring)
        if change != copy.change { copy = (settings, change) }
    }

    /// A copy of the current settings, and a number that increases with each call.
    var numberedSettings: (settings: Settings, revision: UInt64) {
        state.withLock { state in
            state.revision += 1
            return (state.settings, state.revision)
        }
    }

    override var failure: ElementError? {
        state.withLock { state in state.failures.keys.min().flatMap { state.failures[$0] } }
    }

    override func failure(of name: String) -> ElementError? {
        guard let index = rows.firstIndex(where: { $0.name == name }) else { return nil }
        return state.withLock { $0.failures[index] }
    }

    override func read(_ id: guint, into value: UnsafeMutablePointer<GValue>) -> Bool {
        guard let index = index(of: id) else { return false }
        rows[index].read(settings, report, value)
        return true
    }

    override func write(_ id: guint, from value: UnsafePointer<GValue>) -> Bool {
        guard let index = index(of: id) else { return false }
        defer { changes.wrappingAdd(1, ordering: .releasing) }
        switch rows[index].write {
        case .never:
            return false
        case .store(let store):
            if !state.withLock({ store(&$0.settings, value) }) {
                bridgeLog.warning(
                    host.element, "\(rows[index].name) was set to a value that is not a number; it is unchanged")
            }
        case .parse(let parse):
            do throws(ElementError) { apply(try parse(value), of: index) } catch { reject(error, of: index) }
        }
        return true
    }

    override func postWarnings() {
        let warnings = state.withLock { state in
            defer { state.warnings = [:] }
            return state.warnings.sorted { $0.key < $1.key }.map(\.value)
        }
        for warning in warnings { host.post(warning: warning) }
    }

    private func apply(_ parsed: Property<Settings>.Parsed, of index: Int) {
        let (before, after) = state.withLock { state in
            let before = state.settings
            parsed.update(&state.settings)
            state.failures[index] = nil
            state.warnings[index] = parsed.warning
            for other in rows.indices where rows[index].superseded.contains(rows[other].name) {
                state.failures[other] = nil
                state.warnings[other] = nil
            }
            return (before, state.settings)
        }
        // GObject itself emits `notify` for the property that was set.
        for (other, row) in rows.enumerated() where other != index && row.differs(before, after) {
            host.notify(row.name)
        }
        // Before the start, the application may not read the bus yet, so the warning remains pending.
        if parsed.warning != nil, host.isActive { postWarnings() }
    }

    private func reject(_ error: ElementError, of index: Int) {
        state.withLock { $0.failures[index] = error }
        bridgeLog.warning(host.element, "\(rows[index].name): \(error.text)")
        // The stream continues with the previous settings. An error message would make applications stop the stream.
        if host.isActive { host.post(warning: error) }
    }

    private func index(of id: guint) -> Int? {
        let index = Int(id) - 1
        return rows.indices.contains(index) ? index : nil
    }
}
