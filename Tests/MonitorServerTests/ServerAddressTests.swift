import Testing

@testable import MonitorServer

@Suite struct ServerAddressTests {
    @Test(arguments: [
        ("9100", "127.0.0.1:9100"), (":0", "127.0.0.1:0"), ("localhost:80", "127.0.0.1:80"), ("0.0.0.0:1", "0.0.0.0:1"),
        ("[::1]:9100", "[::1]:9100"), ("[::]:65535", "[::]:65535"),
    ])
    func readsAddressAndPort(_ text: String, _ meaning: String) {
        #expect(ServerAddress(text)?.description == meaning)
    }

    @Test(arguments: [
        "", ":", "a:", "1:65536", "1:-1", "::1", "::1:9100", "1:+1", "1:٣", "a\0b:1", "127.0.0.1", "[[11]]:0",
    ])
    func refusesTextsWithoutAPort(_ text: String) {
        #expect(ServerAddress(text) == nil)
    }

    @Test func loopbackAndTheBoundAddressAreAllowedHosts() {
        let hosts = HTTPHost(address: ServerAddress(host: "192.168.1.5", port: 1), machineName: "cam")
        for name in ["localhost", "localhost:9100", "127.0.0.1", "127.0.0.1:1", "[::1]:9", "192.168.1.5:9100"] {
            #expect(hosts.allows(name), "\(name)")
        }
        #expect(hosts.allows(nil))
        for name in [
            "", ":80", "evil.example", "localhost.evil.example", "10.0.0.1", "cam", "127.0.0.1:x", "[::1", "[]",
        ] {
            #expect(!hosts.allows(name), "\(name)")
        }
    }

    @Test func namedHostsAreAllowed() throws {
        let others = try #require(HTTPHost.names(in: "Cam.example.org, *.svc.cluster.local,10.1.2.3,,[FD00::1]"))
        let hosts = HTTPHost(address: ServerAddress(port: 1), machineName: "", others: others)
        for name in [
            "cam.example.org", "cam.example.org:9100", "cam.example.org.:9100", "a.svc.cluster.local",
            "cam.ns.svc.cluster.local.", "10.1.2.3:1", "[fd00::1]:9100", "localhost",
        ] {
            #expect(hosts.allows(name), "\(name)")
        }
        for name in [
            "", ".", "example.org", "evil.cam.example.org", "cam.example.org.evil.example", "svc.cluster.local",
            ".svc.cluster.local", "evilsvc.cluster.local", "evil/.svc.cluster.local", "a..svc.cluster.local",
            "10.1.2.4", "[fd00::2]", "cam.example.org..",
        ] {
            #expect(!hosts.allows(name), "\(name)")
        }
        #expect(HTTPHost.names(in: "")?.isEmpty == true)
    }

    @Test(arguments: [
        "cam:9100", "http://cam", "*", "*.", "*.*", "a*b", "a b", "cam.", ".cam", "käse.example", "cam;b", "a\0", "[",
        "[]",
        " ",
    ])
    func refusesTextsThatAreNoHosts(_ text: String) {
        #expect(HTTPHost.names(in: text) == nil)
    }

    @Test func serverForAllInterfacesAllowsNumbersAndItsName() {
        for any in ["0.0.0.0", "::"] {
            let hosts = HTTPHost(address: ServerAddress(host: any, port: 1), machineName: "Cam")
            for name in ["10.0.0.1:9100", "[fe80::1]:9100", "cam", "cam.local:9100"] { #expect(hosts.allows(name)) }
            for name in [
                "evil.example", "1.2.3", "1.2.3.4.5", "1.2.3.evil", "cam.evil", "local", "256.256.256.256", "1.2.3.999",
                "[fe80::1%evil.com]", "[fe80::1%25eth0]", "[:]", "[::1::]", "[1.2.3.4]",
            ] {
                #expect(!hosts.allows(name), "\(name)")
            }
        }
    }
}
