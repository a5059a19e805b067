#include "CTraceStandIn.h"
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char name[64];
  int fields;
  char field[4][32];
  int type[4];
} Format;

typedef union {
  uint64_t number;
  const char *text;
  void *reserved[4];
} Value;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t last_span;

void trace_stand_in_link(void) {}

Format *gst_trace_format_builder_new(const char *name) {
  Format *format = calloc(1, sizeof *format);
  snprintf(format->name, sizeof format->name, "%s", name);
  return format;
}

Format *gst_trace_format_builder_add_field(Format *format, const char *name, unsigned type) {
  snprintf(format->field[format->fields], sizeof format->field[0], "%s", name);
  format->type[format->fields++] = (int)type;
  return format;
}

Format *gst_trace_format_builder_register(Format *format) {
  printf("format %s\n", format->name);
  return format;
}

static void print(const char *what, uint64_t span, const Format *format, const Value *values) {
  printf("%s %llu %s", what, (unsigned long long)span, format->name);
  for (int i = 0; i < format->fields; i++) {
    printf(" %s=", format->field[i]);
    if (format->type[i] == 6) {
      printf("%s", values[i].text);
    } else {
      printf("%lld", (long long)values[i].number);
    }
  }
  printf("\n");
}

uint64_t gst_trace_span_begin(Format *format, const Value *values) {
  pthread_mutex_lock(&mutex);
  print("begin", ++last_span, format, values);
  uint64_t span = last_span;
  pthread_mutex_unlock(&mutex);
  return span;
}

void gst_trace_span_end(uint64_t span) {
  pthread_mutex_lock(&mutex);
  printf("end %llu\n", (unsigned long long)span);
  pthread_mutex_unlock(&mutex);
}

void gst_trace_event(Format *format, const Value *values) {
  pthread_mutex_lock(&mutex);
  print("event", 0, format, values);
  pthread_mutex_unlock(&mutex);
}
