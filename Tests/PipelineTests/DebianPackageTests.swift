import Foundation
import TestSupport
import Testing

/// Tests the Debian packages after they are unpacked into a temporary root folder.
@Suite(.serialized) struct DebianPackageTests {
    let root = Folders.fresh("root")
    /// Parts of the names of all packages.
    static let all = ["swiftvideo", "sendspin", "player", "apps", "doc"]

    @Test func packageContainsElementsAndPresets() async throws {
        let package = try await make()
        try await succeed("dpkg-deb", ["-x", package, root.path(percentEncoded: false)])
        let triplet = try await succeed("dpkg-architecture", ["-qDEB_HOST_MULTIARCH"])
        let plugins = root.appending(path: "usr/lib/\(triplet)/gstreamer-1.0").path(percentEncoded: false)
        let data = root.appending(path: "usr/share")
        let environment = [
            "GST_PLUGIN_PATH": plugins,
            "GST_REGISTRY": root.appending(path: "registry").path(percentEncoded: false),
            "GST_PRESET_PATH": data.appending(path: "gstreamer-1.0/presets").path(percentEncoded: false),
        ]
        let description = try await succeed("dpkg-deb", ["-f", package, "Description"])
        for element in ["ntscfilter", "tapeaudio", "backpressurequeue", "adaptivepool", "thermalcaps", "perfmonitor"] {
            #expect(description.contains("* \(element) "))
            let inspected = try await succeed("gst-inspect-1.0", [element], environment)
            #expect(inspected.contains("Filename                 \(plugins)/libgstswiftvideo.so"), "\(inspected)")
        }
        let filter = try await succeed("gst-inspect-1.0", ["ntscfilter"], environment)
        #expect(filter.contains(/(?i)worn[ -]tape/), "\(filter)")
        let documents = data.appending(path: "doc/gstreamer1.0-swiftvideo")
        for name in ["README.md", "copyright", "changelog.gz", "changelog.Debian.gz"] {
            let file = documents.appending(path: name).path(percentEncoded: false)
            #expect(FileManager.default.fileExists(atPath: file), "\(name)")
        }
    }

    @Test func versionIsDefinedInOnePlace() async throws {
        let header = try text("Sources/CSystem/include/version.h")
        let version = try #require(header.firstMatch(of: /SWIFTVIDEO_VERSION "(\d+\.\d+\.\d+)"/)).1
        let package = try await make()
        #expect(try await succeed("dpkg-deb", ["-f", package, "Version"]) == "\(version)-0.1")
        let plugins = Folders.package.appending(path: "out/plugin")
        for name in ["swiftvideo", "sendspin"] {
            let plugin = plugins.appending(path: "libgst\(name).so").path(percentEncoded: false)
            let inspected = try await succeed("gst-inspect-1.0", [plugin])
            #expect(inspected.contains("Version                  \(version)\n"), "\(inspected)")
        }
        // Scripts search an element with `--exists`, which compares the versions of the plugin and of GStreamer.
        let environment = ["GST_PLUGIN_PATH": plugins.path(percentEncoded: false)]
        for element in [
            "ntscfilter", "tapeaudio", "backpressurequeue", "adaptivepool", "thermalcaps", "perfmonitor",
            "sendspinsrc", "sendspinsync", "sendspinplay", "sendspinsink",
        ] {
            try await succeed("gst-inspect-1.0", ["--exists", element], environment)
        }
        let changes = try text("CHANGELOG.md")
        #expect(try #require(changes.firstMatch(of: /## \[(.+?)\]/)).1 == version)
        for folder in ["Sources", "plugin-build"] {
            let found = try await Command.run(named: "grep", ["-rlF", "\(version)", folder])
            let expected = folder == "Sources" ? "Sources/CSystem/include/version.h\n" : ""
            #expect(found.output == expected)
        }
    }

