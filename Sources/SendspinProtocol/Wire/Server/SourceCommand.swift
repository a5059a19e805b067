/// A command for the source, in `server/command`.
public enum SourceCommand: String, CaseIterable, Sendable {
    /// The client must start a stream of captured audio; each command permits one stream.
    case start
    /// The client must end its stream.
    case stop
}
