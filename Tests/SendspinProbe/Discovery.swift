import CGStreamer
import GstTestSupport
import SendspinSupport
import ServiceDiscovery
import Threads

/// Tests a player that finds a server, a server that finds a player, and a list of servers, on a private D-Bus.
enum Discovery {
    static func run(_ folder: String) throws {
        guard AvahiDaemon.isPossible else { return print("avahi-daemon is not possible") }
        let (bus, daemon) = (try PrivateBus(), try AvahiDaemon())
        try withExtendedLifetime((bus, daemon)) {
            try player(folder)
            try choice(folder)
            try listener(folder)
            try source(folder)
        }
    }

    private static func player(_ folder: String) throws {
        let server = try FakeServer()
        let publisher = ServicePublisher(
            name: "fake", type: "_sendspin-server._tcp", port: server.address.port,
            text: ["path": server.address.path, "name": "Küche"]
        ) { _ in }
        let pipeline = Pipeline("sendspinsrc name=p ! fakesink name=s sync=false")
        Playback.start(pipeline, server, folder)
        print("found a server")
        listDevices(server)
        Playback.finish(pipeline, server)
        publisher.stop()
    }

    /// A player selects a server that has failed only if there is no other, even if this server was found first.
    private static func choice(_ folder: String) throws {
        let server = try FakeServer()
        let dead = try FakeServer()
        let port = dead.address.port
        dead.stop()
        let first = ServicePublisher(
            name: "dead", type: "_sendspin-server._tcp", port: port, text: ["path": "/sendspin"]
        ) { _ in }
        let pipeline = Pipeline("sendspinsrc name=p ! fakesink name=s sync=false")
        pipeline.element().set(string: "storage-folder", to: folder)
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        require(eventually { pipeline.statistic("connection-attempts") >= 1 }, "no attempt")
        require(server.reports.isEmpty, "the server was found before it was published")
        let second = ServicePublisher(
            name: "living", type: "_sendspin-server._tcp", port: server.address.port, text: ["path": "/sendspin"]
        ) { _ in }
        require(server.wait { $0.last?.state?.isAvailable == true }, "the second server was not tried")
        print("skipped a dead server after", Int(pipeline.statistic("connection-attempts")), "attempts")
        Playback.finish(pipeline, server)
        first.stop()
        second.stop()
    }

    /// Requires that the device provider lists the server, and makes an element with the address of the server.
    private static func listDevices(_ server: FakeServer) {
        guard let provider = gst_device_provider_factory_get_by_name("sendspindeviceprovider") else {
            fatalError("no device provider")
        }
        let isListed = eventually {
            let devices = gst_device_provider_get_devices(provider)
            defer { g_list_free_full(devices) { gst_object_unref($0) } }
            guard let device = devices?.pointee.data else { return false }
            let raw = device.assumingMemoryBound(to: GstDevice.self)
            let name = gst_device_get_display_name(raw)
            defer { g_free(name) }
            guard name.map({ String(cString: $0) }) == "Küche", let element = gst_device_create_element(raw, nil) else {
                return false
            }
            gst_object_ref_sink(element)
            defer { gst_object_unref(element) }
            return element.get("uri")?.contains(":\(server.address.port)/sendspin") == true
        }
        gst_object_unref(provider)
        require(isListed, "the server is not listed")
        print("listed a server")
    }

    /// A source sends nothing to a server that it finds before they are paired.
    private static func source(_ folder: String) throws {
        let server = try FakeServer()
        let publisher = ServicePublisher(
            name: "stranger", type: "_sendspin-server._tcp", port: server.address.port,
            text: ["path": server.address.path]
        ) { _ in }
        let pipeline = Pipeline("audiotestsrc is-live=true ! audioconvert ! sendspinsink name=p")
        pipeline.element().set(string: "storage-folder", to: folder)
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        require(server.wait { $0.last?.goodbye == .pairingRequired }, "the source did not refuse a server")
        require(
            server.reports.allSatisfy {
                $0.hello?.isUnpairedAccessEnabled != true && $0.state == nil && $0.captures.isEmpty
            }, "a server without a pairing received from the source")
        print("refused a stranger")
        require(pipeline.go(GST_STATE_NULL), "not stopped")
        publisher.stop()
        server.stop()
    }

    private static func listener(_ folder: String) throws {
        let pipeline = Pipeline("sendspinsrc name=p listen-address=0.0.0.0:0 client-name=Bad ! fakesink name=s")
        pipeline.element().set(string: "storage-folder", to: folder)
        // Other hosts cannot connect to a loopback address, so `hidden`, which starts first, must not be published.
        let hidden = Pipeline("sendspinsrc name=p listen-address=127.0.0.1:0 client-name=Loop ! fakesink name=s")
        hidden.element().set(string: "storage-folder", to: folder)
        gst_element_set_state(hidden.raw, GST_STATE_PLAYING)
        require(eventually { hidden.get("stats").contains("127.0.0.1:") }, "not listening")
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        let (found, wrong) = (Latch(), Latch())
        let browser = ServiceBrowser(type: "_sendspin._tcp") { event in
            if case .added(let service) = event {
                if service.text["name"] == "Bad" { found.open() } else { wrong.open() }
            }
        }
        require(found.wait(within: .seconds(20)), "the player is not published")
        print("found a player")
        require(!wrong.wait(within: .milliseconds(500)), "a player at a loopback address is published")
        print("found no other player")
        browser.stop()
        require(hidden.go(GST_STATE_NULL), "not stopped")
        require(pipeline.go(GST_STATE_NULL), "not stopped")
    }
}
