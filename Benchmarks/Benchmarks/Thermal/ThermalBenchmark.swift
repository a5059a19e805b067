import CGStreamer
import GStreamer
import Glibc
import SwiftVideoPlugin

/// Prints the processor time that each step of `thermalcaps` saves in a pipeline, and the overhead of the element.
///
///     swift run -c release Benchmarks thermal [CLIP | overhead]
///
/// The clip is scaled to 1920x1080 at 30 frames per second once. Each run then decodes it, applies the step and encodes
/// the result. The figure of a step is the median of three runs. It is the processor time of all threads, which other
/// load hardly affects. The overhead is compared with that of `identity`, while no step is applied.
enum ThermalBenchmark {
    /// The steps of `policy=balanced` from 1920x1080 at 30 frames per second, and the bitrate steps without scaling.
    private static let steps = [
        ("full quality", "video/x-raw"),
        ("bitrate 70 %", "video/x-raw,bitrate-share=0.7"),
        ("20 fps, bitrate 70 %", "video/x-raw,framerate=20/1,bitrate-share=0.7"),
        ("1280x720, 20 fps", "video/x-raw,width=1280,height=720,framerate=20/1"),
        ("854x480, 20 fps", "video/x-raw,width=854,height=480,framerate=20/1"),
        ("854x480, 13 fps", "video/x-raw,width=854,height=480,framerate=13/1"),
        ("568x320, 13 fps", "video/x-raw,width=568,height=320,framerate=13/1"),
        ("568x320, 10 fps", "video/x-raw,width=568,height=320,framerate=10/1"),
        ("426x240, 10 fps", "video/x-raw,width=426,height=240,framerate=10/1"),
    ]
    private static let encoders = [
        "x264enc speed-preset=veryfast tune=zerolatency bitrate=4000",
        "vp8enc deadline=1 cpu-used=16 threads=1 end-usage=cbr target-bitrate=4000000",
    ]
    private static let seconds = 6
    private static let film = String(cString: g_get_tmp_dir()) + "/thermal-benchmark-\(getpid()).mp4"

    static func run(_ argument: String?) {
        gst_init(nil, nil)
        // With a nil plugin the elements are registered for this process.
        guard registerElements(in: .none) else { give(up: "The elements of the plugin cannot be registered.") }
        guard argument != "overhead" else { return measureOverhead() }
        let clip = argument ?? "pipelines/media/bigbuckbunny.webm"
        defer { unlink(film) }
        let open = "video/x-raw,format=I420,width=1920,height=1080,framerate=30/1;video/x-raw,format=I420"
        guard
            run(
                """
                filesrc location=\(clip) ! decodebin ! videoconvert ! videoscale ! videorate
                ! video/x-raw,format=I420,width=1920,height=1080,framerate=30/1
                ! x264enc speed-preset=ultrafast bitrate=12000 key-int-max=30 ! mp4mux ! filesink location=\(film)
                """) != nil
        else { give(up: "\(clip) cannot be played.") }
        let sources = [
            ("a decoded file", "filesrc location=\(film) ! decodebin"),
            (
                "a source that negotiates lower caps",
                "videotestsrc num-buffers=\(seconds * 30) horizontal-speed=4 ! \(open)"
            ),
        ]
        for (name, source) in sources {
            for encoder in encoders {
                print("\n\(name) into \(encoder)\n\n| step | processor time | kbit/s |\n|---|---|---|")
                measureSteps(source, encoder, isTest: source.hasPrefix("videotestsrc"))
            }
        }
        measureOverhead()
    }

    /// Measures the elements alternately, so that other load affects all of them.
    private static func measureOverhead() {
        print("\nwithout a reduction, 200000 frames of 16x16: nanoseconds of processor time per frame\n")
        let elements = ["identity", "thermalcaps", "thermalcaps enabled=false"]
        var times = elements.map { _ in [Double]() }
        for _ in 0..<15 {
            for (index, element) in elements.enumerated() {
                let line = """
                    videotestsrc pattern=black num-buffers=200000 ! video/x-raw,width=16,height=16 ! \(element)
                    ! fakesink
                    """
                if let busy = run(line)?.busy { times[index].append(busy * 1e9 / 200_000) }
            }
        }
        for (element, times) in zip(elements, times) {
            let sorted = times.sorted()
            guard sorted.count == 15 else { give(up: "\(element) cannot be played.") }
            print("  \(Int(sorted[7])) (quartiles \(Int(sorted[3])) and \(Int(sorted[11])))  \(element)")
        }
    }

