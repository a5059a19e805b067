import Glibc

/// Resident memory of a process in bytes, by default of the current process; 0 if the process does not exist.
public func residentMemory(of process: pid_t = getpid()) -> Int {
    let file = fopen("/proc/\(process)/statm", "r")
    defer { if let file { fclose(file) } }
    var bytes = [CChar](repeating: 0, count: 128)
    guard let file, fgets(&bytes, 128, file) != nil else { return 0 }
    let text = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
}
