import CGStreamer
import GstTestSupport
import GStreamer
import QueuePolicy
import TestSupport
import Testing

@testable import BackpressureQueue

/// Tests warnings about processors in `cpu-affinity` that the machine does not have.
@Suite struct AffinityTests {
    /// Plays a pipeline to EOS and returns its warnings, each with its debug text.
    private func warnings(_ affinity: String) -> [String] {
        let pipeline = Pipeline("fakesrc num-buffers=5 ! backpressurequeue cpu-affinity=\(affinity) ! fakesink")
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        let posted = pipeline.listen(seconds: 20, details: true)
        #expect(posted.last == "eos", "\(posted)")
        return posted.filter { $0.hasPrefix("warning: ") }
    }

    @Test(arguments: ["0", "performance", "\"\""])
    func existingProcessorsPostNoWarning(affinity: String) { #expect(warnings(affinity) == []) }

    @Test func warningNamesMissingProcessorsAndFallback() {
        let online = ProcessorFiles.online()
        guard case .listed(let numbers) = ProcessorChoice(online) else {
            Issue.record("\(online)")
            return
        }
        let some = warnings("0,1022-1023")
        #expect(some.count == 1, "\(some)")
        for word in [
            "cpu-affinity=0,1022-1023", "have: 1022-1023.", "It has \(ProcessorChoice.text(numbers)).", "on 0 only",
        ] {
            #expect(some.first?.contains(word) == true, "\(some)")
        }
        let none = warnings("1023")
        #expect(none.count == 1 && none.first?.contains("on any of them") == true, "\(none)")
    }

    /// Highest frequencies or capacities of the processors of boards, as users of the boards published them.
    ///
    /// The big cores of an RK3588 have two clusters, whose frequencies may differ. In its mode of 15 W, an Orin NX has
    /// only four of its eight processors.
    @Test(arguments: [
        (
            "rk3588", "0-7", "cpufreq/cpuinfo_max_freq",
            [1_800_000, 1_800_000, 1_800_000, 1_800_000, 2_304_000, 2_304_000, 2_352_000, 2_352_000], "4-7"
        ),
        ("rk3399", "0-5", "cpu_capacity", [381, 381, 381, 381, 1024, 1024], "4-5"),
        ("rk3399 with one big core", "0-4", "cpu_capacity", [381, 381, 381, 381, 1024, 1024], "4"),
        ("orin nano", "0-5", "cpufreq/cpuinfo_max_freq", [Int](repeating: 1_510_400, count: 6), "0-5"),
        ("orin nx at 15 W", "0-3", "cpufreq/cpuinfo_max_freq", [Int](repeating: 1_420_800, count: 4), "0-3"),
        ("pi 5", "0-3", "cpufreq/cpuinfo_max_freq", [Int](repeating: 2_400_000, count: 4), "0-3"),
    ])
    func performanceSelectsTheBigOnlineProcessors(
        board: String, online: String, file: String, values: [Int], chosen: String
    ) throws {
        let folder = "/sys/devices/system/cpu"
        var files = ["\(folder)/online": online + "\n"]
        for (number, value) in values.enumerated() { files["\(folder)/cpu\(number)/\(file)"] = "\(value)\n" }
        let root = try FakeRoot(files)
        let fastest = ProcessorChoice.fastest(ProcessorFiles.speeds(root.path + folder))
        #expect(ProcessorChoice.text(fastest) == chosen, "\(board)")
    }

    @Test func processorsAreListedWithoutSysfs() {
        #expect(ProcessorChoice(ProcessorFiles.online("/no-such-file")) == ProcessorChoice(ProcessorFiles.online()))
    }

    @Test func unreadableProcessorListIsEmpty() {
        #expect(ProcessorFiles.online("/no-such-file", statistics: "/no-such-file") == "")
    }
}
