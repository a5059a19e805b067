#define _GNU_SOURCE
#include <dlfcn.h>
#include <gst/gst.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)

// GLib, GStreamer and the runtime of Swift are not compiled with the thread sanitizer, so it does not know what their
// mutexes and their counts of references order. These functions are called instead of theirs: they tell the order, and
// call theirs.
void __tsan_acquire(void *address);
void __tsan_release(void *address);

// The function of that name in the next library.
static void *next_function(const char *name, void **found) {
  void *function = __atomic_load_n(found, __ATOMIC_RELAXED);
  if (!function) {
    function = dlsym(RTLD_NEXT, name);
    __atomic_store_n(found, function, __ATOMIC_RELAXED);
  }
  return function;
}

#define NEXT_NAMED(function, name) ({ static void *found; (__typeof__(&(function)))next_function(name, &found); })
#define NEXT(function) NEXT_NAMED(function, #function)

// MARK: GLib and GStreamer

void g_mutex_lock(GMutex *mutex) {
  NEXT(g_mutex_lock)(mutex);
  __tsan_acquire(mutex);
}

gboolean g_mutex_trylock(GMutex *mutex) {
  gboolean locked = NEXT(g_mutex_trylock)(mutex);
  if (locked) __tsan_acquire(mutex);
  return locked;
}

void g_mutex_unlock(GMutex *mutex) {
  __tsan_release(mutex);
  NEXT(g_mutex_unlock)(mutex);
}

void g_cond_wait(GCond *condition, GMutex *mutex) {
  __tsan_release(mutex);
  NEXT(g_cond_wait)(condition, mutex);
  __tsan_acquire(mutex);
}

gboolean g_cond_wait_until(GCond *condition, GMutex *mutex, gint64 end) {
  __tsan_release(mutex);
  gboolean woken = NEXT(g_cond_wait_until)(condition, mutex, end);
  __tsan_acquire(mutex);
  return woken;
}

#undef g_object_unref
void g_object_unref(gpointer object) {
  __tsan_release(object);
  if (g_atomic_int_get(&((GObject *)object)->ref_count) == 1) __tsan_acquire(object);
  NEXT(g_object_unref)(object);
}

#undef gst_mini_object_unref
void gst_mini_object_unref(GstMiniObject *object) {
  __tsan_release(object);
  if (g_atomic_int_get(&object->refcount) == 1) __tsan_acquire(object);
  NEXT(gst_mini_object_unref)(object);
}

// A thread pool of GLib passes the call on. Its mutex is locked within the library, so the functions above do not see it.
struct call {
  GstElementCallAsyncFunc function;
  gpointer data;
  GDestroyNotify destroy;
};

static void run_call(GstElement *element, gpointer data) {
  struct call *call = data;
  __tsan_acquire(call);
  call->function(element, call->data);
}

static void end_call(gpointer data) {
  struct call *call = data;
  if (call->destroy) call->destroy(call->data);
  g_free(call);
}

void gst_element_call_async(GstElement *element, GstElementCallAsyncFunc function, gpointer data,
                            GDestroyNotify destroy) {
  struct call *call = g_new(struct call, 1);
  *call = (struct call){function, data, destroy};
  __tsan_release(call);
  NEXT(gst_element_call_async)(element, run_call, call, end_call);
}

// MARK: Swift

size_t swift_retainCount(void *object);

static void tell_release(void *object) {
  if (!object) return;
  __tsan_release(object);
  if (swift_retainCount(object) == 1) __tsan_acquire(object);
}

void swift_release(void *object) {
  tell_release(object);
  NEXT(swift_release)(object);
}

void swift_release_n(void *object, uint32_t count) {
  tell_release(object);
  NEXT(swift_release_n)(object, count);
}

_Bool swift_isUniquelyReferenced_nonNull_native(const void *object) {
  _Bool is_unique = NEXT(swift_isUniquelyReferenced_nonNull_native)(object);
  if (is_unique) __tsan_acquire((void *)object);
  return is_unique;
}

// The parts of `Synchronization.Mutex` that are not inlined.
__attribute__((swiftcall)) void swift_mutex_lock(uint32_t thread, __attribute__((swift_context)) void *handle)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
__attribute__((swiftcall)) void swift_mutex_lock(uint32_t thread, __attribute__((swift_context)) void *handle) {
  NEXT_NAMED(swift_mutex_lock, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF")(thread, handle);
  __tsan_acquire(handle);
}

__attribute__((swiftcall)) void swift_mutex_unlock(__attribute__((swift_context)) void *handle)
    __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
__attribute__((swiftcall)) void swift_mutex_unlock(__attribute__((swift_context)) void *handle) {
  __tsan_release(handle);
  NEXT_NAMED(swift_mutex_unlock, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF")(handle);
}

#endif
#endif
