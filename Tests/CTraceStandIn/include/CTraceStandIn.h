#pragma once

// The span API of GStreamer 1.30 for tests with older versions: prints what it receives.
//
// Names, types and sizes are those of gst/gsttracer.h of GStreamer 1.29.2.

// Has the linker keep the functions, which are looked up by name.
void trace_stand_in_link(void);
