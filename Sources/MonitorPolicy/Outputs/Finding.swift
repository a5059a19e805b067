/// A reason why the pipeline is slow, besides a bottleneck and a lack of processors.
struct Finding: Sendable, Equatable {
    /// Title in the live line, such as `source slow`; nil if the line does not show the finding.
    let title: String?
    /// Name of the element.
    let element: String
    /// Describes the finding in one sentence.
    let sentence: String
}