    private static func measureSteps(_ source: String, _ encoder: String, isTest: Bool) {
        var full: Double?
        for (name, caps) in steps {
            // A source that negotiates a lower framerate makes as many frames over a longer time, so the cost is per
            // second of video.
            let line = """
                \(source) ! thermalcaps custom-ladder="video/x-raw;\(caps)" forced-level=serious down-dwell=0
                poll-interval=10000000 ! \(encoder) ! fakesink name=out sync=true
                """
            let runs = (0..<3).compactMap { _ in run(line) }.sorted { $0.busy / $0.length < $1.busy / $1.length }
            guard runs.count == 3 else { give(up: "\(encoder) cannot be played.") }
            let cost = runs[1].busy / runs[1].length
            if full == nil { full = cost }
            let share = Int((cost / (full ?? cost) * 100).rounded())
            let bitrate = Int(Double(runs[1].bytes) * 8 / 1000 / runs[1].length)
            print("| \(name) | \(Int((cost * 100).rounded())) % of a core, \(share) % of full | \(bitrate) |")
            fflush(nil)
        }
    }

    private struct Run {
        /// Processor time in seconds; negative after a failed run.
        var busy = 0.0
        /// Duration of the encoded video, in seconds.
        var length = 0.0
        /// PTS of the first buffer, in seconds.
        var first: Double?
        /// Size of the encoded video, in bytes.
        var bytes: UInt64 = 0
    }

    /// Ends the program with an error, because a table with a missing row would be read as a result.
    private static func give(up reason: String) -> Never {
        let sentence = "\(reason) Nothing is measured.\n"
        unlink(film)
        write(STDERR_FILENO, sentence, sentence.utf8.count)
        exit(1)
    }

    /// Plays the pipeline to EOS; nil after an error.
    private static func run(_ line: String) -> Run? {
        var error: UnsafeMutablePointer<GError>?
        // If an element is missing, gst_parse_launch() returns a partial pipeline and an error.
        let parsed = gst_parse_launch(line.replacing("\n", with: " "), &error)
        if let error { give(up: String(cString: error.pointee.message) + ".") }
        guard let pipeline = parsed else { return nil }
        defer { gst_object_unref(pipeline) }
        var run = Run()
        withUnsafeMutablePointer(to: &run) { run in
            let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
            if let sink = gst_bin_get_by_name(bin, "out"), let pad = gst_element_get_static_pad(sink, "sink") {
                gst_pad_add_probe(
                    pad, GST_PAD_PROBE_TYPE_BUFFER,
                    { _, info, run in
                        let run = run!.assumingMemoryBound(to: Run.self)
                        let buffer = UnsafeMutableRawPointer(info!.pointee.data).assumingMemoryBound(to: GstBuffer.self)
                        run.pointee.bytes += UInt64(gst_buffer_get_size(buffer))
                        guard buffer.pointee.pts != .max else { return GST_PAD_PROBE_OK }
                        // x264enc offsets the PTS by 1000 hours, so that no DTS is negative.
                        let start = run.pointee.first ?? (Double(buffer.pointee.pts) / 1e9)
                        run.pointee.first = start
                        let end = Double(buffer.pointee.pts &+ buffer.pointee.duration) / 1e9
                        run.pointee.length = max(run.pointee.length, end - start)
                        return GST_PAD_PROBE_OK
                    }, run, nil)
                gst_object_unref(pad)
                gst_object_unref(sink)
            }
            let before = clock()
            gst_element_set_state(pipeline, GST_STATE_PLAYING)
            let bus = gst_element_get_bus(pipeline)
            let ends = GstMessageType(rawValue: GST_MESSAGE_EOS.rawValue | GST_MESSAGE_ERROR.rawValue)
            let message = gst_bus_timed_pop_filtered(bus, 120_000_000_000, ends)
            run.pointee.busy = Double(clock() - before) / Double(CLOCKS_PER_SEC)
            if message?.pointee.type != GST_MESSAGE_EOS { run.pointee.busy = -1 }
            if let message { gst_message_unref(message) }
            gst_object_unref(bus)
            gst_element_set_state(pipeline, GST_STATE_NULL)
        }
        guard run.busy >= 0 else { return nil }
        return run
    }
}
