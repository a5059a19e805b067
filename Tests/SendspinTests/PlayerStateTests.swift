import CGStreamer
import Foundation
import GstTestSupport
import TestSupport
import SendspinSupport
import SendspinProtocol
import Testing
import Threads

/// Tests volume, mute and delay of the player, which the application and the server change.
@Suite(.serialized) struct PlayerStateTests {
    private func report(_ rig: SendspinRig) -> PlayerReport? { rig.server.report.state?.player }

    @Test func serverSetsVolumeAndMute() throws {
        let rig = try SendspinRig()
        try #require(rig.start())
        #expect(report(rig)?.volume == 100)
        rig.server.command(.volume(30))
        rig.server.command(.mute(true))
        #expect(rig.server.wait { $0.last?.state?.player?.volume == 30 && $0.last?.state?.player?.isMuted == true })
        #expect(eventually { rig.pipeline.get("volume") == "30" && rig.pipeline.get("mute") == "true" })
        #expect(rig.server.violations == [])
    }

    @Test func applicationSetsVolumeAndMute() throws {
        let rig = try SendspinRig()
        try #require(rig.start())
        SignalEmission("set-player-volume", "45", "true").emit(on: rig.pipeline.element())
        #expect(rig.server.wait { $0.last?.state?.player?.volume == 45 && $0.last?.state?.player?.isMuted == true })
        #expect(rig.pipeline.get("volume") == "45")
        #expect(rig.server.violations == [])
    }

    @Test func delayIsSetOnBothSides() throws {
        let rig = try SendspinRig(SendspinRig.decoding, "output-delay=40000000")
        try #require(rig.start())
        #expect(report(rig)?.outputDelay == .milliseconds(40))
        rig.server.command(.outputDelay(.milliseconds(250)))
        #expect(rig.server.wait { $0.last?.state?.player?.outputDelay == .milliseconds(250) })
        #expect(
            eventually { rig.statistic("output-delay") == 250_000_000 || rig.pipeline.get("stats").contains("0.250") })
        rig.pipeline.set("output-delay", to: "70000000")
        #expect(rig.server.wait { $0.last?.state?.player?.outputDelay == .milliseconds(70) })
        #expect(rig.server.violations == [])
    }

    @Test func delayMovesTheSamplesForward() throws {
        var places: [Duration] = []
        for delay in [0, 100] {
            let rig = try SendspinRig(SendspinRig.decoding, "output-delay=\(delay)000000")
            try #require(rig.start())
            rig.server.play(.pcm(), lead: .milliseconds(800))
            #expect(rig.hasBytes(4_800 * 4))
            let chunk = try #require(rig.recorder.chunks.first)
            let index = try #require(RampSignal.indices(pcm: chunk.bytes.prefix(4), bitDepth: 16).first ?? nil)
            let time = try #require(rig.server.localTime(ofIndex: index))
            let base = Duration.nanoseconds(Int64(gst_element_get_base_time(rig.pipeline.raw)))
            places.append(try #require(chunk.pts) + base - time)
        }
        #expect(abs((places[0] - places[1]) / .milliseconds(1) - 100) < 5)
    }

    @Test func stateSurvivesARestart() throws {
        let folder = Setup.newFolder()
        do {
            let rig = try SendspinRig(folder: folder)
            try #require(rig.start())
            rig.server.command(.volume(20))
            rig.server.command(.mute(true))
            rig.server.command(.outputDelay(.milliseconds(120)))
            #expect(rig.server.wait { $0.last?.state?.player?.outputDelay == .milliseconds(120) })
        }
        let rig = try SendspinRig(folder: folder)
        try #require(rig.start())
        #expect(report(rig)?.volume == 20)
        #expect(report(rig)?.isMuted == true)
        #expect(report(rig)?.outputDelay == .milliseconds(120))
    }

    /// A player that one server has muted is also silent with the next server.
    @Test(arguments: ["mute", "volume"]) func silentStateOfTheLastUseIsAnInfoMessage(field: String) throws {
        let folder = Setup.newFolder()
        do {
            let rig = try SendspinRig(folder: folder)
            try #require(rig.start())
            #expect(rig.bus.texts("info") == [])
            rig.server.command(field == "mute" ? .mute(true) : .volume(0))
            #expect(
                rig.server.wait { _ in
                    field == "mute" ? report(rig)?.isMuted == true : report(rig)?.volume == 0
                })
        }
        do {
            let rig = try SendspinRig(folder: folder)
            try #require(rig.start())
            #expect(rig.bus.has("info", field == "mute" ? "muted" : "volume 0 %", "last use"))
            #expect(rig.bus.texts("info").count == 1)
            SignalEmission("set-player-volume", "50", "false").emit(on: rig.pipeline.element())
            #expect(rig.server.wait { $0.last?.state?.player?.volume == 50 })
        }
        let rig = try SendspinRig(folder: folder)
        try #require(rig.start())
        #expect(rig.bus.texts("info") == [])
    }

    /// A slider sends many volumes, and each stored file is flushed to the disk.
    @Test func stateIsStoredOncePerSecondAtMost() throws {
        let rig = try SendspinRig()
        try #require(rig.start())
        let file = rig.folder.appending(path: "state.json").path
        var versions = Set<UInt64>()
        var volume = 0
        let start = MonotonicClock.now
        // Each stored version is a new file with another inode number.
        while MonotonicClock.now - start < (versions.count < 2 ? patience : .milliseconds(2_500)) {
            volume = (volume + 1) % 100
            rig.server.command(.volume(volume))
            _ = remains(for: .milliseconds(5)) {
                if let number = inode(of: file) { versions.insert(number) }
                return true
            }
        }
        let seconds = Int((MonotonicClock.now - start) / .seconds(1))
        #expect(versions.count >= 2)
        #expect(versions.count <= seconds + 2, "\(versions.count) versions in \(seconds) s")
        rig.server.command(.volume(77))
        #expect(rig.server.wait { $0.last?.state?.player?.volume == 77 })
        rig.pipeline.go(GST_STATE_NULL)
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("77"))
    }

    /// A number that identifies a version of a file, combined from its inode number and its change time.
    private func inode(of path: String) -> UInt64? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return UInt64(status.st_ino) &* 31 &+ UInt64(status.st_ctim.tv_sec) &* 1_000_000_007
            &+ UInt64(status.st_ctim.tv_nsec)
    }

    /// Only this user may read the files, because the identity and the pairing key are secret.
    @Test func filesAreForThisUserOnly() throws {
        let rig = try SendspinRig()
        try #require(rig.start())
        rig.server.command(.volume(20))
        #expect(rig.server.wait { $0.last?.state?.player?.volume == 20 })
        let files = try FileManager.default.contentsOfDirectory(atPath: rig.folder.path)
        #expect(Set(files).isSuperset(of: ["identity.json", "pairing-key.json", "state.json"]))
        for file in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: rig.folder.appending(path: file).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
        }
    }

    @Test func unsafeFolderIsRefused() throws {
        let folder = Setup.newFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        let rig = try SendspinRig(folder: folder)
        #expect(gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        #expect(rig.bus.has("error", folder.path, "777"))
        // GstBaseSrc also posts a general error, after the error of the player.
        #expect(rig.bus.problems.first?.contains(folder.path) == true)
    }
}
