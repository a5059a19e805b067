#pragma once

// malloc_trim, for the programs that measure memory.
#include <malloc.h>

/// How often any thread of this process has asked for memory; realloc counts, free does not.
unsigned long allocation_count(void);

/// How often the calling thread has asked for memory.
unsigned long allocation_count_of_thread(void);
