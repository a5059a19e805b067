import Testing

@testable import ServiceDiscovery

/// Tests the table of services, in which `den/1` is the name `den` by IPv4 on interface 1, and `den/1*` by IPv6.
@Suite struct ServiceTableTests {
    private static func key(_ place: String) -> ServiceTable.Key {
        let parts = place.split(separator: "/")
        let interface = parts[1].prefix { $0 != "*" }
        return .init(name: String(parts[0]), interface: CInt(interface) ?? 0, isIPv6: parts[1].hasSuffix("*"))
    }

    private static func service(_ place: String, _ address: String = "192.0.2.1", port: UInt16 = 1) -> DiscoveredService
    {
        DiscoveredService(
            name: key(place).name, type: "_a._tcp", hostName: "den.local", address: address, port: port, text: [:])
    }

    @Test func reportsAServiceOnceAlthoughSeveralInterfacesHaveIt() {
        var table = ServiceTable()
        let areNew = ["den/2", "den/3", "den/2*"].map { table.appeared(Self.key($0)) }
        #expect(areNew == [true, true, true])
        let first = table.resolved(Self.key("den/2*"), Self.service("den/2*", "fe80::1%eth0"))
        #expect(first == [.added(Self.service("den/2*", "fe80::1%eth0"))])
        let second = table.resolved(Self.key("den/3"), Self.service("den/3", "192.0.2.3"))
        #expect(second == [.added(Self.service("den/3", "192.0.2.3"))])
        let third = table.resolved(Self.key("den/2"), Self.service("den/2", "192.0.2.2"))
        #expect(third == [.added(Self.service("den/2", "192.0.2.2"))])
        let again = table.resolved(Self.key("den/2"), Self.service("den/2", "192.0.2.2"))
        #expect(again.isEmpty)
    }

    @Test func changesToAnotherInterfaceBeforeItReportsTheRemoval() {
        var table = ServiceTable()
        for place in ["den/2", "den/3*"] { _ = table.appeared(Self.key(place)) }
        _ = table.resolved(Self.key("den/2"), Self.service("den/2"))
        _ = table.resolved(Self.key("den/3*"), Self.service("den/3*", "2001:db8::1"))
        let change = table.disappeared(Self.key("den/2"))
        #expect(change == [.added(Self.service("den/3*", "2001:db8::1"))])
        let removal = table.disappeared(Self.key("den/3*"))
        #expect(removal == [.removed(Self.service("den/3*", "2001:db8::1"))])
        let unknown = table.disappeared(Self.key("den/3*"))
        #expect(unknown.isEmpty)
    }

    @Test func reportsChangesOfAService() {
        var table = ServiceTable()
        _ = table.appeared(Self.key("den/2"))
        _ = table.resolved(Self.key("den/2"), Self.service("den/2", port: 1))
        let change = table.resolved(Self.key("den/2"), Self.service("den/2", port: 2))
        #expect(change == [.added(Self.service("den/2", port: 2))])
    }

    @Test func hasAllForNowWhenEverythingIsResolvedOrFailed() {
        var table = ServiceTable()
        for place in ["a/1", "b/1", "c/1"] { _ = table.appeared(Self.key(place)) }
        _ = table.resolved(Self.key("a/1"), Self.service("a/1"))
        let none = table.browsedAll() + table.failed(Self.key("b/1"))
        let last = table.disappeared(Self.key("c/1"))
        #expect(none == [] && last == [.allForNow])
        let again = table.browsedAll()
        #expect(again == [])
        var empty = ServiceTable()
        let all = empty.browsedAll()
        #expect(all == [.allForNow])
    }

    @Test func removesEverythingWhenTheDaemonIsGone() {
        var table = ServiceTable()
        for place in ["b/1", "a/1", "c/1"] { _ = table.appeared(Self.key(place)) }
        for place in ["b/1", "a/1"] { _ = table.resolved(Self.key(place), Self.service(place)) }
        let removed = table.clear()
        #expect(removed == [.removed(Self.service("a/1")), .removed(Self.service("b/1"))])
        let isNew = table.appeared(Self.key("a/1"))
        #expect(isNew)
    }

    @Test func holdsABoundedNumberOfServices() {
        var table = ServiceTable()
        let accepted = (0..<10_000).filter { table.appeared(Self.key("service\($0)/1")) }
        #expect(accepted.count == ServiceTable.limit)
        let isNew = table.appeared(Self.key("service0/1"))
        #expect(!isNew)
        let ignored = table.resolved(Self.key("service9999/1"), Self.service("service9999/1"))
        #expect(ignored.isEmpty)
    }

    @Test(arguments: [
        (["path=/a", "name=Den ä"], ["path": "/a", "name": "Den ä"]),
        (["PATH=/a", "path=/b"], ["path": "/a"]),
        (["flag", "empty=", "a=b=c", "=x", ""], ["flag": "", "empty": "", "a": "b=c"]),
    ])
    func readsTextRecords(entries: [String], expected: [String: String]) {
        #expect(TextRecord.parse(entries) == expected)
    }

    @Test func textRecordsRoundTrip() {
        let text = ["path": "/sendspin", "name": "Wohnzimmer ä=b", "empty": ""]
        #expect(TextRecord.roundTrip(text) == text)
    }
}
