import Testing

/// The package as its users meet it: scripts, files and other programs.
///
/// One test after the other, since each keeps all cores busy by itself.
@Suite(.serialized) enum EndToEndTests {}
