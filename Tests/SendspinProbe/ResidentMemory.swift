import CAllocationCount
import Glibc

/// Measures the memory of this process.
enum ResidentMemory {
    /// Resident memory in kB, without freed memory that malloc keeps, because this amount varies.
    static var kilobytes: Int {
        malloc_trim(0)
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize()) / 1024
    }
}
