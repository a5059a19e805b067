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

let package = Package(
    name: "gst-plugins-swift",
    products: [
        .library(name: "gstswiftvideo", type: .dynamic, targets: ["SwiftVideoPlugin"]),
        .library(name: "GStreamer", targets: ["GStreamer"]),
    ],
    targets: [
        // MARK: C
        .systemLibrary(name: "CGStreamer", pkgConfig: "gstreamer-video-1.0"),
        .systemLibrary(name: "CGStreamerCheck", pkgConfig: "gstreamer-check-1.0"),
        .target(name: "CPluginEntry", dependencies: ["CGStreamer"]),
        .target(name: "CProcessor"),

        // MARK: Pure logic
        .target(name: "JSON", swiftSettings: safe),
        .target(name: "AnalogVideoModel", dependencies: ["JSON"], swiftSettings: safe),
        .target(name: "StreamControl", swiftSettings: safe),
        .target(name: "AnalogVideo", dependencies: ["AnalogVideoModel"], swiftSettings: safe),
        .target(
            name: "AnalogVideoPlayer",
            dependencies: ["AnalogVideoModel", "AnalogVideo", "CProcessor"] + fastVariants, swiftSettings: safe),

        // MARK: GStreamer
        .target(name: "GStreamer", dependencies: ["CGStreamer"], swiftSettings: bridge),
        .target(
            name: "SwiftVideoPlugin",
            dependencies: ["CPluginEntry", "GStreamer", "StreamControl", "AnalogVideoModel", "AnalogVideoPlayer"],
            swiftSettings: safe),

        // MARK: Benchmarks
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "GStreamer", "AnalogVideoModel", "AnalogVideoPlayer", "StreamControl", "BufferPoolLoad", "CClock",
            ],
            path: "Benchmarks", exclude: ["BufferPoolLoad", "CClock", "Queue", "Thermal", "compare", "realtime"],
            swiftSettings: safe),
        .target(name: "CClock", path: "Benchmarks/CClock"),
        .target(
            name: "BufferPoolLoad", dependencies: ["CGStreamer", "StreamControl"],
            path: "Benchmarks/BufferPoolLoad", swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "QueueBenchmark", dependencies: ["SwiftVideoPlugin", "CPluginEntry", "CGStreamer"],
            path: "Benchmarks/Queue", swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "ThermalBenchmark", dependencies: ["SwiftVideoPlugin", "CPluginEntry", "CGStreamer"],
            path: "Benchmarks/Thermal", swiftSettings: [.treatAllWarnings(as: .error)]),

        // MARK: Tests
        .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: safe),
        .testTarget(name: "AnalogVideoModelTests", dependencies: ["AnalogVideoModel"], swiftSettings: safe),
        .testTarget(
            name: "AnalogVideoTests",
            dependencies: ["AnalogVideoModel", "AnalogVideo", "AnalogVideoPlayer"] + fastVariants,
            swiftSettings: safe),
        .testTarget(name: "StreamControlTests", dependencies: ["StreamControl"], swiftSettings: safe),
        .testTarget(
            name: "BackpressureQueueTests",
            dependencies: [
                "SwiftVideoPlugin", "StreamControl", "GStreamer", "CGStreamer", "CGStreamerCheck",
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "GStreamerTests", dependencies: ["GStreamer", "CGStreamer", "CGStreamerCheck"],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
        .executableTarget(
            name: "AllocationProbe",
            dependencies: ["SwiftVideoPlugin", "CPluginEntry", "CAllocationCount", "CGStreamer", "CGStreamerCheck"],
            path: "Tests/AllocationProbe"),
        .testTarget(
            name: "SwiftVideoPluginTests",
            dependencies: [
                "SwiftVideoPlugin", "AnalogVideoModel", "AnalogVideoPlayer", "CGStreamer", "CGStreamerCheck",
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "StageSupport", dependencies: ["SwiftVideoPlugin", "CPluginEntry", "CGStreamer"],
            path: "Tests/StageSupport", swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "ThermalCapsTests",
            dependencies: ["SwiftVideoPlugin", "GStreamer", "StreamControl", "CGStreamer", "StageSupport"],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(name: "BenchmarkTests", dependencies: ["Benchmarks"], swiftSettings: safe),
        .testTarget(name: "PipelineTests", swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "AdaptivePoolTests",
            dependencies: [
                "GStreamer", "SwiftVideoPlugin", "StreamControl", "CGStreamer", "CGStreamerCheck", "StageSupport",
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]),
    ] + fastTargets,
    swiftLanguageModes: [.v6]
)

/// The sources of `AnalogVideo` once more (its folder is a symbolic link), for processors with AVX2 and FMA.
///
/// `AnalogVideoPlayer` picks one of the two when the plugin runs. Arm needs no second build: NEON is its baseline.
var fastTargets: [Target] {
    #if arch(x86_64)
        [
            .target(
                name: "AnalogVideoAVX2", dependencies: ["AnalogVideoModel"],
                swiftSettings: safe + [
                    .define("FUSED_MULTIPLY_ADD"), .unsafeFlags(["-Xcc", "-march=x86-64-v3"]),
                ])
        ]
    #else
        []
    #endif
}

var fastVariants: [Target.Dependency] { fastTargets.map { .byName(name: $0.name) } }
