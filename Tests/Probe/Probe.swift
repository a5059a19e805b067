/// Measures code of the plugin in a process in which no other code runs, for tests and for people.
///
/// `AllocationProbe`, `BridgeProbe`, `FrameTrackingProbe` and `TracingProbe` describe the commands.
@main
enum Probe {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("element", 3): AllocationProbe.run(arguments[1], caps: arguments[2])
        case ("bridge", 2): BridgeProbe.run(arguments[1])
        case ("tracking", 2): FrameTrackingProbe.run(arguments[1])
        case ("trace", 2...): try TracingProbe.run(arguments[1], arguments.count > 2 ? arguments[2] : "")
        default: fatalError("Probe element LINE CAPS | bridge METHOD | tracking PLUGIN | trace COMMAND [ARGUMENT]")
        }
    }
}