    @Test func dependenciesIncludeAllLinkedLibraries() async throws {
        let package = try await make()
        let depends = try await succeed("dpkg-deb", ["-f", package, "Depends"])
        let names = Set(depends.split(separator: ", ").map { String($0.prefix { $0 != " " }) })
        #expect(names.isSuperset(of: ["libc6", "libgstreamer1.0-0", "gstreamer1.0-plugins-base"]), "\(depends)")
        let series = try await succeed("pkg-config", ["--modversion", "gstreamer-1.0"])
            .split(separator: ".").prefix(2).joined(separator: ".")
        #expect(depends.contains("libgstreamer1.0-0 (>= \(series).0)"), "\(depends)")
        // For packed relative relocations.
        let libc = try #require(depends.firstMatch(of: /libc6 \(>= 2[.](\d+)/), "\(depends)").1
        #expect(try #require(Int(libc)) >= 36, "\(depends)")
        let plugin = Folders.package.appending(path: "out/plugin/libgstswiftvideo.so").path(percentEncoded: false)
        for library in try await succeed("ldd", [plugin]).matches(of: /=> (\/\S*libgst\S+)/) {
            let real = URL(filePath: String(library.1)).resolvingSymlinksInPath().lastPathComponent
            let owner = try await succeed("dpkg", ["-S", "*/\(real)"]).prefix { $0 != ":" }
            #expect(names.contains(String(owner)), "\(depends) without \(owner)")
        }
    }

    @Test func onlyTheSendspinPackageDependsOnItsLibraries() async throws {
        let libraries = ["libavahi-client3", "libavahi-common3"]
        let sendspin = try await succeed("dpkg-deb", ["-f", make("sendspin"), "Depends"])
        let video = try await succeed("dpkg-deb", ["-f", make(), "Depends"])
        for library in libraries {
            #expect(sendspin.contains("\(library) ("), "\(sendspin)")
            #expect(!video.contains(library), "\(video)")
        }
        // libsodium is linked statically, because the name of its package changes with the version of its interface.
        #expect(!sendspin.contains("libsodium"), "\(sendspin)")
    }

