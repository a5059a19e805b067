import MachineState
import Testing

@Suite struct ProcessMemoryTests {
    @Test func readsAllKindsOfMemory() {
        let memory = ProcessUsage.Memory(status: "Name:\tVmRSS: 9 kB\nVmHWM:\t    2000 kB\nVmRSS:\t    1760 kB\n")
        #expect(memory.resident == 1760 * 1024 && memory.peak == 2000 * 1024)
    }

    @Test func peakIsNeverBelowTheResidentMemory() {
        let memory = ProcessUsage.Memory(status: "VmHWM:\t 10 kB\nVmRSS:\t 12 kB\n")
        #expect(memory.peak == 12 * 1024)
    }

    @Test func memoryIsUnknownWithoutItsLines() {
        let memory = ProcessUsage.Memory(status: "")
        #expect(memory.resident == nil && memory.peak == nil)
    }
}
