import Testing
import ThermalPolicy

@Suite struct BitrateLeverTests {
    @Test func restoresTheUsersValue() {
        var lever = BitrateController.Lever()
        let values = [(0.7, 2048.0), (0.49, 1433), (0.7, 1003), (1, 1433), (1, 2048)].map {
            lever.move(to: $0.0, present: $0.1)
        }
        #expect(values == [1433, 1003, 1433, 2048, nil])
        #expect(!lever.isHeld)
    }

    @Test func takesAValueOfTheUserAsTheNewFullValue() {
        var lever = BitrateController.Lever()
        let less = lever.move(to: 0.7, present: 2000)
        let his = lever.move(to: 0.7, present: 500, isUsers: true)
        // The user sets the value that is already in effect, which becomes the full value.
        let same = lever.move(to: 0.7, present: 350, isUsers: true)
        let full = lever.move(to: 1, present: 245)
        #expect([less, his, same, full] == [1400, 350, 245, 350])
        // When the reduction ends, the last value of the user remains.
        _ = lever.move(to: 0.7, present: 1000)
        let last = lever.move(to: 1, present: 900, isUsers: true)
        #expect(last == nil)
    }

    @Test func keepsTheUsersValueWhileLowered() {
        var lever = BitrateController.Lever()
        #expect(lever.userValue(present: 2000, isUsers: false) == 2000)
        _ = lever.move(to: 0.7, present: 2000)
        #expect(lever.userValue(present: 1392, isUsers: false) == 2000)
        #expect(lever.userValue(present: 500, isUsers: true) == 500)
        _ = lever.move(to: 1, present: 1392)
        #expect(lever.userValue(present: 2000, isUsers: false) == 2000)
    }

    @Test func doesNotTakeARoundedValueForTheUsers() {
        var lever = BitrateController.Lever()
        let less = lever.move(to: 0.7, present: 301_000)
        // Repeated moves to the same share do not lower the rounded value further.
        let again = (0..<9).map { _ in lever.move(to: 0.7, present: 210_000) }
        #expect(less == 210_700 && again.allSatisfy { $0 == nil })
        #expect(abs(lever.share(of: 210_000) - 0.698) < 0.001)
        let least = lever.move(to: 0.5, present: 210_000)
        let full = lever.move(to: 1, present: 150_000)
        #expect(least == 150_500 && full == 301_000)
    }

    @Test func lowersAnAutomaticValueAndRestoresZero() {
        var lever = BitrateController.Lever()
        let unknown = lever.move(to: 0.7, present: 0)
        #expect(unknown == nil && !lever.isHeld && lever.share(of: 0) == 1)
        let less = lever.move(to: 0.7, present: 0, own: 1000)
        // The input has half the pixels.
        let half = lever.move(to: 0.7, present: 700, own: 500)
        let full = lever.move(to: 1, present: 350)
        #expect(less == 700 && half == 350 && full == 0)
        // The encoder reports the value that it selects; after 0 is written, it selects a value again.
        let own = lever.move(to: 0.7, present: 900, own: 900, automatic: 0)
        let back = lever.move(to: 1, present: 630, automatic: 0)
        #expect(own == 630 && back == 0)
    }

    @Test func keepsFractionsOfNumbersThatAreNotWhole() {
        var lever = BitrateController.Lever(isWhole: false)
        let bits = Double(Float(0.0434))
        let less = lever.move(to: 0.7, present: bits, own: bits / 2)
        let full = lever.move(to: 1, present: 0.01519)
        #expect(less == bits / 2 * 0.7 && full == bits)
    }

    @Test func acceptsExtremeNumbers() {
        var lever = BitrateController.Lever()
        let most = lever.move(to: 0, present: 1e18)
        let back = lever.move(to: 1, present: 2_147_483_647)
        let least = lever.move(to: 0.7, present: 1)
        #expect(most == 2_147_483_647 && back == 1e18 && least == nil)
        for odd in [Double.infinity, .nan, -1, 0] {
            var lever = BitrateController.Lever()
            let value = lever.move(to: 0.7, present: 0, own: odd)
            #expect(value == nil && !lever.isHeld)
        }
    }
}
