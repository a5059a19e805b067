import Foundation
import Testing

extension DebianPackageTests {
    private static let unit = "lib/systemd/system/gst-sendspin-player.service"
    private static let userUnit = "lib/systemd/user/gst-sendspin-player.service"

    @Test func playerPackageContainsItsServicesAndSettings() async throws {
        let package = try await make("player")
        try await succeed("dpkg-deb", ["-R", package, root.path(percentEncoded: false)])
        let files = Set(try FileManager.default.subpathsOfDirectory(atPath: root.path(percentEncoded: false)))
        for file in [
            "usr/bin/sendspin-play", "usr/\(Self.unit)", "usr/\(Self.userUnit)", "etc/sendspin-play.conf",
            "usr/lib/sysusers.d/gst-sendspin-player.conf", "usr/share/doc/gst-sendspin-player/README.md",
        ] {
            #expect(files.contains(file), "\(file)")
        }
        #expect(try text(of: "DEBIAN/conffiles") == "/etc/sendspin-play.conf\n")
        let depends = try await succeed("dpkg-deb", ["-f", package, "Depends"])
        for name in ["gstreamer1.0-sendspin (>= ", "gstreamer1.0-alsa", "python3-gi", "systemd-sysusers"] {
            #expect(depends.contains(name), "\(depends)")
        }
        let pages = try MarkdownPage.pages(in: root)
        #expect(try pages.count == 1 && pages[0].brokenLinks() == [])
        // Only the owner of the machine decides that the service runs.
        #expect(!files.contains { $0.hasPrefix("etc/systemd") || $0.contains(".wants") })
        let scripts = try ["postinst", "prerm", "postrm"].map { try text(of: "DEBIAN/\($0)") }.joined()
        let verbs = scripts.matches(of: /(?:deb-systemd-invoke|deb-systemd-helper|systemctl)(?: --system)? ([a-z-]+)/)
        #expect(
            Set(verbs.map { String($0.1) }) == ["daemon-reload", "update-state", "try-restart", "stop", "purge"])
        // No other package has a file of this one.
        for other in Self.all where other != "player" {
            let contents = try await succeed("dpkg-deb", ["-c", try await make(other)])
            #expect(!contents.contains("sendspin-play"), "\(other)")
        }
    }

    @Test func serviceOfTheSystemIsRestricted() async throws {
        try await unpackPlayer()
        let unit = Set(try text(of: "usr/\(Self.unit)").split(separator: "\n").map(String.init))
        for line in [
            "User=gst-sendspin-player", "NoNewPrivileges=yes", "ProtectSystem=strict", "ProtectHome=yes",
            "PrivateTmp=yes", "CapabilityBoundingSet=", "RestrictRealtime=yes", "DevicePolicy=closed",
            "StateDirectoryMode=0700", "MemoryMax=256M", "RestartPreventExitStatus=78",
        ] {
            #expect(unit.contains(line), "\(line)")
        }
        // At a shutdown, the player stops before the network; at a start, it does not wait for an address.
        #expect(
            unit.contains { $0.hasPrefix("After=network.target ") } && !unit.contains { $0.contains("network-online") })
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/systemd-analyze"), "systemd-analyze is missing"),
        arguments: [unit, userUnit])
    func unitsAreValid(unit: String) async throws {
        try await unpackPlayer()
        let copy = root.appending(path: "gst-sendspin-player.service")
        // The program of a unit must be installed.
        try text(of: "usr/\(unit)").replacing("/usr/bin/sendspin-play", with: "/usr/bin/env")
            .write(to: copy, atomically: true, encoding: .utf8)
        let manager = unit == Self.unit ? "--system" : "--user"
        let verified = try await Command.run(
            named: "systemd-analyze", [manager, "--man=no", "verify", copy.path(percentEncoded: false)],
            environment: ["XDG_RUNTIME_DIR": root.path(percentEncoded: false)])
        #expect(verified.succeeded && !verified.output.contains("gst-sendspin-player"), "\(verified.output)")
    }

    @Test func packagedPlayerReadsItsSettings() async throws {
        try await unpackPlayer()
        let wrong = root.appending(path: "wrong.conf")
        try "output-delay = 120".write(to: wrong, atomically: true, encoding: .utf8)
        let file = root.appending(path: "etc/sendspin-play.conf").path(percentEncoded: false)
        for (arguments, answer) in [
            (["--config", wrong.path(percentEncoded: false)], ":1: output-delay: \"120\" is not permitted"),
            (["--config", file, "uri=x"], "uri: \"x\" is not the address of a server"),
        ] {
            let command = try await Command.run(
                root.appending(path: "usr/share/gst-sendspin-player/pipelines/sendspin-play"), arguments, in: root,
                environment: [
                    "GST_PLUGIN_PATH": Folders.package.appending(path: "out/plugin").path(percentEncoded: false),
                    "PYTHONDONTWRITEBYTECODE": "1",
                ])
            #expect(command.status == EX_CONFIG && command.output.contains(answer), "\(command.output)")
        }
    }

    private func unpackPlayer() async throws {
        try await succeed("dpkg-deb", ["-x", try await make("player"), root.path(percentEncoded: false)])
    }

    private func text(of file: String) throws -> String {
        try String(contentsOf: root.appending(path: file), encoding: .utf8)
    }
}
