/// Longest time for which a test waits for a condition, a message or a program.
///
/// Only tests that fail wait until the limit, so the limit is longer than a time in which the machine is busy.
public let patience = Duration.seconds(900)
