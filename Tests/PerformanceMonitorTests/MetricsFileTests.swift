import CGStreamer
import Foundation
import GstTestSupport
import Synchronization
import Testing

/// Tests reading the metrics file while the monitor replaces it.
struct MetricsFileTests {
    @Test func aConcurrentReaderSeesOnlyWholeTexts() throws {
        let path = Setup.newFolder().appending(path: "m.prom").path
        // With a hundred elements, the text is longer than 64 KiB.
        let middle = (0..<100).map { "identity name=i\($0)" }.joined(separator: " ! ")
        let pipeline = Pipeline(
            "videotestsrc is-live=true ! capsfilter caps=video/x-raw,framerate=30/1,width=32,height=32 ! \(middle) ! fakesink name=s perfmonitor name=m report=none elements=* metrics-file=\(path)"
        )
        #expect(pipeline.go(GST_STATE_PLAYING))
        let seen = Mutex((texts: Set<String>(), halves: [String](), reads: 0))
        TestThread.repeating {
            guard let text = Self.read(path) else { return seen.withLock { $0.halves.append("no file") } }
            let isWhole = Self.isWhole(text)
            seen.withLock { seen in
                seen.reads += 1
                seen.texts.insert(text)
                if !isWhole { seen.halves.append(String(text.suffix(100))) }
            }
        } while: {
            #expect(eventually { seen.withLock { $0.texts.count >= 4 && $0.reads > $0.texts.count } })
            gst_element_send_event(pipeline.raw, gst_event_new_eos())
            #expect(pipeline.listen() == ["eos"])
            pipeline.end()
        }
        let (texts, halves, reads) = seen.withLock { $0 }
        #expect(halves.isEmpty, "\(halves.count) of \(reads): \(halves.prefix(3))")
        #expect(texts.count >= 4 && reads > texts.count, "\(texts.count) texts in \(reads) reads")
        #expect(texts.contains { $0.utf8.count > 65536 })
    }

    /// Reads the file in small parts, as a slow reader does.
    private static func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether `text` has its last family, and its last family of counters has as many elements as its first.
    private static func isWhole(_ text: String) -> Bool {
        let lines = text.split(separator: "\n")
        func count(_ family: String) -> Int { lines.count { $0.hasPrefix(family + "{") } }
        return text.hasSuffix("\n") && count("gst_uptime_seconds") == 1
            && count("gst_frames_in_total") == count("gst_age_unknown_total")
    }
}
