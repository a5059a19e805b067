import CGStreamer
import CVirtualDAC
import GStreamer
import Sendspin

/// Plays from a fake server in a process in which no other code runs, for tests of leaks, allocations and the log.
///
///     SendspinProbe source|play|sink|log|sync-allocations|source-allocations|sink-allocations|discovery|tiny-chunks FOLDER
///     SendspinProbe hostile FOLDER [KIND [idle|playing [COUNT]]]
///     SendspinProbe store COMMAND FOLDER [COUNT]
///
/// The folder contains the identity of the player. `hostile` attacks players until they have taken COUNT messages.
@main
struct SendspinProbe {
    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count >= 4, arguments[1] == "store" {
            return try StoreProbe.run(arguments[2], arguments[3], arguments.count > 4 ? Int(arguments[4]) ?? 0 : 0)
        }
        guard arguments.count >= 3, registerSendspin(in: .none), cvirtualdac_register() != 0 else {
            fatalError("SendspinProbe SCENARIO FOLDER")
        }
        let folder = arguments[2]
        switch arguments[1] {
        case "source": try Playback.source(folder)
        case "play": try Playback.player(folder)
        case "sink": try Playback.sink(folder)
        case "log": try Playback.pairing(folder)
        case "sync-allocations": try AllocationCounter.sync(folder)
        case "source-allocations": try AllocationCounter.source(folder)
        case "sink-allocations": try AllocationCounter.sink(folder)
        case "discovery": try Discovery.run(folder)
        case "tiny-chunks": try ChunkMemory.run(folder)
        case "hostile": try Hostile.run(folder, Array(arguments.dropFirst(3)))
        default: fatalError("an unknown scenario")
        }
        // `gst_deinit` lets the tracer `leaks` report the leaks.
        gst_deinit()
    }
}

/// Ends the process with a reason if a condition is not true.
func require(_ condition: Bool, _ reason: String) {
    if !condition { fatalError(reason) }
}
