// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "examples",
    products: [
        .library(name: "gsthello", type: .dynamic, targets: ["Hello"]),
        .library(name: "gstswiftexamples", type: .dynamic, targets: ["SwiftExamples"]),
    ],
    dependencies: [.package(name: "gst-plugins-swift", path: "..")],
    targets: [
        .target(name: "Hello", dependencies: [.product(name: "GStreamer", package: "gst-plugins-swift")]),
        .target(name: "SwiftExamples", dependencies: [.product(name: "GStreamer", package: "gst-plugins-swift")]),
    ]
        + ["Hello", "SwiftExamples"].map { name in
            .testTarget(
                name: "\(name)Tests",
                dependencies: [
                    .byName(name: name), .product(name: "GStreamerApp", package: "gst-plugins-swift"),
                    .product(name: "GStreamerTesting", package: "gst-plugins-swift"),
                ])
        }
        + ["Player", "Stills", "Watch"].map { name in
            .executableTarget(
                name: name,
                dependencies: [
                    .product(name: "GStreamer", package: "gst-plugins-swift"),
                    .product(name: "GStreamerApp", package: "gst-plugins-swift"),
                ])
        },
    swiftLanguageModes: [.v6]
)
