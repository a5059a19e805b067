/// Longest time for which a test waits for a condition, a message or a program.
///
/// It only delays tests that fail, so it is longer than any load of the machine lasts.
public let patience = Duration.seconds(900)
