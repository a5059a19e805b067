/// Kind of memory of the buffers; the raw values are those of the GEnum `GstAdaptivePoolMemory`.
public enum PoolMemory: Int32, Sendable, CaseIterable {
    /// Memory of this process; a freed buffer of 128 KiB or more returns its pages to the system.
    case system
    /// A file in memory, which other processes can map. The corresponding C type is `GstFdMemory`.
    case memfd
    /// A DMABuf over a file in memory, which devices can import. The corresponding C type is `GstDmaBufMemory`.
    case udmabuf

    /// This kind if the machine provides it; if not, the next simpler kind that it provides, and the reason.
    public var available: (memory: PoolMemory, reason: String?) { available { MemoryMaker.obstacle(to: $0) } }

    /// The value of `available`; `obstacle` returns the reason why a kind is not available, or nil.
    func available(_ obstacle: (PoolMemory) -> String?) -> (memory: PoolMemory, reason: String?) {
        var reasons: [String] = []
        for memory in PoolMemory.allCases.reversed() where memory.rawValue <= rawValue {
            guard memory != .system, let reason = obstacle(memory) else {
                return (memory, reasons.isEmpty ? nil : reasons.joined(separator: "; "))
            }
            reasons.append(reason)
        }
        return (.system, reasons.joined(separator: "; "))
    }
}
