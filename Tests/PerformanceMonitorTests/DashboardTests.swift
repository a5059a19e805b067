import CGStreamer
import Foundation
import GstTestSupport
import TestSupport
import Testing

/// Tests the dashboard of a pipeline with HTTP clients.
@Suite(.serialized) struct DashboardTests {
    private static let line =
        "videotestsrc name=o is-live=true ! capsfilter caps=video/x-raw,framerate=60/1,width=32,height=32 ! queue name=q ! fakesink name=s perfmonitor name=m report=none "

    @Test func isServedInPausedAndPlayingAndClosedInNull() throws {
        let pipeline = Pipeline(Self.line + "dashboard=:0")
        #expect(pipeline.dashboardPort == nil)
        #expect(pipeline.go(GST_STATE_PAUSED))
        let port = try #require(pipeline.dashboardPort)
        // `/events` sends figures once a second.
        for state in [GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_PLAYING] {
            #expect(pipeline.go(state))
            #expect(RawClient.get("/", port: port).contains("<h1>Performance monitor"))
            let stats = try #require(RawClient.follower(port: port).read { $0.hasSuffix("}\n\n") })
            #expect(stats.contains("\"q\""), "\(stats)")
            #expect(eventually { RawClient.get("/metrics", port: port).contains("gst_frames_in_total{") })
            #expect(pipeline.dashboardPort == port)
        }
        let follower = RawClient.follower(port: port)
        pipeline.end()
        #expect(follower.read() != nil, "the end of the pipeline must close the connections")
        #expect(!RawClient(port: port).isConnected)
        #expect(pipeline.dashboardPort == nil)
    }

    @Test func theFiguresThatAreServedFollowThePipeline() throws {
        let pipeline = Pipeline(Self.line + "dashboard=:0")
        #expect(pipeline.go(GST_STATE_PLAYING))
        let port = try #require(pipeline.dashboardPort)
        func frames() -> Int {
            let metrics = RawClient.get("/metrics", port: port)
            let line = metrics.split(separator: "\n").first {
                $0.hasPrefix("gst_frames_in_total{") && $0.contains("element=\"s\"")
            }
            return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }
        #expect(eventually { frames() > 30 })
        let before = frames()
        #expect(eventually { frames() > before + 30 })
        pipeline.end()
        #expect(pipeline.figure("s", "in") ?? 0 >= Double(before + 30))
    }

    /// All addresses in 127.0.0.0/8 belong to this machine, but a server answers only at the address that it binds.
    @Test(arguments: [
        (":0", ["127.0.0.1": true, "127.0.0.2": false]), ("localhost:0", ["127.0.0.1": true, "127.0.0.2": false]),
        ("127.0.0.2:0", ["127.0.0.1": false, "127.0.0.2": true]),
        ("0.0.0.0:0", ["127.0.0.1": true, "127.0.0.2": true]),
    ])
    func isReachedOnlyAtItsAddress(address: String, answers: [String: Bool]) throws {
        let pipeline = Pipeline(Self.line + "dashboard=\(address)")
        #expect(pipeline.go(GST_STATE_PLAYING))
        let port = try #require(pipeline.dashboardPort)
        for (host, answers) in answers {
            let isAnswered = RawClient.get("/", port: port, host: host).hasPrefix("HTTP/1.1 200 ")
            #expect(isAnswered == answers, "\(address) at \(host)")
        }
        pipeline.end()
    }

    @Test func namesThatTheUserAllowsAreAnswered() throws {
        let pipeline = Pipeline(Self.line + "dashboard=:0 allowed-hosts=cam.example.org,*.svc.cluster.local")
        #expect(pipeline.go(GST_STATE_PLAYING))
        let port = try #require(pipeline.dashboardPort)
        for (name, status) in [("cam.example.org:9100", 200), ("cam.ns.svc.cluster.local", 200), ("example.org", 421)] {
            #expect(RawClient.get("/", port: port, name: name).hasPrefix("HTTP/1.1 \(status) "), "\(name)")
        }
        pipeline.end()
        let posted = Pipeline(Self.line + "dashboard=:0 allowed-hosts=cam:9100").play()
        #expect(posted == ["error: The allowed-hosts \"cam:9100\" are not names."])
    }

    @Test func aPageOfTheWebCannotReadTheFigures() throws {
        let pipeline = Pipeline(Self.line + "dashboard=:0")
        #expect(pipeline.go(GST_STATE_PLAYING))
        let port = try #require(pipeline.dashboardPort)
        #expect(eventually { RawClient.get("/stats", port: port).contains("\"q\"") })
        for path in ["/", "/stats", "/metrics", "/events"] {
            let answer = RawClient.get(path, port: port, name: "evil.example")
            #expect(answer.hasPrefix("HTTP/1.1 421 ") && !answer.contains("\"q\""), "\(answer)")
        }
        pipeline.end()
    }
}
