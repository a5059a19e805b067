import Foundation
import Testing

/// Tests traces with Perfetto's schema, if `plugin-build/check-trace` has installed the schema.
@Suite struct PerfettoSchemaTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL
    private static let python = package.appending(path: ".build/perfetto/bin/python").path

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: python),
            "Run plugin-build/check-trace to install the schema."))
    func theSchemaHasAllFieldsOfATrace() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfetto-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "example.pftrace").path
        let probe = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "Probe")
        #expect(try Self.run(probe.path, "trace", "file", file).status == 0)
        let reader = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "perfetto_schema.py").path
        let read = try Self.run(Self.python, reader, file)
        #expect(read.status == 0 && read.output.contains("50 frames with flows"), "\(read.output)")
        // The schema of a trace has no field with the number 1000.
        let bytes = try Data(contentsOf: URL(filePath: file)) + [0xC0, 0x3E, 1]
        try bytes.write(to: URL(filePath: file))
        #expect(try Self.run(Self.python, reader, file).status != 0)
    }

    private static func run(_ program: String, _ arguments: String...) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }
}
