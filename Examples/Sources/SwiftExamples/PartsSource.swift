import Glibc
import GStreamer

/// Reads a file that was divided into parts, such as `film.mkv.001`, `film.mkv.002` and so on, as one file.
///
///     split -b 100M -d -a 3 --numeric-suffixes=1 film.mkv film.mkv.
///     gst-launch-1.0 swiftpartssrc location=film.mkv ! decodebin ! autovideosink
struct PartsSource: RandomAccessSource, ~Copyable {
    static let factoryName = "swiftpartssrc"
    static let typeName = "GstSwiftPartsSrc"
    static let metadata = ElementMetadata(
        "Source of parts", classification: "Source/File", description: "Reads a file in parts", author: "Me")
    static let padTemplates: [PadTemplate] = [.source("ANY")]

    struct Settings: ElementSettings {
        var location: String?
        static let properties: [Property<Self>] = [
            .string("location", \.location, "Path of the parts, without the numbers from .001 on", flags: .beforeStart)
        ]
    }

    private struct Part {
        let file: Int32
        let start: UInt64
        let end: UInt64
    }

    let host: ElementHost
    private var parts: [Part] = []

    init(host: ElementHost) { self.host = host }

    var byteCount: UInt64 { parts.last?.end ?? 0 }

    mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        guard let location = settings.now.location else {
            throw .resource(.notFound, "The property location is not set.")
        }
        while parts.count < 999 {
            let path = "\(location).\(String(1001 + parts.count).dropFirst())"
            let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)  // Without O_NONBLOCK, a pipe waits for a writer.
            // The first number without a file is the end.
            if file < 0, errno == ENOENT, !parts.isEmpty { return }
            // The size of a pipe is -1, and that of a directory may be the highest number.
            let size = file < 0 ? .max : UInt64(exactly: lseek(file, 0, SEEK_END)) ?? .max
            guard size < UInt64(Int64.max) - byteCount else {
                if file >= 0 { close(file) }
                stop()
                throw .resource(.openRead, "The file \(path) cannot be opened.")
            }
            parts.append(Part(file: file, start: byteCount, end: byteCount + size))
        }
    }

    mutating func stop() {
        for part in parts { close(part.file) }
        parts = []
    }

    mutating func read(
        at offset: UInt64, into bytes: inout MutableRawSpan, _ settings: Settings
    ) throws(FlowResult) -> Int {
        var count = 0
        let isRead = bytes.withUnsafeMutableBytes { memory in
            while let start = memory.baseAddress, count < memory.count {
                let position = offset + UInt64(count)
                guard let part = parts.first(where: { $0.start <= position && position < $0.end }) else { break }
                let most = min(memory.count - count, Int(part.end - position))
                let read = pread(part.file, start + count, most, Int(position - part.start))
                guard read > 0 else { return read == 0 }
                count += read
            }
            return true
        }
        guard isRead else { throw host.fail(.resource(.read, "A part of the file cannot be read.")) }
        return count
    }
}
