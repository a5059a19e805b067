import QueuePolicy
import Testing

@Suite struct ChoiceTests {
    @Test(arguments: [
        ("", ProcessorChoice.any), ("performance", .performance), ("0-3,6", .listed([0, 1, 2, 3, 6])),
        (" 6, 1 - 2 ,1", .listed([1, 2, 6])), ("0", .listed([0])),
    ])
    func parsesProcessorList(text: String, choice: ProcessorChoice) { #expect(ProcessorChoice(text) == choice) }

    @Test(arguments: [
        "-", "3-", "-3", "3-1", "1,,2", ",", "x", "0-1-2", "99999999999999999999", "1024", "+1", "1.5", "٣",
    ])
    func rejectsMalformedProcessorList(text: String) { #expect(ProcessorChoice(text) == nil) }

    @Test func fastestProcessorsHaveHighestValue() {
        #expect(ProcessorChoice.fastest([(0, 446), (3, 1024), (2, 1024), (1, 446)]) == [2, 3])
        #expect(ProcessorChoice.fastest([(0, 921), (1, 922), (2, 1024)]) == [1, 2])
        #expect(ProcessorChoice.fastest([(0, 0), (1, 0)]) == [0, 1])
        #expect(ProcessorChoice.fastest([(0, .max), (1, 1)]) == [0])
        #expect(ProcessorChoice.fastest([]) == [])
    }

    @Test func listsMissingProcessors() {
        #expect(ProcessorChoice.missing([0, 1, 99], existing: [0, 1, 2, 3]) == [99])
        #expect(ProcessorChoice.missing([7, 5, 6, 0], existing: [0, 2]) == [5, 6, 7])
        #expect(ProcessorChoice.missing([0, 1], existing: [0, 1]) == [])
        // If the existing processors are unknown, no listed processor counts as missing.
        #expect(ProcessorChoice.missing([99], existing: []) == [])
    }

    @Test(
        arguments: [([], ""), ([6], "6"), ([0, 1, 2, 3, 6], "0-3,6"), ([1, 3, 4, 9], "1,3-4,9")] as [([Int], String)])
    func formattedProcessorListParsesToSameList(processors: [Int], text: String) {
        #expect(ProcessorChoice.text(processors) == text)
        #expect(ProcessorChoice(text) == (processors.isEmpty ? .any : .listed(processors)))
    }
}
