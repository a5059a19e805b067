#pragma once
#include <dlfcn.h>
#include <gst/gst.h>
#include <gst/gsttracer.h>

// Declarations of the span API of GStreamer 1.30, for builds with older headers.
//
// Source: gst/gsttracer.h of GStreamer 1.29.2. The plugin looks up the functions at run time, so one plugin file works
// with all versions since 1.22.

// Layout of GstTraceValue, a union with the size of four pointers.
typedef union {
  GstClockTime time;
  gint64 number;
  const gchar *text;
  gpointer reserved[4];
} CgstTraceValue;

// Values of GstTracerFieldType.
enum { CGST_TRACE_FIELD_INT64 = 3, CGST_TRACE_FIELD_STRING = 6, CGST_TRACE_FIELD_CLOCK_TIME = 7 };

typedef struct {
  gpointer (*builder_new)(const gchar *name);
  gpointer (*builder_add_field)(gpointer builder, const gchar *name, gint type);
  gpointer (*builder_register)(gpointer builder);
  guint64 (*span_begin)(gpointer format, const CgstTraceValue *values);
  void (*span_end)(guint64 span);
  void (*event)(gpointer format, const CgstTraceValue *values);
} CgstTraceFunctions;

#ifndef RTLD_DEFAULT  // _GNU_SOURCE may be undefined.
#define CGST_RTLD_DEFAULT ((void *)0)
#else
#define CGST_RTLD_DEFAULT RTLD_DEFAULT
#endif

// Finds the functions in the process; returns FALSE if one of them does not exist.
static inline gboolean cgst_find_trace_functions(CgstTraceFunctions *found) {
  *(void **)&found->builder_new = dlsym(CGST_RTLD_DEFAULT, "gst_trace_format_builder_new");
  *(void **)&found->builder_add_field = dlsym(CGST_RTLD_DEFAULT, "gst_trace_format_builder_add_field");
  *(void **)&found->builder_register = dlsym(CGST_RTLD_DEFAULT, "gst_trace_format_builder_register");
  *(void **)&found->span_begin = dlsym(CGST_RTLD_DEFAULT, "gst_trace_span_begin");
  *(void **)&found->span_end = dlsym(CGST_RTLD_DEFAULT, "gst_trace_span_end");
  *(void **)&found->event = dlsym(CGST_RTLD_DEFAULT, "gst_trace_event");
  return found->builder_new && found->builder_add_field && found->builder_register && found->span_begin &&
         found->span_end && found->event;
}
