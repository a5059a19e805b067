import GstTestSupport
import Foundation
import ServiceDiscovery
import Testing
import Threads

/// Tests discovery; each test starts a bus and a daemon at the same address, so the tests run successively.
@Suite(.serialized) struct DiscoveryTests {
    private static let type = "_sendspin-server._tcp"
    /// Name that distinguishes the services of this process from other services on the loopback interface.
    private static let name = "test \(getpid())"

    private static func browser(_ events: Recorder<ServiceBrowser.Event>) -> ServiceBrowser {
        ServiceBrowser(type: type) { events.record($0) }
    }

    private static func publisher(
        _ name: String, port: UInt16 = 8927, _ events: Recorder<ServicePublisher.Event>
    ) -> ServicePublisher {
        ServicePublisher(name: name, type: type, port: port, text: ["path": "/sendspin", "name": "Den ä"]) {
            events.record($0)
        }
    }

    @Test func reportsAMissingBusOnceAndSaysWhatToDo() throws {
        let events = Recorder<ServiceBrowser.Event>()
        let publications = Recorder<ServicePublisher.Event>()
        let browser = Self.browser(events)
        let publisher = Self.publisher(Self.name, publications)
        #expect(events.failure() == .noDaemon)
        #expect(publications.first { $0 == .failed(.noDaemon) ? true : nil } == true)
        #expect(DiscoveryError.noDaemon.description.contains("Install and start avahi-daemon"))
        // Further attempts fail in the same way, and this failure is not reported again.
        let bus = try PrivateBus()
        withExtendedLifetime((bus, browser, publisher)) {
            #expect(events.all == [.failed(.noDaemon)])
            #expect(publications.all == [.failed(.noDaemon)])
        }
    }

    @Test func stopEndsAtAnyTimeAndNothingIsReportedAfterIt() throws {
        let bus = try PrivateBus()
        for round in 0..<40 {
            let events = Recorder<ServiceBrowser.Event>()
            let browser = Self.browser(events)
            if round % 2 == 0 { _ = events.failure() }
            browser.stop()
            let count = events.all.count
            browser.stop()
            #expect(events.all.count == count)
        }
        bus.end()
    }

    @Test func aReportMayStopItsBrowser() throws {
        let events = Recorder<ServiceBrowser.Event>()
        let box = Monitor(ServiceBrowser?.none, conditions: 1)
        let browser = ServiceBrowser(type: Self.type) { event in
            let browser = box.await { browser -> Monitor<ServiceBrowser?>.Step<ServiceBrowser> in
                browser.map { .done($0) } ?? .wait(0, until: nil)
            }
            browser.stop()
            events.record(event)
        }
        box.change {
            $0 = browser
            box.mutex.wake(0)
        }
        #expect(events.failure() == .noDaemon)
        box.change { $0 = nil }
    }

    @Test(.enabled(if: AvahiDaemon.isPossible, "avahi-daemon is missing, or namespaces are forbidden"))
    func findsAPublishedServiceAndItsEnd() throws {
        let (bus, daemon) = (try PrivateBus(), try AvahiDaemon())
        let events = Recorder<ServiceBrowser.Event>()
        let publications = Recorder<ServicePublisher.Event>()
        let browser = Self.browser(events)
        let publisher = Self.publisher(Self.name, publications)
        #expect(publications.published() == Self.name)
        let service = try #require(events.added(Self.name))
        #expect(service.type == Self.type)
        #expect(service.port == 8927)
        #expect(service.address == "127.0.0.1" || service.address == "::1")
        #expect(service.hostName.hasSuffix(".local"))
        #expect(service.text == ["path": "/sendspin", "name": "Den ä"])
        #expect(events.hasAll)
        publisher.stop()
        #expect(events.removed(Self.name) != nil)
        withExtendedLifetime((bus, daemon, browser)) {}
    }

    @Test(.enabled(if: AvahiDaemon.isPossible, "avahi-daemon is missing, or namespaces are forbidden"))
    func takesAnotherNameIfTheNameIsTaken() throws {
        let (bus, daemon) = (try PrivateBus(), try AvahiDaemon())
        let (first, second) = (Recorder<ServicePublisher.Event>(), Recorder<ServicePublisher.Event>())
        let publisher = Self.publisher(Self.name, port: 1, first)
        #expect(first.published() == Self.name)
        let other = Self.publisher(Self.name, port: 2, second)
        #expect(second.published() == Self.name + " #2")
        let events = Recorder<ServiceBrowser.Event>()
        let browser = Self.browser(events)
        #expect(events.added(Self.name)?.port == 1)
        #expect(events.added(Self.name + " #2")?.port == 2)
        withExtendedLifetime((bus, daemon, publisher, other, browser)) {}
    }

    @Test(.enabled(if: AvahiDaemon.isPossible, "avahi-daemon is missing, or namespaces are forbidden"))
    func goesOnWhenTheDaemonAndTheBusAreBack() throws {
        let events = Recorder<ServiceBrowser.Event>()
        let publications = Recorder<ServicePublisher.Event>()
        let browser = Self.browser(events)
        let publisher = Self.publisher(Self.name, publications)
        #expect(events.failure() == .noDaemon)
        var bus = try PrivateBus()
        var daemon = try AvahiDaemon()
        #expect(events.added(Self.name) != nil)
        var (count, published) = (events.all.count, publications.all.count)
        daemon.end()
        guard case .daemonLost? = events.failure(after: count) else {
            Issue.record("\(events.all)")
            return
        }
        #expect(events.removed(Self.name) != nil)
        daemon = try AvahiDaemon()
        #expect(publications.published(after: published) == Self.name)
        #expect(events.added(Self.name, after: count) != nil)
        (count, published) = (events.all.count, publications.all.count)
        daemon.end()
        bus.end()
        #expect(events.failure(after: count) != nil)
        bus = try PrivateBus()
        daemon = try AvahiDaemon()
        #expect(events.added(Self.name, after: count) != nil)
        withExtendedLifetime((bus, daemon, browser, publisher)) {}
    }

    @Test(.enabled(if: AvahiDaemon.isPossible, "avahi-daemon is missing, or namespaces are forbidden"))
    func reportsARefusedType() throws {
        let (bus, daemon) = (try PrivateBus(), try AvahiDaemon())
        let events = Recorder<ServiceBrowser.Event>()
        let browser = ServiceBrowser(type: "not a type") { events.record($0) }
        // Until the daemon runs, the browser reports that there is no daemon.
        let reason = events.first { if case .failed(.refused(let reason)) = $0 { reason } else { nil } }
        #expect(reason == "Invalid service type")
        withExtendedLifetime((bus, daemon, browser)) {}
    }
}
