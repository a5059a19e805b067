import MachineState

/// Reads how many processors the process may use.
struct ProcessorLimitFiles: Sendable {
    let root: MachineRoot
    let files: SystemFiles

    /// The processors of the machine, and those that the process may use: its affinity and the quotas of its groups.
    func read() -> (present: Int?, usable: Double?) {
        let present = text("/sys/devices/system/cpu/present").flatMap { ProcessorLimit.count(list: $0) }
        let allowed = files.read(root.processes + "/self/status").text.flatMap(ProcessorLimit.allowed)
        let groups =
            files.read(root.processes + "/self/cgroup").text
            .map { ControlGroup.lineage($0, controller: "cpu") } ?? []
        let limits = [(allowed ?? present).map { Double($0) }] + groups.map(quota)
        // The main thread may be allowed more than the files of a test contain.
        return (present.map { max($0, allowed ?? 0) } ?? allowed, limits.compactMap { $0 }.min())
    }

    private func quota(_ group: ControlGroup) -> Double? {
        if group.isVersion2 { return text(group.folder + "/cpu.max").flatMap(ProcessorLimit.quota(maximum:)) }
        guard let quota = text(group.folder + "/cpu.cfs_quota_us"),
            let period = text(group.folder + "/cpu.cfs_period_us")
        else { return nil }
        return ProcessorLimit.quota(quota, period: period)
    }

    /// `path` begins with `/sys`.
    private func text(_ path: String) -> String? { files.read(root.system + path.dropFirst(4)).text }
}
