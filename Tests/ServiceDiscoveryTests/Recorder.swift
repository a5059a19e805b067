import TestSupport
import ServiceDiscovery
import Threads

/// Records events of another thread, and waits for them.
final class Recorder<Event: Sendable>: Sendable {
    private let events = Monitor([Event](), conditions: 1)

    func record(_ event: Event) {
        events.change {
            $0.append(event)
            events.mutex.wake(0)
        }
    }

    /// All events that were recorded until now.
    var all: [Event] { events.change { $0 } }

    /// The first result of `find` that is not nil, without the first `count` events; nil if none follows in `patience`.
    func first<Result>(after count: Int = 0, _ find: (Event) -> Result?) -> Result? {
        let deadline = MonotonicClock.now + patience
        return events.await { events in
            if let found = events.dropFirst(count).lazy.compactMap(find).first { return .done(found) }
            return MonotonicClock.now < deadline ? .wait(0, until: deadline) : .done(nil)
        }
    }
}

extension Recorder<ServiceBrowser.Event> {
    /// Waits until a service with this name is added.
    func added(_ name: String, after count: Int = 0) -> DiscoveredService? {
        first(after: count) { if case .added(let service) = $0, service.name == name { service } else { nil } }
    }

    /// Waits until a service with this name is removed.
    func removed(_ name: String) -> DiscoveredService? {
        first { if case .removed(let service) = $0, service.name == name { service } else { nil } }
    }

    func failure(after count: Int = 0) -> DiscoveryError? {
        first(after: count) { if case .failed(let error) = $0 { error } else { nil } }
    }

    var hasAll: Bool { first { $0 == .allForNow ? true : nil } == true }
}

extension Recorder<ServicePublisher.Event> {
    /// Waits until a name is published.
    func published(after count: Int = 0) -> String? {
        first(after: count) { if case .published(let name) = $0 { name } else { nil } }
    }
}