    @Test func sendspinPackageContainsItsPluginAndNoOther() async throws {
        let package = try await make("sendspin")
        try await succeed("dpkg-deb", ["-x", package, root.path(percentEncoded: false)])
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.path(percentEncoded: false))
        #expect(files.filter { $0.hasSuffix(".so") }.map { $0.split(separator: "/").last } == ["libgstsendspin.so"])
        #expect(!files.contains { $0.hasSuffix(".prs") })
        let plugin = try #require(files.first { $0.hasSuffix("libgstsendspin.so") })
        let file = root.appending(path: plugin).path(percentEncoded: false)
        #expect(try await succeed("gst-inspect-1.0", [file]).contains("Name                     sendspin\n"))
        let documents = root.appending(path: "usr/share/doc/gstreamer1.0-sendspin")
        for name in ["copyright", "changelog.gz", "changelog.Debian.gz"] {
            #expect(
                FileManager.default.fileExists(atPath: documents.appending(path: name).path(percentEncoded: false)))
        }
    }

    @Test(arguments: ["swiftvideo", "sendspin"])
    func descriptionNamesEveryElement(plugin: String) async throws {
        let file = Folders.package.appending(path: "out/plugin/libgst\(plugin).so").path(percentEncoded: false)
        let elements = try await succeed("gst-inspect-1.0", [file])
            .matches(of: /(?m)^ {2}(\w+):/).map { String($0.1) }
        #expect(elements.count >= 3)
        let description = try await succeed("dpkg-deb", ["-f", try await make(plugin), "Description"])
        for element in elements where !element.hasSuffix("provider") {
            #expect(description.contains("* \(element) "), "\(description)")
        }
    }

    /// The package gstreamer1.0-plugins-good contains only one sink for audio devices, the sink for PulseAudio.
    @Test func sendspinPackageRecommendsSinksForDevices() async throws {
        let recommends = try await succeed("dpkg-deb", ["-f", try await make("sendspin"), "Recommends"])
        #expect(recommends.contains("gstreamer1.0-alsa | gstreamer1.0-pulseaudio"), "\(recommends)")
    }

    @Test(arguments: ["swiftvideo", "sendspin"])
    func packageListsWhatIsLinkedStatically(plugin: String) async throws {
        try await succeed("dpkg-deb", ["-x", try await make(plugin), root.path(percentEncoded: false)])
        let architecture = try await succeed("dpkg", ["--print-architecture"])
        let documents = root.appending(path: "usr/share/doc/gstreamer1.0-\(plugin)")
        let list = try String(
            contentsOf: documents.appending(path: "gstreamer1.0-\(plugin)-\(architecture).spdx"), encoding: .utf8)
        let file = try #require(list.firstMatch(of: /(?m)^PackageFileName: \/(.+)$/)).1
        let hash = try await succeed("sha256sum", [root.appending(path: String(file)).path(percentEncoded: false)])
        #expect(list.contains("PackageChecksum: SHA256: \(hash.prefix(64))\n"), "\(list)")
        let software = list.matches(of: /PackageName: (\S+)\nSPDXID: SPDXRef-\S+\nPackageVersion: (\S+)\n/).map {
            (name: String($0.1), version: String($0.2))
        }
        let libraries = try await succeed(
            "dpkg-query", ["-W", "-f=${db:Status-Status} ${Package}\n", "libstdc++-*-dev"])
        // The compiler uses the newest one.
        let library = try #require(libraries.matches(of: /(?m)^installed (\S+)/).map { String($0.1) }.max())
        for package in [library, "libc6-dev"] + (plugin == "sendspin" ? ["libsodium-dev"] : []) {
            let source = try await succeed("dpkg-query", ["-W", "-f=${source:Package} ${source:Version}", package])
            #expect(software.contains { "\($0.name) \($0.version)" == source }, "\(list)")
        }
        #expect(software.contains { $0.name == "swift" && $0.version.wholeMatch(of: /6[.][\d.]+/) != nil }, "\(list)")
        #expect(software.contains { $0.name == "libsodium" } == (plugin == "sendspin"))
        let copyright = try String(contentsOf: documents.appending(path: "copyright"), encoding: .utf8)
        for licence in [
            "Apache-2.0 with Swift exception", "Apache-2.0 with LLVM exception", "GPL-3+ with GCC exception",
        ] {
            #expect(copyright.contains("\nLicense: \(licence)\n"))
        }
    }

    @Test func picturesOfOthersHaveTheirLicence() async throws {
        let copyright = try text("plugin-build/deb-copyright")
        for package in ["apps", "doc"] {
            for name in try await succeed("dpkg-deb", ["-c", try await make(package)]).matches(of: /\S+\.(jpg|webm)\b/)
            {
                let name = try #require(name.0.split(separator: "/").last)
                #expect(copyright.contains("/\(name)\n"))
            }
        }
    }

    @Test func secondBuildHasEqualBytes() async throws {
        let names = Self.all
        var packages: [(file: URL, bytes: Data)] = []
        for name in names {
            let file = URL(filePath: try await make(name))
            packages.append((file, try Data(contentsOf: file)))
        }
        let again = try await Command.run(
            named: "bash", ["-c", "umask 077 && exec plugin-build/deb"],
            environment: ["TZ": "Asia/Tokyo", "LC_ALL": "C", "COLUMNS": "40"])
        #expect(again.succeeded, "\(again.output)")
        for package in packages {
            #expect(try Data(contentsOf: package.file) == package.bytes, "\(package.file.lastPathComponent) differs")
        }
    }

    @Test func lintianFindsNoErrorAndNoWarning() async throws {
        var packages: [String] = []
        for name in Self.all { packages.append(try await make(name)) }
        // Lintian 2.143 has no tag malformed-contact, which the packages override for older versions.
        let lintian = try await Command.run(
            named: "lintian", ["--fail-on", "error,warning", "--suppress-tags", "alien-tag"] + packages)
        #expect(lintian.succeeded, "\(lintian.output)")
        #expect(!lintian.output.contains(/(?m)^[EW]:/), "\(lintian.output)")
    }

    /// Builds the packages once for all tests.
    private static let made = Task {
        try await Command.run(Folders.package.appending(path: "plugin-build/deb"), limit: patience * 4)
    }

    /// Builds the packages and returns the path of the package of `plugin`.
    func make(_ plugin: String = "swiftvideo") async throws -> String {
        let command = try await Self.made.value
        #expect(command.succeeded, "\(command.output)")
        let made = command.output.matches(of: /Made (.+\.deb),/).map { String($0.1) }
        return try #require(made.first { $0.contains("-\(plugin)_") })
    }

    @discardableResult func succeed(
        _ program: String, _ arguments: [String], _ environment: [String: String] = [:]
    ) async throws -> String {
        let command = try await Command.run(named: program, arguments, environment: environment)
        #expect(command.succeeded, "\(program): \(command.output)")
        return command.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: Folders.package.appending(path: name), encoding: .utf8)
    }
}
