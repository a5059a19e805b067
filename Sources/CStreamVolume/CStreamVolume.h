#pragma once

// Of libgstaudio. Two modules that include the headers of GLib would hide each other's declarations, so this header
// includes none. A GType has the size of a pointer.
unsigned long gst_stream_volume_get_type(void);
