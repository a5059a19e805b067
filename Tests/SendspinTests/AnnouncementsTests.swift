import GStreamer
@testable import SendspinProtocol
import Testing

@testable import Sendspin

/// Tests the times at which states of a server are announced to the application.
@Suite struct AnnouncementsTests {
    private var announcements = Announcements()

    init() { _ = SendspinSetup.once }

    private func group(_ name: String) -> Structure { Structure("sendspin-group", ["name": .string(name)]) }

    /// Takes all announcements that are permitted at a time: group names, `progress`, or titles with image sizes in kB.
    private mutating func take(at seconds: Int) -> [String] {
        var taken: [String] = []
        while let next = announcements.take(at: .seconds(seconds)) {
            switch next {
            case .message(let message):
                if case .string(let name)? = message["name"] { taken.append(name) } else { taken.append("progress") }
            case .tags(let tags):
                var text = "none"
                if case .string(let title)? = tags[.title] { text = title }
                if case .sample(let image)? = tags[.image] { text += " \(image.bytes.count / 1000)" }
                taken.append(text)
            }
        }
        return taken
    }

    @Test mutating func burstIsAnnouncedAtOnceAndTheNewestStateLater() {
        var taken: [String] = []
        for number in 0..<1_000 {
            announcements.add(group("\(number)"))
            taken += take(at: 1_000)
        }
        #expect(taken == (0..<60).map(String.init))
        #expect(announcements.deadline == .seconds(1_001))
        #expect(take(at: 1_001) == ["999"])
        #expect(announcements.deadline == nil)
        // During an hour of changes, one change is announced each second.
        taken = []
        for tenth in 10_020..<46_020 {
            announcements.add(group("\(tenth)"))
            taken += take(at: tenth / 10)
        }
        #expect(taken.count == 3_600)
    }

    @Test mutating func sameStateIsAnnouncedOnceToEachConnection() {
        for _ in 0..<3 { announcements.add(group("A")) }
        #expect(take(at: 1) == ["A"])
        announcements.add(group("A"))
        #expect(take(at: 1) == [])
        announcements.begin()
        announcements.add(group("A"))
        #expect(take(at: 1) == ["A"])
    }

    @Test mutating func stateThatReturnsBeforeItsAnnouncementIsNoNews() {
        for number in 0..<60 { announcements.add(group("\(number)")); _ = take(at: 1_000) }
        announcements.add(group("other"))
        announcements.add(group("59"))
        #expect(take(at: 2_000) == [])
    }

    @Test mutating func eachKindGetsItsTurn() {
        for number in 0..<60 { announcements.add(group("\(number)")); _ = take(at: 1_000) }
        announcements.add(group("A"))
        announcements.describe(Metadata(timestamp: .zero, title: "T"))
        announcements.add(group("B"))
        #expect(take(at: 1_001) == ["B"])
        announcements.add(group("C"))
        #expect(take(at: 1_002) == ["T"])
        #expect(take(at: 1_003) == ["progress"])
        #expect(take(at: 1_004) == ["C"])
    }

    @Test mutating func bytesOfImagesAreBounded() {
        announcements.describe(Metadata(timestamp: .zero, title: "T"))
        for size in [300_000, 400_000, 50_000, 60_000] {
            announcements.show([UInt8](repeating: 1, count: size))
            _ = take(at: 1_000)
        }
        // The new title is announced before its image arrives, without the image of the previous title.
        announcements.describe(Metadata(timestamp: .zero, title: "U"))
        #expect(take(at: 1_001) == ["U"])
        #expect(take(at: 1_100) == [])
        #expect(take(at: 1_200) == ["U 60"])
        announcements.show([])
        #expect(take(at: 1_200) == ["U"])
    }

    @Test mutating func whatWaitsIsAnnouncedBeforeTheLossOfTheServer() {
        for number in 0..<61 { announcements.add(group("\(number)")); _ = take(at: 1_000) }
        #expect(announcements.takeFirst() == .message(group("60")))
        #expect(announcements.takeFirst() == nil)
    }
}
