import CGStreamer
import GstTestSupport
import SendspinSupport
@testable import SendspinProtocol
import Threads

/// Measures the memory of a player whose server sends chunks of one frame long before their time.
enum ChunkMemory {
    private static let batch = 1_000

    static func run(_ folder: String) throws {
        let server = try FakeServer()
        let pipeline = Pipeline("sendspinsrc name=p uri=\(server.uri) ! fakesink name=s sync=false")
        Playback.start(pipeline, server, folder)
        // The stream of the server itself is not due before the end of the measurement.
        server.play(.pcm(), lead: .seconds(300))
        require(eventually { pipeline.statistic("formats") == 1 }, "no stream")
        let start = server.clock.time(at: MonotonicClock.now) + .seconds(60)
        // The first batches also fill the buffers of the connection.
        for number in 0..<4 { send(number, start, server, pipeline) }
        let (first, before) = (pipeline.statistic("chunks"), ResidentMemory.kilobytes)
        for number in 4..<200 { send(number, start, server, pipeline) }
        print("chunks:", Int(pipeline.statistic("chunks") - first), "refused:", Int(pipeline.statistic("refused")))
        print("growth:", ResidentMemory.kilobytes - before, "kB")
        require(pipeline.go(GST_STATE_NULL), "not stopped")
        server.stop()
    }

    private static func send(_ number: Int, _ start: Duration, _ server: FakeServer, _ pipeline: Pipeline) {
        let taken = pipeline.statistic("chunks") + pipeline.statistic("refused")
        let chunks = (0..<batch).map { index -> Attack in
            let time = start + .milliseconds(10 * ((number * batch) + index))
            return .plaintext(AudioChunk(timestamp: time, sendAhead: .zero, payload: [1, 2, 3, 4]).bytes(.encrypted))
        }
        server.attack(chunks)
        require(
            eventually { pipeline.statistic("chunks") + pipeline.statistic("refused") >= taken + Double(batch) },
            "the chunks were not taken")
    }
}
