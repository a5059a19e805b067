import Foundation
import SendspinSecurity
import Testing

@Suite struct StoreProcessTests {
    @Test func processesThatStartTogetherGetTheSameIdentity() throws {
        let home = try StoreHome()
        let probes = try (0..<6).map { _ in try StoreProbe("identity", home.folder) }
        let lines = probes.map { $0.output() }
        let identity = try home.store.loadIdentity().publicKey.id
        #expect(Set(lines) == ["\(identity) \(try home.store.loadPairingKey().id)\n"])
    }

    @Test func processesLoseNoRecord() throws {
        let home = try StoreHome()
        let probes = try (0..<4).map { _ in try StoreProbe("keep", home.folder, "4") }
        let servers = probes.flatMap { $0.output().split(separator: "\n").map(String.init) }
        #expect(servers.count == Store.maximumRecordCount)
        #expect(Set(try home.store.loadRecords().value.map(\.server.id)) == Set(servers))
    }

    @Test func processesLoseNoChangeOfTheState() throws {
        let home = try StoreHome()
        let probes = try (0..<4).map { _ in try StoreProbe("count", home.folder, "20") }
        for probe in probes { #expect(probe.output() == "") }
        #expect(try home.store.loadState().value.volume == 80)
    }

    @Test func failedWriteKeepsTheOldFile() throws {
        let home = try StoreHome()
        let record = PairingRecord(server: KeyPair.generate().publicKey, key: .generate())
        try home.store.keep(record)
        let before = try home.names()
        #expect(try StoreProbe("full", home.folder).output() == "unwritable\n")
        #expect(try home.store.loadRecords() == Stored(value: [record], damage: nil))
        #expect(try home.names() == before)
    }

    @Test func killedProcessLeavesReadableFiles() throws {
        let home = try StoreHome()
        for _ in 0..<10 {
            let probe = try StoreProbe("forever", home.folder)
            // The process begins to store pairings after it has printed its first line.
            #expect(probe.firstBytes() == "started\n")
            var stored = try home.store.loadRecords()
            let first = stored.value.first
            while probe.isRunning, stored.value.first == first { stored = try home.store.loadRecords() }
            #expect(probe.isRunning)
            probe.kill()
            stored = try home.store.loadRecords()
            #expect(stored.damage == nil)
            #expect(!stored.value.isEmpty)
            try home.store.keep(PairingRecord(server: KeyPair.generate().publicKey, key: .generate()))
        }
    }
}

/// A run of `SendspinProbe store`.
private final class StoreProbe {
    private let process = Process()
    private let pipe = Pipe()

    init(_ arguments: String...) throws {
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("SendspinProbe")
        process.arguments = ["store"] + arguments
        process.standardOutput = pipe
        try process.run()
    }

    deinit { kill() }

    /// Waits for the end of the process, and returns its output.
    func output() -> String {
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    var isRunning: Bool { process.isRunning }

    func firstBytes() -> String { String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self) }

    func kill() {
        guard process.isRunning else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
