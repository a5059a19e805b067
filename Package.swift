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

/// Tests that take less time to run than to optimize.
let unoptimized: [SwiftSetting] = [.treatAllWarnings(as: .error), .unsafeFlags(["-Onone"])]

let package = Package(
    name: "gst-plugins-swift",
    products: [
        .library(name: "gstswiftvideo", type: .dynamic, targets: ["SwiftVideoPlugin"]),
        .library(name: "gstsendspin", type: .dynamic, targets: ["SendspinPlugin"]),
        .library(name: "GStreamer", targets: ["GStreamer", "Threads", "Durations"]),
    ],
    targets: [
        // MARK: C
        .systemLibrary(name: "CGStreamer", pkgConfig: "gstreamer-video-1.0"),
        .systemLibrary(name: "CGStreamerCheck", pkgConfig: "gstreamer-check-1.0"),
        .target(name: "CPluginEntry", dependencies: ["CGStreamer"]),
        .target(name: "CLanes"),
        .target(name: "CProcessor"),
        .target(name: "CSockets"),
        .target(name: "CThreads"),
        .target(name: "CTracing"),
        .target(name: "CSendspinPluginEntry", dependencies: ["CGStreamer"]),
        .systemLibrary(name: "CAvahi", pkgConfig: "avahi-client"),
        .systemLibrary(name: "CGIO", pkgConfig: "gio-2.0"),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
        .systemLibrary(name: "CStreamVolume", pkgConfig: "gstreamer-audio-1.0"),

        // MARK: Pure logic
        .target(name: "Durations", swiftSettings: safe),
        .target(name: "JSON", swiftSettings: safe),
        .target(name: "AnalogVideoModel", dependencies: ["Durations", "JSON"], swiftSettings: safe),
        .target(name: "MachineState", path: "Sources/MachineSensors/State", swiftSettings: safe),
        .target(name: "Statistics", dependencies: ["Durations"], swiftSettings: safe),
        .target(name: "Threads", dependencies: ["CProcessor", "CThreads", "Durations"], swiftSettings: safe),
        .target(name: "Tracing", dependencies: ["CTracing", "Durations", "Threads"], swiftSettings: safe),
        .target(
            name: "QueuePolicy", dependencies: ["Durations"], path: "Sources/BackpressureQueue/Policy",
            swiftSettings: safe),
        .target(name: "PoolPolicy", path: "Sources/AdaptivePool/Policy", swiftSettings: safe),
        .target(
            name: "ThermalPolicy", dependencies: ["MachineState"], path: "Sources/ThermalCaps/Policy",
            swiftSettings: safe),
        .target(
            name: "MonitorPolicy", dependencies: ["Durations", "JSON", "MachineState", "Statistics", "Threads"],
            path: "Sources/PerformanceMonitor/Policy", swiftSettings: safe),
        .target(name: "AnalogVideo", dependencies: ["AnalogVideoModel", "CLanes"], swiftSettings: safe),
        .target(
            name: "AnalogVideoPlayer",
            dependencies: ["AnalogVideoModel", "AnalogVideo", "CProcessor"] + fastVariants, swiftSettings: safe),

        // MARK: The machine
        .target(
            name: "MachineSensors", dependencies: ["MachineState", "CProcessor", "Durations", "Threads"],
            path: "Sources/MachineSensors/Reader", swiftSettings: safe),

        .target(
            name: "MonitorServer", dependencies: ["CSockets", "Durations", "Threads"],
            path: "Sources/PerformanceMonitor/Server", swiftSettings: safe),

        .target(
            name: "MonitorDashboard", path: "Sources/PerformanceMonitor/Dashboard",
            resources: [.embedInCode("dashboard.html")], swiftSettings: safe),

        // MARK: GStreamer
        .target(name: "GStreamer", dependencies: ["CGStreamer", "Durations", "Threads"], swiftSettings: bridge),
        .target(name: "FrameTracking", dependencies: ["CGStreamer", "GStreamer", "Threads"], swiftSettings: bridge),
        .target(
            name: "QueueQueries", dependencies: ["CGStreamer", "Durations", "GStreamer"],
            path: "Sources/BackpressureQueue/Engine", swiftSettings: bridge),
        .target(
            name: "BackpressureQueue",
            dependencies: [
                "CProcessor", "Durations", "FrameTracking", "GStreamer", "MachineSensors", "QueuePolicy",
                "QueueQueries", "Statistics", "Threads", "Tracing",
            ],
            path: "Sources/BackpressureQueue/Element", swiftSettings: safe),
        .target(
            name: "SwiftVideoPlugin",
            dependencies: [
                "CPluginEntry", "GStreamer", "AdaptivePool", "BackpressureQueue", "NTSCFilter", "PerformanceMonitor",
                "ThermalCaps", "Tracing",
            ], swiftSettings: safe),
        .target(
            name: "EncoderControls", dependencies: ["CGStreamer", "GStreamer"], path: "Sources/ThermalCaps/Engine",
            swiftSettings: bridge),
        .target(
            name: "ThermalCaps",
            dependencies: [
                "Durations", "EncoderControls", "GStreamer", "MachineSensors", "MachineState", "ThermalPolicy",
                "Threads", "Tracing",
            ],
            path: "Sources/ThermalCaps/Element", swiftSettings: safe),
        .target(name: "SmallFiles", dependencies: ["GStreamer"], swiftSettings: safe),
        .target(
            name: "TaskTeams", dependencies: ["CGStreamer", "GStreamer", "Threads"], path: "Sources/NTSCFilter/Engine",
            swiftSettings: bridge),
        .target(
            name: "NTSCFilter",
            dependencies: ["GStreamer", "AnalogVideoModel", "AnalogVideoPlayer", "SmallFiles", "TaskTeams", "Tracing"],
            path: "Sources/NTSCFilter/Element", swiftSettings: safe),
        .target(
            name: "ElasticPool",
            dependencies: ["CGStreamer", "FrameTracking", "GStreamer", "PoolPolicy", "Threads", "Tracing"],
            path: "Sources/AdaptivePool/Engine", swiftSettings: bridge),
        .target(
            name: "MonitorEngine",
            dependencies: ["CGStreamer", "CProcessor", "GStreamer", "MonitorPolicy", "Threads", "Tracing"],
            path: "Sources/PerformanceMonitor/Engine", swiftSettings: bridge),
        .target(
            name: "PerformanceMonitor",
            dependencies: [
                "Durations", "GStreamer", "MachineSensors", "MachineState", "MonitorDashboard", "MonitorEngine",
                "MonitorPolicy", "MonitorServer", "SmallFiles", "Threads", "Tracing",
            ], path: "Sources/PerformanceMonitor/Element", swiftSettings: safe),
        .target(
            name: "AdaptivePool",
            dependencies: [
                "ElasticPool", "GStreamer", "MachineSensors", "MachineState", "PoolPolicy", "Statistics", "Threads",
            ],
            path: "Sources/AdaptivePool/Element", swiftSettings: safe),

        // MARK: Sendspin
        .target(name: "WebSocketFraming", path: "Sources/WebSocket/Framing", swiftSettings: safe),
        .target(
            name: "WebSocketConnection",
            dependencies: ["CGIO", "CSockets", "Durations", "Threads", "WebSocketFraming"],
            path: "Sources/WebSocket/Connection", swiftSettings: bridge),
        .target(
            name: "SendspinWire", dependencies: ["Durations", "JSON"], path: "Sources/Sendspin/Wire",
            swiftSettings: safe),
        .target(
            name: "SendspinNoise", dependencies: ["CSodium", "Threads"], path: "Sources/Sendspin/Noise",
            swiftSettings: bridge),
        .target(
            name: "SendspinTiming", dependencies: ["Durations"], path: "Sources/Sendspin/Timing", swiftSettings: safe),
        .target(
            name: "SendspinPlayout", dependencies: ["Durations"], path: "Sources/Sendspin/Playout", swiftSettings: safe),
        .target(
            name: "SendspinSession",
            dependencies: ["Durations", "JSON", "SendspinNoise", "SendspinTiming", "SendspinWire"],
            path: "Sources/Sendspin/Session", swiftSettings: safe),
        .target(
            name: "SendspinStore", dependencies: ["JSON", "SendspinNoise"], path: "Sources/Sendspin/Store",
            swiftSettings: safe),
        .target(
            name: "ServiceDiscovery", dependencies: ["CAvahi", "CSockets", "Durations", "Threads"],
            path: "Sources/Sendspin/Discovery", swiftSettings: bridge),
        .target(name: "StreamVolume", dependencies: ["CStreamVolume", "GStreamer"], swiftSettings: bridge),
        .target(
            name: "AudioSinks", dependencies: ["CGStreamer", "Durations", "GStreamer", "Threads"],
            path: "Sources/Sendspin/Engine", swiftSettings: bridge),
        .target(
            name: "Sendspin",
            dependencies: [
                "AudioSinks", "Durations", "GStreamer", "JSON", "SendspinNoise", "SendspinPlayout", "SendspinSession",
                "SendspinStore", "SendspinTiming", "SendspinWire", "ServiceDiscovery", "Statistics", "StreamVolume",
                "Threads", "WebSocketConnection", "WebSocketFraming",
            ], path: "Sources/Sendspin/Element", swiftSettings: safe),
        .target(
            name: "SendspinPlugin", dependencies: ["CSendspinPluginEntry", "GStreamer", "Sendspin"],
            swiftSettings: safe),

        // MARK: Benchmarks
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Durations", "GStreamer", "AnalogVideoModel", "AnalogVideoPlayer", "NTSCFilter", "PoolPolicy",
                "PoolSimulation", "SmallFiles", "BufferPoolLoad", "CClock", "TaskTeams",
            ],
            path: "Benchmarks",
            exclude: [
                "AB", "Batch", "BufferPoolLoad", "CClock", "Inference", "LookFigures", "Looks", "Monitor",
                "OrdinaryAudio", "OrdinaryPipelines", "PoolSimulation", "Queue", "Shared", "Speed", "Thermal", "plans",
                "ab", "batch", "compare", "inference", "load", "looks", "monitor", "ordinary", "ordinary-audio",
                "overload", "realtime", "speed",
            ],
            swiftSettings: safe),
        .target(name: "CClock", path: "Benchmarks/CClock"),
        .target(
            name: "PoolSimulation", dependencies: ["PoolPolicy"], path: "Benchmarks/PoolSimulation", swiftSettings: safe
        ),
        .target(
            name: "BufferPoolLoad", dependencies: ["CGStreamer", "PoolSimulation"],
            path: "Benchmarks/BufferPoolLoad", swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "QueueBenchmark", dependencies: ["SwiftVideoPlugin", "CPluginEntry", "CGStreamer"],
            path: "Benchmarks/Queue", swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "SpeedBenchmark", dependencies: ["AnalogVideoModel", "AnalogVideoPlayer"], path: "Benchmarks/Speed",
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "LookFigures", dependencies: ["AnalogVideoModel", "AnalogVideoPlayer"],
            path: "Benchmarks/LookFigures", swiftSettings: safe),
        .executableTarget(
            name: "LookBenchmark", dependencies: ["AnalogVideoModel", "LookFigures"], path: "Benchmarks/Looks",
            swiftSettings: safe),
        .executableTarget(
            name: "ThermalBenchmark", dependencies: ["SwiftVideoPlugin", "CPluginEntry", "CGStreamer"],
            path: "Benchmarks/Thermal", swiftSettings: [.treatAllWarnings(as: .error)]),

        // MARK: Tests
        .testTarget(name: "DurationsTests", dependencies: ["Durations"], swiftSettings: unoptimized),
        .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: unoptimized),
        .testTarget(name: "AnalogVideoModelTests", dependencies: ["AnalogVideoModel"], swiftSettings: safe),
        .testTarget(
            name: "AnalogVideoTests",
            dependencies: [
                "AnalogVideoModel", "AnalogVideo", "AnalogVideoPlayer", "GoldenSupport", "LookFigures",
            ] + fastVariants, swiftSettings: safe),
        .target(
            name: "GoldenSupport", dependencies: ["AnalogVideoModel", "AnalogVideoPlayer"],
            path: "Tests/GoldenSupport", swiftSettings: safe),
        .executableTarget(
            name: "GoldenCheck", dependencies: ["AnalogVideoPlayer", "GoldenSupport"], path: "Tests/GoldenCheck",
            swiftSettings: safe),
        .testTarget(name: "QueuePolicyTests", dependencies: ["QueuePolicy"], swiftSettings: safe),
        .testTarget(name: "StatisticsTests", dependencies: ["Statistics"], swiftSettings: unoptimized),
        .testTarget(
            name: "MonitorPolicyTests", dependencies: ["MonitorPolicy", "JSON", "Statistics"],
            swiftSettings: unoptimized),
        .testTarget(name: "ThreadsTests", dependencies: ["Threads", "Tracing"], swiftSettings: unoptimized),
        .executableTarget(
            name: "TracingProbe", dependencies: ["Tracing", "CAllocationCount"], path: "Tests/TracingProbe"),
        .testTarget(
            name: "TracingTests", dependencies: ["Tracing", "CTracing", "TraceSupport"],
            exclude: ["perfetto_schema.py"], swiftSettings: unoptimized),
        .target(name: "Patience", path: "Tests/Patience", swiftSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "ServerSupport", dependencies: ["Patience"], path: "Tests/ServerSupport",
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "TraceSupport", path: "Tests/TraceSupport", swiftSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CTraceStandIn", path: "Tests/CTraceStandIn"),
        .executableTarget(
            name: "SpanProbe",
            dependencies: ["SwiftVideoPlugin", "CPluginEntry", "CTraceStandIn", "CGStreamer", "CGStreamerCheck"],
            path: "Tests/SpanProbe",
            // The plugin looks the functions of CTraceStandIn up by name.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic"])]),
        .testTarget(name: "PoolPolicyTests", dependencies: ["PoolPolicy"], swiftSettings: unoptimized),
        .testTarget(
            name: "PoolSimulationTests", dependencies: ["PoolPolicy", "PoolSimulation"], swiftSettings: unoptimized),
        .testTarget(
            name: "ThermalPolicyTests", dependencies: ["ThermalPolicy", "MachineState"], swiftSettings: unoptimized),
        .target(name: "CTestStart", dependencies: ["CGStreamer"], path: "Tests/CTestStart"),
        .target(
            name: "GstTestSupport",
            dependencies: [
                "SwiftVideoPlugin", "CPluginEntry", "CGStreamer", "CGStreamerCheck", "CTestStart", "Patience",
            ], path: "Tests/GstTestSupport", swiftSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "MachineSupport", path: "Tests/MachineSupport", swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "MachineSensorsTests",
            dependencies: ["MachineSensors", "MachineState", "MachineSupport", "GstTestSupport", "Threads"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "BackpressureQueueTests",
            dependencies: [
                "BackpressureQueue", "QueuePolicy", "GStreamer", "CGStreamer", "GstTestSupport",
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "GStreamerTests",
            dependencies: [
                "GStreamer", "CGStreamer", "CGStreamerCheck", "CStreamVolume", "GstTestSupport", "StreamVolume",
                "Threads",
            ],
            swiftSettings: unoptimized),
        .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
        .executableTarget(
            name: "AllocationProbe",
            dependencies: ["SwiftVideoPlugin", "CPluginEntry", "CAllocationCount", "CGStreamer", "CGStreamerCheck"],
            path: "Tests/AllocationProbe"),
        .executableTarget(
            name: "FrameTrackingProbe",
            dependencies: ["FrameTracking", "GStreamer", "Threads", "CGStreamer", "CGStreamerCheck"],
            path: "Tests/FrameTrackingProbe", swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "SwiftVideoPluginTests",
            dependencies: [
                "SwiftVideoPlugin", "BackpressureQueue", "FrameTracking", "QueuePolicy", "ThermalCaps", "NTSCFilter",
                "AnalogVideoModel", "GStreamer", "GstTestSupport", "MonitorPolicy", "PerformanceMonitor",
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "NTSCFilterTests",
            dependencies: [
                "NTSCFilter", "TaskTeams", "AnalogVideoModel", "AnalogVideoPlayer", "GStreamer", "CGStreamer",
                "CGStreamerCheck", "GstTestSupport",
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "ThermalCapsTests",
            dependencies: [
                "EncoderControls", "ThermalCaps", "ThermalPolicy", "MachineState", "MachineSupport", "GStreamer",
                "CGStreamer", "CGStreamerCheck", "GstTestSupport", "Threads",
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "PerformanceMonitorTests",
            dependencies: [
                "CGStreamer", "GStreamer", "GstTestSupport", "MachineState", "MonitorEngine", "MonitorPolicy",
                "ServerSupport", "ThermalPolicy", "TraceSupport",
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "MonitorServerTests", dependencies: ["MonitorServer", "ServerSupport"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "MonitorDashboardTests", dependencies: ["MonitorDashboard", "MonitorServer", "Threads"],
            exclude: ["browser.py", "snapshots.py"], swiftSettings: unoptimized),
        .testTarget(
            name: "WebSocketTests",
            dependencies: [
                "CGIO", "Durations", "Patience", "ServerSupport", "Threads", "WebSocketConnection", "WebSocketFraming",
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "SendspinWireTests", dependencies: ["JSON", "SendspinSupport", "SendspinWire"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "SendspinSupportTests",
            dependencies: [
                "JSON", "Patience", "SendspinNoise", "SendspinSession", "SendspinSupport",
                "SendspinTiming", "SendspinWire", "Threads", "WebSocketConnection", "WebSocketFraming",
            ], swiftSettings: unoptimized),
        .executableTarget(
            name: "SendspinStoreProbe", dependencies: ["SendspinNoise", "SendspinStore"],
            path: "Tests/SendspinStoreProbe", swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "SendspinNoiseTests", dependencies: ["SendspinNoise", "SendspinStore", "SendspinStoreProbe"],
            exclude: ["Noise/vectors.json", "Noise/vectors.py"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "SendspinTimingTests", dependencies: ["Durations", "SendspinTiming"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "SendspinPlayoutTests", dependencies: ["Durations", "SendspinPlayout"],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "SendspinSessionTests",
            dependencies: [
                "Durations", "JSON", "SendspinNoise", "SendspinSession", "SendspinSupport", "SendspinTiming",
                "SendspinWire",
            ], swiftSettings: unoptimized),
        .target(
            name: "DiscoverySupport", dependencies: ["CTestStart"], path: "Tests/DiscoverySupport",
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "ServiceDiscoveryTests",
            dependencies: ["DiscoverySupport", "Patience", "ServiceDiscovery", "Threads"],
            swiftSettings: unoptimized),
        .target(
            name: "SendspinSupport",
            dependencies: [
                "Durations", "JSON", "Patience", "SendspinNoise", "SendspinWire", "Threads",
                "WebSocketConnection", "WebSocketFraming",
            ], path: "Tests/SendspinSupport", swiftSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "CVirtualDAC", dependencies: ["CGStreamer"], path: "Tests/CVirtualDAC",
            linkerSettings: [.linkedLibrary("gstaudio-1.0"), .linkedLibrary("gstbase-1.0")]),
        .executableTarget(
            name: "SendspinProbe",
            dependencies: [
                "CAllocationCount", "CGStreamer", "CSendspinPluginEntry", "CVirtualDAC", "DiscoverySupport",
                "GstTestSupport", "SendspinNoise", "SendspinPlugin", "SendspinSupport", "SendspinWire",
                "ServiceDiscovery", "Threads",
            ], path: "Tests/SendspinProbe", swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "SendspinTests",
            dependencies: [
                "CGStreamer", "CSendspinPluginEntry", "CVirtualDAC", "Durations", "GStreamer", "GstTestSupport", "JSON",
                "Patience", "Sendspin", "SendspinNoise", "SendspinPlayout", "SendspinPlugin", "SendspinProbe",
                "SendspinStore", "SendspinTiming",
                "SendspinSupport", "SendspinWire", "ServerSupport", "Threads", "WebSocketConnection",
                "WebSocketFraming",
            ], swiftSettings: unoptimized),
        .testTarget(name: "BenchmarkTests", dependencies: ["Benchmarks"], swiftSettings: unoptimized),
        .testTarget(
            name: "PipelineTests", dependencies: ["Patience", "SendspinSupport", "SendspinWire"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AdaptivePoolTests",
            dependencies: [
                "AdaptivePool", "ElasticPool", "PoolPolicy", "GStreamer", "MachineState", "MachineSupport",
                "CGStreamer", "CGStreamerCheck", "GstTestSupport", "Threads",
            ],
            swiftSettings: unoptimized),
    ] + fastTargets,
    swiftLanguageModes: [.v6]
)

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

var fastVariants: [Target.Dependency] { fastTargets.map { .byName(name: $0.name) } }

/// Inputs of libFuzzer for code that reads bytes of others; only `plugin-build/fuzz` builds it.
///
/// The rigs of `SendspinSessionTests` are symbolic links.
let fuzz = Target.executableTarget(
    name: "Fuzz",
    dependencies: [
        "AnalogVideoModel", "CGStreamer", "Durations", "JSON", "MachineState", "MonitorPolicy",
        "MonitorServer", "SendspinNoise", "SendspinPlayout", "SendspinSession", "SendspinSupport", "SendspinTiming",
        "SendspinWire", "ThermalCaps", "ThermalPolicy", "TraceSupport", "Tracing", "WebSocketFraming",
    ], path: "Tests/Fuzz", exclude: ["Seeds"],
    swiftSettings: [.treatAllWarnings(as: .error), .unsafeFlags(["-parse-as-library"])])

/// The targets that the tests in `SWIFTVIDEO_TESTS` need; `plugin-build/test quick` builds no other.
if let names = Context.environment["SWIFTVIDEO_TESTS"] {
    package.targets.append(fuzz)
    var needed = Set(names.split(separator: " ").map(String.init))
    for _ in package.targets {
        for target in package.targets where needed.contains(target.name) {
            for case .byNameItem(let name, _) in target.dependencies { needed.insert(name) }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
