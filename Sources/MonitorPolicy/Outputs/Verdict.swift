extension MonitorSnapshot {
    /// Sentences about the reasons why the pipeline is slow; empty if the figures show none.
    public var verdict: [String] {
        [process.waitSentence, bottleneck?.sentence].compactMap { $0 } + findings.map(\.sentence)
    }
}

extension ProcessFigures {
    /// Smallest mean number of waiting threads that matters: one thread for an eighth of its time.
    private static let noticeableWait = 0.125
    /// Smallest value of `cpuWaitShare` that matters.
    private static let noticeableShare = 0.3

    var isShortOfProcessors: Bool {
        (cpuWait ?? 0) >= Self.noticeableWait && (cpuWaitShare ?? 0) >= Self.noticeableShare
    }

    /// Number of processors that other programs use, of those that the process may run on; nil if unknown.
    var otherCPU: Double? {
        guard let machineCPU, let cpu else { return nil }
        return max(machineCPU - cpu, 0)
    }

    /// Describes threads that wait for a processor; nil if the wait does not matter or is unknown.
    var waitSentence: String? {
        guard isShortOfProcessors, let share = cpuWaitShare else { return nil }
        return "waited for a CPU: \(Units.share(share)) of the time that its threads wanted to run" + reason
    }

    private var reason: String {
        guard let machineProcessors, let otherCPU, let cpu else { return "" }
        let all = machineProcessors == 1 ? "its 1 CPU" : "\(machineProcessors) CPUs"
        let stolen = (stolenCPU ?? 0) >= 0.1 ? ", the host of the virtual machine \(Units.number(stolenCPU))" : ""
        // A quota suspends threads even if processors are idle.
        if let processors, processors < Double(machineProcessors), cpu >= 0.8 * processors {
            return "; it uses \(Units.number(cpu)) of the \(Units.number(processors)) CPUs of its quota" + stolen
        }
        if otherCPU >= max(cpu, 0.1) { return "; other programs use \(Units.number(otherCPU)) of \(all)" + stolen }
        return "; it uses \(Units.number(cpu)) of \(all) itself, other programs \(Units.number(otherCPU))" + stolen
    }
}

extension Bottleneck {
    /// Describes the bottleneck in one sentence.
    var sentence: String {
        let queue = "\(Units.printable(queue)) \(queueDrops ? "drops frames" : "is full")"
        let names = elements.map(Units.printable)
        switch kind {
        case .element:
            return "bottleneck: \(names.joined()), \(Units.duration(latency)) a frame at \(Units.number(rate))/s, "
                + "works or waits all the time; \(queue) before it"
        case .sink:
            return "bottleneck: \(names.joined()), the sink, takes \(Units.number(rate)) frames a second; the elements "
                + "before it are fast, and \(queue)"
        case .part:
            let shown = names.prefix(4).joined(separator: ", ") + (names.count > 4 ? " …" : "")
            return "bottleneck: behind \(Units.printable(self.queue)), which "
                + "\(queueDrops ? "drops frames" : "is full"): \(shown)"
        }
    }
}

extension Finding {
    /// A network that delivers packets too late, or not at all, to the jitter buffer `element`.
    ///
    /// `share` is the share of such packets, and `latency` the time for which the jitter buffer waits.
    static func network(isLate: Bool, element: String, share: Double, latency: Duration?) -> Finding {
        let packets = "\(Units.printable(element)), \(Units.share(share)) of the packets"
        let wait = latency.map { " of \(Units.duration($0))" } ?? ""
        let sentence =
            isLate
            ? "network late: \(packets) arrived later than its latency\(wait) permits, and were dropped; "
                + "increase its property latency"
            : "network lossy: \(packets) never arrived; let the sender repeat or protect them, or lower its bitrate"
        return Finding(title: isLate ? "network late" : "network lossy", element: element, sentence: sentence)
    }

    /// A source that delivers fewer frames than its caps announce, although no downstream element is slow.
    static func slowSource(_ element: String, rate: Double, framerate: Double, queues: [String]) -> Finding {
        let names = queues.prefix(4).map(Units.printable).joined(separator: ", ") + (queues.count > 4 ? " …" : "")
        let rates = "\(Units.number(rate)) frames a second instead of the \(Units.number(framerate)) of its caps"
        let sentence =
            "source slow: \(Units.printable(element)), \(rates); \(names) behind it "
            + "\(queues.count > 1 ? "are" : "is") nearly empty. Check its exposure, its connection, or its own work"
        return Finding(title: "source slow", element: element, sentence: sentence)
    }

    /// Memory that the process still holds, in bytes, after raw frames piled up in `queue` and left it.
    static func keptMemory(_ bytes: UInt64, queue: String) -> Finding {
        Finding(
            title: nil, element: queue,
            sentence: "memory kept: \(Units.bytes(bytes)) more than before frames piled up in "
                + "\(Units.printable(queue)), which is nearly empty again; adaptivepool behind the element that makes "
                + "them returns such memory")
    }
}
