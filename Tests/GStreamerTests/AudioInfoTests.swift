import GStreamer
import Testing

struct AudioInfoTests {
    @Test func aFormatHasTheFieldsOfItsCaps() throws {
        let caps = try #require(Caps("audio/x-raw,format=S16LE,rate=44100,channels=6,layout=non-interleaved"))
        let format = try #require(AudioInfo(caps))
        #expect((format.name, format.rate, format.channels, format.isInterleaved) == ("S16LE", 44_100, 6, false))
    }

    @Test(arguments: [
        "audio/x-raw,format=S16LE,rate=44100,channels=2",
        "audio/x-raw,format=S16LE,rate=[1,2],channels=2,layout=interleaved",
        "audio/mpeg,rate=44100,channels=2", "audio/x-raw,format=S16LE,rate=0,channels=2,layout=interleaved", "ANY",
        "EMPTY",
    ])
    func otherCapsHaveNone(text: String) throws { #expect(AudioInfo(try #require(Caps(text))) == nil) }
}
