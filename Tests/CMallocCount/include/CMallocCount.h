#pragma once

/// How often this process has asked for memory, on any thread.
long mallocCount(void);
