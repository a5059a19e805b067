// swift-tools-version: 6.2
import PackageDescription

/// Signal code, policies and elements: an unsafe expression must say `unsafe`.
let safe: [SwiftSetting] = [
    .treatAllWarnings(as: .error), .strictMemorySafety(), .enableExperimentalFeature("Lifetimes"),
]

/// The bridge to C: unsafe by nature, kept small; no C type may leave through its public API.
let bridge: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableExperimentalFeature("Lifetimes"),
]

/// Checks of sizes by the C library, in optimized builds.
///
/// Swift code must not see this definition: with it, functions of glibc 2.40 such as `poll` are ambiguous.
let fortified: [CSetting] = [.define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))]

/// Tests that take less time to run than to optimize.
let unoptimized: [SwiftSetting] = [.treatAllWarnings(as: .error), .unsafeFlags(["-Onone"])]

let package = Package(
    name: "gst-plugins-swift",
    products: [
        .library(name: "gstswiftvideo", type: .dynamic, targets: ["SwiftVideoPlugin"]),
        .library(name: "gstsendspin", type: .dynamic, targets: ["SendspinPlugin"]),
        .library(name: "GStreamer", targets: ["GStreamer", "Threads", "Durations"]),
        .library(name: "GStreamerApp", targets: ["GStreamerApp", "GStreamer", "Threads", "Durations"]),
        .library(name: "GStreamerTesting", targets: ["GStreamerTesting", "GStreamer", "Threads", "Durations"]),
        .library(name: "CGStreamer", targets: ["CGStreamer"]),
    ],
    targets: [
        // MARK: C
        // SwiftPM reads the pkg-config file of each system library, also for packages that depend only on the product
        // GStreamer. Those without one have their headers in the default folder, or in that of CGStreamer.
        .systemLibrary(name: "CGStreamer", pkgConfig: "gstreamer-video-1.0"),
        .systemLibrary(name: "CGStreamerCheck"),
        .systemLibrary(name: "CAvahi"),
        .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0"),
        .systemLibrary(name: "CSodium"),
        .target(name: "CLanes"),
        .target(name: "CSystem", cSettings: fortified),

        // MARK: Pure logic
        .target(name: "Durations", swiftSettings: safe),
        .target(name: "JSON", swiftSettings: safe),
        .target(name: "MachineState", swiftSettings: safe),
        .target(name: "AnalogVideoModel", dependencies: ["Durations", "JSON"], swiftSettings: safe),
        .target(name: "AnalogVideo", dependencies: ["AnalogVideoModel", "CLanes"], swiftSettings: safe),
        .target(
            name: "AnalogVideoPlayer", dependencies: ["AnalogVideoModel", "AnalogVideo", "CSystem"],
            swiftSettings: safe),
        .target(
            name: "AnalogAudio", dependencies: ["AnalogVideo", "AnalogVideoModel", "Durations"], swiftSettings: safe),
        .target(name: "PoolPolicy", swiftSettings: safe),
        .target(name: "QueuePolicy", dependencies: ["Durations"], swiftSettings: safe),
        .target(name: "ThermalPolicy", dependencies: ["MachineState"], swiftSettings: safe),
        .target(
            name: "MonitorPolicy", dependencies: ["Durations", "JSON", "MachineState", "Threads"], swiftSettings: safe),

        // MARK: The machine
        .target(name: "Threads", dependencies: ["CSystem", "Durations"], swiftSettings: safe),
        .target(name: "Sockets", dependencies: ["CSystem", "Durations", "Threads"], swiftSettings: safe),
        .target(name: "Tracing", dependencies: ["CSystem", "Durations", "Threads"], swiftSettings: safe),
        .target(
            name: "MachineSensors", dependencies: ["Durations", "MachineState", "Threads"],
            swiftSettings: safe),
        .target(
            name: "MonitorServer", dependencies: ["CSystem", "Sockets", "Threads"],
            resources: [.embedInCode("Dashboard/dashboard.html")], swiftSettings: safe),
        .target(name: "WebSocket", dependencies: ["CGLib", "CSystem", "Sockets", "Threads"], swiftSettings: bridge),
        .target(
            name: "ServiceDiscovery", dependencies: ["CAvahi", "CSystem", "Durations", "Threads"],
            swiftSettings: bridge,
            linkerSettings: [.linkedLibrary("avahi-client"), .linkedLibrary("avahi-common")]),

        // MARK: GStreamer
        .target(name: "GStreamer", dependencies: ["CGStreamer", "Durations", "Threads"], swiftSettings: bridge),
        .target(
            name: "GStreamerApp", dependencies: ["CGStreamer", "Durations", "GStreamer", "Threads"],
            swiftSettings: bridge, linkerSettings: [.linkedLibrary("gstcontroller-1.0")]),
        .target(
            name: "GStreamerTesting",
            dependencies: ["CGStreamer", "CGStreamerCheck", "Durations", "GStreamer", "Threads"], swiftSettings: bridge),
        .target(name: "FrameTracking", dependencies: ["CGStreamer", "GStreamer", "Threads"], swiftSettings: bridge),
        .target(
            name: "ElasticPool",
            dependencies: ["CGStreamer", "FrameTracking", "GStreamer", "PoolPolicy", "Threads", "Tracing"],
            swiftSettings: bridge, linkerSettings: [.linkedLibrary("gstallocators-1.0")]),
        .target(
            name: "AdaptivePool",
            dependencies: [
                "Durations", "ElasticPool", "GStreamer", "MachineSensors", "MachineState", "PoolPolicy", "Threads",
            ], swiftSettings: safe),
        .target(
            name: "BackpressureQueue",
            dependencies: [
                "CSystem", "Durations", "FrameTracking", "GStreamer", "MachineSensors", "QueuePolicy", "Threads",
                "Tracing",
            ], swiftSettings: safe),
        .target(
            name: "NTSCFilter",
            dependencies: ["AnalogVideoModel", "AnalogVideoPlayer", "GStreamer", "Threads", "Tracing"],
            swiftSettings: safe),
        .target(
            name: "TapeAudio", dependencies: ["AnalogAudio", "AnalogVideoModel", "Durations", "GStreamer"],
            swiftSettings: safe),
        .target(
            name: "ThermalCaps",
            dependencies: [
                "Durations", "GStreamer", "MachineSensors", "MachineState", "ThermalPolicy", "Threads", "Tracing",
            ], swiftSettings: safe),
        .target(
            name: "MonitorEngine",
            dependencies: [
                "CGStreamer", "CSystem", "Durations", "GStreamer", "MonitorPolicy", "Threads", "Tracing",
            ],
            swiftSettings: bridge),
        .target(
            name: "PerformanceMonitor",
            dependencies: [
                "Durations", "GStreamer", "MachineSensors", "MachineState", "MonitorEngine", "MonitorPolicy",
                "MonitorServer", "Threads", "Tracing",
            ], swiftSettings: safe),
        .target(
            name: "SwiftVideoPlugin",
            dependencies: [
                "AdaptivePool", "BackpressureQueue", "CSystem", "GStreamer", "NTSCFilter", "PerformanceMonitor",
                "TapeAudio", "ThermalCaps", "Tracing",
            ], swiftSettings: safe),

        // MARK: Sendspin
        .target(
            name: "SendspinSecurity", dependencies: ["CSodium", "JSON"], swiftSettings: bridge,
            linkerSettings: [.linkedLibrary("sodium")]),
        .target(
            name: "SendspinProtocol", dependencies: ["Durations", "JSON", "SendspinSecurity"], swiftSettings: safe),
        .target(
            name: "AudioSinks", dependencies: ["CGStreamer", "Durations", "GStreamer", "Threads"],
            swiftSettings: bridge, linkerSettings: [.linkedLibrary("gstaudio-1.0")]),
        .target(
            name: "Sendspin",
            dependencies: [
                "AudioSinks", "Durations", "GStreamer", "SendspinProtocol", "SendspinSecurity", "ServiceDiscovery",
                "Sockets", "Threads", "WebSocket",
            ], swiftSettings: safe),
        .target(name: "SendspinPlugin", dependencies: ["CSystem", "GStreamer", "Sendspin"], swiftSettings: safe),

        // MARK: Benchmarks
        .target(name: "CClock", path: "Benchmarks/CClock"),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "AnalogAudio", "AnalogVideoModel", "AnalogVideoPlayer", "CClock", "CGStreamer", "Durations",
                "GStreamer", "NTSCFilter",
                "PoolPolicy", "SignalSupport", "SwiftVideoPlugin", "TestSupport", "Threads",
            ],
            path: "Benchmarks/Benchmarks", swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "SpeedBenchmark", dependencies: ["AnalogVideoModel", "AnalogVideoPlayer"],
            path: "Benchmarks/SpeedBenchmark",
            swiftSettings: [.treatAllWarnings(as: .error)]),

        // MARK: Support of tests
        .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
        .target(name: "CTestStart", dependencies: ["CGStreamer"], path: "Tests/CTestStart"),
        .target(
            name: "CVirtualDAC", dependencies: ["CGStreamer"], path: "Tests/CVirtualDAC",
            linkerSettings: [.linkedLibrary("gstaudio-1.0"), .linkedLibrary("gstbase-1.0")]),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "SignalSupport", dependencies: ["AnalogAudio", "AnalogVideoModel", "AnalogVideoPlayer", "JSON"],
            path: "Tests/SignalSupport", swiftSettings: safe),
        .target(
            name: "GstTestSupport",
            dependencies: [
                "CGStreamer", "CGStreamerCheck", "CTestStart", "GStreamer", "GStreamerTesting", "SwiftVideoPlugin",
                "TestSupport",
            ],
            path: "Tests/GstTestSupport", swiftSettings: [.treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("gstcontroller-1.0")]),
        .target(
            name: "SendspinSupport",
            dependencies: [
                "Durations", "JSON", "SendspinProtocol", "SendspinSecurity", "Sockets", "TestSupport", "Threads",
                "WebSocket",
            ], path: "Tests/SendspinSupport", swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "GoldenCheck", dependencies: ["AnalogVideoPlayer", "SignalSupport"], path: "Tests/GoldenCheck",
            swiftSettings: safe),
        .executableTarget(
            name: "Probe",
            dependencies: [
                "CAllocationCount", "CGStreamer", "CGStreamerCheck", "FrameTracking", "GStreamer", "GStreamerTesting",
                "SwiftVideoPlugin", "Threads", "Tracing",
            ], path: "Tests/Probe", swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "SendspinProbe",
            dependencies: [
                "CAllocationCount", "CGStreamer", "CVirtualDAC", "GStreamer", "GstTestSupport", "Sendspin",
                "SendspinPlugin", "SendspinProtocol", "SendspinSecurity", "SendspinSupport", "ServiceDiscovery",
                "Threads", "WebSocket",
            ], path: "Tests/SendspinProbe", swiftSettings: [.treatAllWarnings(as: .error)]),

        // MARK: Tests without GStreamer
        .testTarget(name: "DurationsTests", dependencies: ["Durations", "TestSupport"], swiftSettings: unoptimized),
        .testTarget(name: "JSONTests", dependencies: ["JSON", "TestSupport"], swiftSettings: unoptimized),
        .testTarget(
            name: "AnalogVideoModelTests", dependencies: ["AnalogVideoModel", "SignalSupport", "TestSupport"],
            swiftSettings: safe),
        .testTarget(
            name: "AnalogVideoTests",
            dependencies: ["AnalogVideo", "AnalogVideoModel", "AnalogVideoPlayer", "SignalSupport", "TestSupport"],
            swiftSettings: safe),
        .testTarget(
            name: "AnalogAudioTests",
            dependencies: ["AnalogAudio", "AnalogVideoModel", "AnalogVideoPlayer", "SignalSupport", "TestSupport"],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(name: "PoolPolicyTests", dependencies: ["PoolPolicy", "TestSupport"], swiftSettings: unoptimized),
        .testTarget(name: "QueuePolicyTests", dependencies: ["QueuePolicy", "TestSupport"], swiftSettings: safe),
        .testTarget(
            name: "ThermalPolicyTests", dependencies: ["MachineState", "ThermalPolicy"], swiftSettings: unoptimized),
        .testTarget(
            name: "MonitorPolicyTests", dependencies: ["Durations", "JSON", "MonitorPolicy", "TestSupport"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "ThreadsTests", dependencies: ["TestSupport", "Threads", "Tracing"], swiftSettings: unoptimized),
        .testTarget(
            name: "TracingTests", dependencies: ["CSystem", "TestSupport", "Tracing"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "MonitorServerTests", dependencies: ["MonitorServer", "Sockets", "TestSupport", "Threads"],
            exclude: ["Dashboard/browser.py", "Dashboard/snapshots.py"], swiftSettings: unoptimized),
        .testTarget(
            name: "WebSocketTests",
            dependencies: ["CGLib", "Durations", "Sockets", "TestSupport", "Threads", "WebSocket"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "SendspinSecurityTests", dependencies: ["SendspinProbe", "SendspinSecurity", "SendspinSupport"],
            exclude: ["Noise/vectors.json", "Noise/vectors.py"], swiftSettings: unoptimized),
        .testTarget(
            name: "SendspinProtocolTests",
            dependencies: [
                "Durations", "JSON", "SendspinProtocol", "SendspinSecurity", "SendspinSupport", "Sockets",
                "TestSupport", "Threads", "WebSocket",
            ], swiftSettings: [.treatAllWarnings(as: .error)]),

        // MARK: Tests with GStreamer
        .testTarget(
            name: "MachineSensorsTests",
            dependencies: ["GstTestSupport", "MachineSensors", "MachineState", "TestSupport", "Threads"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "GStreamerTests",
            dependencies: [
                "AudioSinks", "CGStreamer", "GStreamer", "GStreamerTesting", "GstTestSupport", "Threads",
            ], swiftSettings: unoptimized),
        .testTarget(
            name: "GStreamerAppTests", dependencies: ["CTestStart", "GStreamer", "GStreamerApp", "Threads"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AdaptivePoolTests",
            dependencies: [
                "AdaptivePool", "CGStreamer", "CGStreamerCheck", "ElasticPool", "GStreamer", "GstTestSupport",
                "MachineState", "PoolPolicy", "TestSupport", "Threads",
            ], swiftSettings: unoptimized),
        .testTarget(
            name: "BackpressureQueueTests",
            dependencies: [
                "BackpressureQueue", "CGStreamer", "GStreamer", "GstTestSupport", "QueuePolicy", "TestSupport",
            ], swiftSettings: unoptimized),
        .testTarget(
            name: "NTSCFilterTests",
            dependencies: [
                "AnalogVideoModel", "AnalogVideoPlayer", "CGStreamer", "GStreamer", "GstTestSupport", "NTSCFilter",
                "SignalSupport", "TestSupport", "Threads",
            ], swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "TapeAudioTests",
            dependencies: [
                "AnalogAudio", "CGStreamer", "GStreamer", "GstTestSupport", "SignalSupport", "TapeAudio",
            ], swiftSettings: unoptimized),
        .testTarget(
            name: "ThermalCapsTests",
            dependencies: [
                "CGStreamer", "GStreamer", "GstTestSupport", "MachineState", "TestSupport", "ThermalCaps",
                "ThermalPolicy", "Threads",
            ], swiftSettings: unoptimized),
        .testTarget(
            name: "PerformanceMonitorTests",
            dependencies: [
                "CGStreamer", "GStreamer", "GstTestSupport", "MachineState", "MonitorEngine", "MonitorPolicy",
                "TestSupport", "ThermalPolicy",
            ], swiftSettings: unoptimized),
        .testTarget(
            name: "SwiftVideoPluginTests",
            dependencies: [
                "AnalogVideoModel", "BackpressureQueue", "FrameTracking", "GStreamer", "GstTestSupport",
                "MonitorPolicy", "NTSCFilter", "PerformanceMonitor", "Probe", "QueuePolicy", "SignalSupport",
                "SwiftVideoPlugin", "TapeAudio", "ThermalCaps",
            ], exclude: ["perfetto_schema.py"], swiftSettings: unoptimized),
        .testTarget(
            name: "ServiceDiscoveryTests",
            dependencies: ["CAvahi", "GstTestSupport", "ServiceDiscovery", "TestSupport", "Threads"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "SendspinTests",
            dependencies: [
                "CGStreamer", "CVirtualDAC", "Durations", "GStreamer", "GstTestSupport", "JSON", "Sendspin",
                "SendspinPlugin", "SendspinProbe", "SendspinProtocol", "SendspinSecurity", "SendspinSupport",
                "Sockets", "TestSupport", "Threads", "WebSocket",
            ], swiftSettings: unoptimized),
        .testTarget(name: "BenchmarkTests", dependencies: ["Benchmarks", "PoolPolicy"], swiftSettings: unoptimized),
        .testTarget(
            name: "PipelineTests", dependencies: ["SendspinProtocol", "SendspinSupport", "TestSupport"],
            swiftSettings: unoptimized),
    ],
    swiftLanguageModes: [.v6]
)
package.targets += fastTargets

/// The sources of `AnalogVideo` once more for processors with AVX2 and FMA, and once more for those with AVX-512.
///
/// Their folders are symbolic links. `AnalogVideoPlayer` picks one of the three when the plugin runs. Arm needs only
/// one build: NEON is its baseline. `#if arch` is the architecture of the host, so a cross build for Arm requires
/// `SWIFTVIDEO_ARCH=aarch64` (or `arm64`) in the environment.
var fastTargets: [Target] {
    if ["aarch64", "arm64"].contains(Context.environment["SWIFTVIDEO_ARCH"]) { return [] }
    #if arch(x86_64)
        return [
            .target(
                name: "AnalogVideoAVX2", dependencies: ["AnalogVideoModel", "CLanes"],
                swiftSettings: safe + [
                    .define("FUSED_MULTIPLY_ADD"), .unsafeFlags(["-Xcc", "-march=x86-64-v3"]),
                ]),
            .target(
                name: "AnalogVideoAVX512", dependencies: ["AnalogVideoModel", "CLanes"],
                swiftSettings: safe + [
                    .define("FUSED_MULTIPLY_ADD"), .define("SIXTEEN_ROWS"),
                    .unsafeFlags(["-Xcc", "-march=x86-64-v4"]),
                ]),
        ]
    #else
        return []
    #endif
}

for target in package.targets where ["AnalogVideoPlayer", "AnalogVideoTests"].contains(target.name) {
    target.dependencies += fastTargets.map { Target.Dependency.byName(name: $0.name) }
}

/// Inputs of libFuzzer for code that reads bytes of others; only `plugin-build/fuzz` builds it.
///
/// The rigs of `SendspinProtocolTests` are symbolic links.
let fuzz = Target.executableTarget(
    name: "Fuzz",
    dependencies: [
        "AnalogVideoModel", "CGStreamer", "Durations", "JSON", "MachineState", "MonitorPolicy", "MonitorServer",
        "SendspinProtocol", "SendspinSecurity", "SendspinSupport", "Sockets", "TestSupport", "ThermalCaps",
        "ThermalPolicy", "Tracing", "WebSocket",
    ], path: "Tests/Fuzz", exclude: ["Seeds"],
    swiftSettings: [.treatAllWarnings(as: .error), .unsafeFlags(["-parse-as-library"])])

let imports = Dictionary(
    uniqueKeysWithValues: (package.targets + [fuzz]).map { ($0.name, $0.dependencies.map(\.name)) })

/// The names with those of all modules below them.
func closure(_ names: Set<String>) -> Set<String> {
    let all = names.union(names.flatMap { imports[$0] ?? [] })
    return all == names ? names : closure(all)
}

// The optimizer copies code of a module, with the sizes of the types below it, into others. SwiftPM compiles a target again
// only if a module that it names has changed (swiftlang/swift-package-manager, issue 10483), so a target names all.
for target in package.targets + [fuzz] {
    target.dependencies = closure(Set(imports[target.name] ?? [])).sorted().map { .byName(name: $0) }
}

/// The targets that the tests in `SWIFTVIDEO_TESTS` need; `plugin-build/test quick` builds no other.
if let names = Context.environment["SWIFTVIDEO_TESTS"] {
    package.targets.append(fuzz)
    let needed = closure(Set(names.split(separator: " ").map(String.init)))
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}

extension Target.Dependency {
    /// The name of a target of this package; the other kinds of dependencies are not used.
    fileprivate var name: String {
        guard case .byNameItem(let name, nil) = self else { fatalError("\(self) is no name of a target") }
        return name
    }
}
