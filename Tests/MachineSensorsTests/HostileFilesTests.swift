import Foundation
import MachineState
import TestSupport
import Synchronization
import Testing

@testable import MachineSensors

/// Tests files with texts that no kernel writes.
@Suite struct HostileFilesTests {
    private static let texts: [String] = [
        "", "\n", "\n\n\n", " ", "-1\n", "-9223372036854775808\n", "18446744073709551615\n", "18446744073709551616\n",
        "9223372036854775808 9223372036854775808 9223372036854775808\n", String(repeating: "9", count: 9000),
        "1e308\n", "nan\n", "+5\n", "0x10\n", "12", "123 45", "\u{0}\u{0}\u{0}", "🙂\n", "\u{fffd}\u{fffd}: 5 kB\n",
        "VmRSS:", "VmRSS:\t 18446744073709551615 kB\nVmHWM:\t-5 kB\n",
        "Cpus_allowed_list:\t0-18446744073709551615\n", "Cpus_allowed_list:\t5-2,,-\n", "0-65535,0-65535\n", "0-\n",
        "1 (" + String(repeating: ")", count: 5000), "7 (a) S " + String(repeating: "18446744073709551615 ", count: 40),
        "0::/" + String(repeating: "../", count: 100), "3:cpu:/" + String(repeating: "a/", count: 5000), "max max\n",
        "1 0\n", "0 1\n", "18446744073709551615 1\n", "Discharging\n", "Battery\n", "package-0\n",
    ]

    private func files(_ text: @escaping @Sendable (String) -> FileContent) -> SystemFiles {
        SystemFiles(
            read: text,
            list: { path, _ in
                if path.hasSuffix("task") { return ["1", "2", "-3", "0", "99999999999", "x", "2147483647"] }
                if path.hasSuffix("powercap") { return ["intel-rapl:0", "intel-rapl:", ":", "intel-rapl"] }
                if path.hasSuffix("class/hwmon") { return ["hwmon0"] }
                if path.hasSuffix("hwmon0") { return ["energy1_input", "power1_input", "in1_input", "curr1_input"] }
                if path.hasSuffix("power_supply") { return ["BAT0"] }
                return ["iio:device0", "in_power0_input"]
            })
    }

    private func readAll(_ files: SystemFiles) {
        let root = MachineRoot(folder: "/nowhere")
        var usage = ProcessUsageReader(root, files: files)
        var energy = EnergyReader(root, files: files)
        for second in [0, 1, 2, 1, 1, 20, 1_000_000_000] {
            let read = usage.read(at: .seconds(second))
            #expect(read.cores.map { $0 >= 0 && $0.isFinite } ?? true)
            #expect(read.processors.map { $0 > 0 && $0.isFinite } ?? true)
            _ = files.read("/nowhere/proc/self/status").text.map(ProcessUsage.Memory.init(status:))
            let measured = energy.read(at: .seconds(second))
            #expect(measured.joules.map { $0 >= 0 && $0.isFinite } ?? true)
            #expect(measured.watts.map { $0 >= 0 && $0.isFinite } ?? true)
        }
    }

    @Test(arguments: texts) func readersNeitherTrapNorLeaveTheirBounds(text: String) {
        readAll(files { _ in .text(text) })
    }

    @Test(arguments: 1...100) func readersBearFilesThatChangeAtRandom(seed: UInt64) {
        let random = Mutex(Random(seed: seed))
        readAll(
            files { _ in
                random.withLock { random in
                    if random.next() % 8 == 0 { return [.absent, .denied, .unreadable][Int(random.next() % 3)] }
                    if random.next() % 2 == 0 {
                        return .text(Self.texts[Int(random.next() % UInt64(Self.texts.count))])
                    }
                    let bytes = (0..<random.next() % 200).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                    return .text(String(decoding: bytes, as: UTF8.self))
                }
            })
    }

    @Test func valuesBeyondTheirRangeAreRefused() {
        #expect(ThreadTime.times(schedstat: "18446744073709551615 0 1\n")?.ran == nil)
        #expect(ThreadTime.times(schedstat: "123456")?.ran == nil)
        #expect(ThreadTime.times(schedstat: "0 0 0\n")?.ran == nil)
        #expect(ThreadTime.times(schedstat: "5 0 1\n")?.ran == .nanoseconds(5))
        #expect(ThreadTime.processTime(stat: "1 (x) S 1 2 3\n") == nil)
        #expect(ProcessorLimit.count(list: "0-3,8\n") == 5)
        for list in ["", "0-99999999999999999999", "5-2", "0,,1", "a", "0-1-2", "65536"] {
            #expect(ProcessorLimit.count(list: list) == nil)
        }
        #expect(ProcessorLimit.quota(maximum: "max 100000\n") == nil)
        #expect(ProcessorLimit.quota("-1\n", period: "100000\n") == nil)
    }

    @Test func pipesFoldersAndLongFilesAreUnreadable() throws {
        let root = try FakeRoot(
            ["/long": String(repeating: "a", count: 16_385), "/full": String(repeating: "a", count: 16_384)],
            pipes: ["/pipe"])
        #expect(SystemFiles.content(at: root.path + "/pipe") == .unreadable)
        #expect(SystemFiles.content(at: root.path) == .unreadable)
        #expect(SystemFiles.content(at: root.path + "/long") == .unreadable)
        #expect(SystemFiles.content(at: root.path + "/full").text?.utf8.count == 16_384)
        #expect(SystemFiles.content(at: root.path + "/none") == .absent)
        #expect(SystemFiles.names(in: root.path, most: 2).count == 2)
    }
}
