import SendspinProtocol

extension Role {
    /// All roles except that of a source.
    package static let ofPlayers = allCases.filter { $0 != .source }
}
