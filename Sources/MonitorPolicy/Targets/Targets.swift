/// Targets of a pipeline, read from the text of a property or from a file.
///
/// The text is `encoder: p95=20ms, rate=30; pipeline: p95=120ms, memory=200MB, compliance=95%`. Targets are separated
/// by a semicolon or a line break, words by a comma. The file is JSON with the same words (`init(file:)`).
public struct Targets: Sendable, Equatable {
    /// The targets in the order of the text.
    public private(set) var targets: [Target] = []

    /// Maximum size of a text or a file, in bytes.
    public static let longestText = 65_536
    /// Maximum number of targets.
    public static let maximumCount = 64

    /// Creates an empty list.
    public init() {}

    /// Creates a list of targets without checking them.
    public init(_ targets: [Target]) { self.targets = targets }

    /// Reads the text of a property; an empty text gives no targets.
    public init(text: String) throws(TargetError) {
        guard text.utf8.count <= Self.longestText else {
            throw TargetError(
                place: .column(1), fault: "the text is \(text.utf8.count) bytes long",
                allowed: "at most \(Self.longestText) bytes")
        }
        let reader = TargetReader(text: text)
        for part in text.split(whereSeparator: { $0 == ";" || $0.isNewline }) {
            guard let target = try reader.target(part) else { continue }
            try append(target, at: reader.place(of: part))
        }
    }

    /// Appends a target; throws if there are too many targets, or if one has the same name.
    mutating func append(_ target: Target, at place: TargetError.Place) throws(TargetError) {
        guard targets.count < Self.maximumCount else {
            throw TargetError(
                place: place, fault: "target \(TargetError.quote(target.name)) is one too many",
                allowed: "at most \(Self.maximumCount) targets")
        }
        guard !targets.contains(where: { $0.name == target.name }) else {
            throw TargetError(
                place: place, fault: "target \(TargetError.quote(target.name)) is there twice",
                allowed: "one target with all its words")
        }
        targets.append(target)
    }
}

struct TargetReader {
    let text: String

    func place(of part: Substring) -> TargetError.Place {
        let start = Target.trim(part).startIndex
        return .column(1 + text.unicodeScalars.distance(from: text.startIndex, to: start))
    }

    /// Reads `name: word=value, word=value`; nil if the part is blank.
    func target(_ part: Substring) throws(TargetError) -> Target? {
        guard !Target.trim(part).isEmpty else { return nil }
        guard let colon = part.firstIndex(of: ":") else {
            throw error(part, "\(TargetError.quote(Target.trim(part))) has no colon", "name: word=value, word=value")
        }
        let name = Target.trim(part[..<colon])
        guard !name.isEmpty, name.utf8.count <= 255 else {
            throw error(
                part, "the target before the colon has no name, or one of more than 255 bytes", "encoder: p95=20ms")
        }
        var target = Target(name: String(name))
        var names: Set<String> = []
        for pair in part[colon...].dropFirst().split(separator: ",") where !Target.trim(pair).isEmpty {
            try read(pair, into: &target, &names)
        }
        try target.check(at: place(of: part))
        return target
    }

    private func read(_ pair: Substring, into target: inout Target, _ names: inout Set<String>) throws(TargetError) {
        guard let sign = pair.firstIndex(of: "=") else {
            throw error(
                pair, "\(TargetError.quote(Target.trim(pair))) has no equals sign", "word=value, such as p95=20ms")
        }
        let name = Target.trim(pair[..<sign])
        guard let word = TargetWord(name) else {
            let allowed = TargetWord.all.map(\.name).joined(separator: ", ")
            throw error(pair, "\(TargetError.quote(name)) is not a word of a target", allowed)
        }
        guard names.insert(word.name).inserted else {
            throw error(pair, "\(word.name) is there twice", "each word once in a target")
        }
        let value = Target.trim(pair[pair.index(after: sign)...])
        try target.set(word, to: value, at: place(of: value.isEmpty ? pair : value))
    }

    private func error(_ part: Substring, _ fault: String, _ allowed: String) -> TargetError {
        TargetError(place: place(of: part), fault: fault, allowed: allowed)
    }
}
