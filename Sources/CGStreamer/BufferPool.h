#pragma once
#include <gst/allocators/gstdmabuf.h>
#include <gst/allocators/gstfdmemory.h>
#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/video/gstvideopool.h>
#include <gst/video/video.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// MARK: Macros on pools and metas

static inline gboolean cgst_pool_is_flushing(GstBufferPool *pool) {
  return GST_BUFFER_POOL_IS_FLUSHING(pool);
}

static inline gboolean cgst_buffer_is_tagged(const GstBuffer *buffer) {
  return GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_TAG_MEMORY);
}

static inline gboolean cgst_meta_keep(GstBuffer *buffer, GstMeta **meta, gpointer data) {
  (void)buffer, (void)data;
  GST_META_FLAG_SET(*meta, GST_META_FLAG_POOLED | GST_META_FLAG_LOCKED);
  return TRUE;
}

/// Prepares a new buffer for a pool: marks its metas as pooled and locked, and its memory as unchanged.
static inline void cgst_buffer_join_pool(GstBuffer *buffer) {
  gst_buffer_foreach_meta(buffer, cgst_meta_keep, NULL);
  GST_BUFFER_FLAG_UNSET(buffer, GST_BUFFER_FLAG_TAG_MEMORY);
}

static inline GstFlowReturn cgst_flow_dropped(void) { return GST_BASE_TRANSFORM_FLOW_DROPPED; }

static inline const gchar *cgst_type_name_of(gconstpointer instance) { return G_OBJECT_TYPE_NAME(instance); }

/// Whether `pad` is a ghost pad or the internal proxy pad of a ghost pad.
static inline gboolean cgst_is_bin_pad(GstPad *pad) { return GST_IS_PROXY_PAD(pad); }

/// Probe type for buffers and buffer lists.
static inline GstPadProbeType cgst_probe_frames(void) {
  return (GstPadProbeType)(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST);
}

// MARK: Arrays inside structs

static inline gboolean cgst_buffer_add_video_meta(GstBuffer *buffer, GstVideoInfo *info) {
  return gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(info),
                                        GST_VIDEO_INFO_WIDTH(info), GST_VIDEO_INFO_HEIGHT(info),
                                        GST_VIDEO_INFO_N_PLANES(info), info->offset, info->stride) != NULL;
}

/// Whether `allocator` is set and makes other memory than that of the system.
static inline gboolean cgst_is_special_allocator(const GstAllocator *allocator) {
  return allocator != NULL && g_strcmp0(allocator->mem_type, GST_ALLOCATOR_SYSMEM) != 0;
}

/// Aligns `info` to the alignments of `config` and `memory_align`, and stores the common alignment in these two.
static inline gboolean cgst_pool_config_align(GstStructure *config, GstVideoInfo *info, gsize *memory_align) {
  GstVideoAlignment align;
  gst_video_alignment_reset(&align);
  gst_buffer_pool_config_get_video_alignment(config, &align);
  guint mask = (guint)*memory_align;
  for (guint plane = 0; plane < GST_VIDEO_MAX_PLANES; plane++) mask |= align.stride_align[plane];
  for (guint plane = 0; plane < GST_VIDEO_MAX_PLANES; plane++) align.stride_align[plane] = mask;
  if (!gst_video_info_align(info, &align)) return FALSE;
  gst_buffer_pool_config_set_video_alignment(config, &align);
  *memory_align = mask;
  return TRUE;
}

// MARK: Variadic functions, and functions declared only for _GNU_SOURCE

static inline gint cgst_memfd_create(const gchar *name) {
  return (gint)syscall(SYS_memfd_create, name, 0x1u | 0x2u);  // MFD_CLOEXEC, MFD_ALLOW_SEALING
}

/// Seals `file` against shrinking, since access to a mapping beyond the end of its file raises SIGBUS.
///
/// The numbers are F_ADD_SEALS, F_SEAL_SEAL and F_SEAL_SHRINK.
static inline gint cgst_memfd_seal(gint file) { return (gint)syscall(SYS_fcntl, file, 1033, 0x1 | 0x2); }

/// Creates a DMABuf from the memory of `file`; returns its descriptor or -1. The caller closes `device` and `file`.
static inline gint cgst_udmabuf_create(gint device, gint file, guint64 size) {
  struct udmabuf_create request = {.memfd = (guint32)file, .flags = UDMABUF_FLAGS_CLOEXEC, .offset = 0, .size = size};
  return ioctl(device, UDMABUF_CREATE, &request);
}

/// Prefaults the pages of a mapping with MADV_POPULATE_WRITE; returns -1 on failure, for example before Linux 5.14.
static inline gint cgst_populate(gpointer start, gsize length) {
  return (gint)syscall(SYS_madvise, start, length, 23);
}

static inline gpointer cgst_map_pages(gsize length) {
  void *pages = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

// MARK: Copies

/// Copies a meta to the buffer `to`, except a video meta or a meta that depends on the memory of `from`.
static inline gboolean cgst_meta_copy(GstBuffer *from, GstMeta **meta, gpointer to) {
  const GstMetaInfo *info = (*meta)->info;
  GstMetaTransformCopy whole = {FALSE, 0, (gsize)-1};
  if (info->api == GST_VIDEO_META_API_TYPE || !info->transform_func) return TRUE;
  if (gst_meta_api_type_has_tag(info->api, g_quark_from_string(GST_META_TAG_MEMORY_STR))) return TRUE;
  if (gst_meta_api_type_has_tag(info->api, g_quark_from_string("memory-reference"))) return TRUE;
  info->transform_func((GstBuffer *)to, *meta, from, g_quark_from_string("gst-copy"), &whole);
  return TRUE;
}

static inline gboolean cgst_picture_copy(GstBuffer *to, GstBuffer *from, const GstVideoInfo *info) {
  GstVideoFrame source, target;
  if (!gst_video_frame_map(&source, info, from, GST_MAP_READ)) return FALSE;
  gboolean done = gst_video_frame_map(&target, info, to, GST_MAP_WRITE);
  if (done) {
    done = gst_video_frame_copy(&target, &source);
    gst_video_frame_unmap(&target);
  }
  gst_video_frame_unmap(&source);
  if (!done) return FALSE;
  gst_buffer_copy_into(to, from, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, (gsize)-1);
  gst_buffer_foreach_meta(from, cgst_meta_copy, to);
  return TRUE;
}

