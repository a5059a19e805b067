import MachineState

/// Reads whether memory is short from the files of the kernel and of the process's control groups.
struct MemoryFiles: Sendable {
    let root: MachineRoot
    let read: @Sendable (String) -> String?

    func readAll() -> MemoryState {
        var state = MemoryState.unknown
        if let pressure = read(root.processes + "/pressure/memory") { state = MemoryState.fromPressure(pressure) }
        let groups = read(root.processes + "/self/cgroup").map(ControlGroup.lineage) ?? []
        for group in groups { state = state.and(groupState(group)) }
        return state
    }

    private func groupState(_ group: ControlGroup) -> MemoryState {
        func text(_ path: String) -> String? { read(path.hasPrefix("/sys") ? root.system + path.dropFirst(4) : path) }
        var state = MemoryState.unknown
        if let pressure = group.pressureFile.flatMap(text) { state = .fromPressure(pressure) }
        guard let current = text(group.usageFile), let limit = text(group.limitFile) else { return state }
        return state.and(.fromUse(current: current, limit: limit, statistics: text(group.statisticsFile) ?? ""))
    }
}
