/* A camera without a device, for tests: preloaded, it answers the ioctl calls on one file.
 *
 * FAKE_CAMERA names the file. It has one line for each control, which each call reads and S_CTRL writes:
 *
 *     id type minimum maximum step value flags refusal master master-value name
 *
 * As in uvcvideo, an integer is rounded to the nearest step, an integer or a boolean outside of its range is clamped,
 * and a menu item outside of it is refused with ERANGE.
 * refusal is an errno that S_CTRL returns, or 0. With a master, the control is inactive and refuses values with EIO
 * while the master has another value. With FAKE_DRIFT, it becomes its minimum as soon as it is inactive. Each S_CTRL
 * is appended to FILE.log. If FILE.gone exists, each call returns ENODEV. FAKE_BROKEN is the id of a control that
 * cannot be queried.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST 32

typedef struct {
  unsigned id, type;
  int minimum, maximum, step, value;
  unsigned flags;
  int refusal;
  unsigned master;
  int master_value;
  char name[32];
} Control;

static Control controls[MOST];
static int count;

static FILE *open_beside(const char *suffix, const char *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s%s", getenv("FAKE_CAMERA"), suffix);
  return fopen(path, mode);
}

static int read_controls(void) {
  FILE *file = open_beside("", "r");
  if (!file) return 0;
  for (count = 0; count < MOST; count++) {
    Control *c = &controls[count];
    if (fscanf(file, "%x %u %d %d %d %d %x %d %x %d %31[^\n]", &c->id, &c->type, &c->minimum, &c->maximum, &c->step,
            &c->value, &c->flags, &c->refusal, &c->master, &c->master_value, c->name) != 11)
      break;
  }
  fclose(file);
  return 1;
}

static void write_controls(void) {
  FILE *file = open_beside("", "r+");
  if (!file) return;
  for (int i = 0; i < count; i++) {
    Control *c = &controls[i];
    fprintf(file, "%x %u %d %d %d %d %x %d %x %d %s\n", c->id, c->type, c->minimum, c->maximum, c->step, c->value,
        c->flags, c->refusal, c->master, c->master_value, c->name);
  }
  fflush(file);
  if (ftruncate(fileno(file), ftell(file)) != 0) abort();
  fclose(file);
}

static Control *find(unsigned id) {
  for (int i = 0; i < count; i++)
    if (controls[i].id == id) return &controls[i];
  return NULL;
}

static int is_inactive(const Control *c) {
  Control *master = c->master ? find(c->master) : NULL;
  return master && master->value != c->master_value;
}

static int fail(int error) {
  errno = error;
  return -1;
}

static int query(struct v4l2_queryctrl *q) {
  Control *found = NULL;
  if (q->id & V4L2_CTRL_FLAG_NEXT_CTRL) {
    unsigned after = q->id & ~V4L2_CTRL_FLAG_NEXT_CTRL;
    for (int i = 0; i < count; i++)
      if (controls[i].id > after && (!found || controls[i].id < found->id)) found = &controls[i];
  } else {
    found = find(q->id);
  }
  if (!found) return fail(EINVAL);
  if (getenv("FAKE_BROKEN") && found->id == strtoul(getenv("FAKE_BROKEN"), NULL, 16)) return fail(EIO);
  memset(q, 0, sizeof *q);
  q->id = found->id;
  q->type = found->type;
  strcpy((char *) q->name, found->name);
  q->minimum = found->minimum;
  q->maximum = found->maximum;
  q->step = found->step;
  q->flags = found->flags | (is_inactive(found) ? V4L2_CTRL_FLAG_INACTIVE : 0);
  return 0;
}

static int set(const struct v4l2_control *wanted) {
  Control *c = find(wanted->id);
  FILE *log = open_beside(".log", "a");
  if (log) {
    fprintf(log, "%08x=%d\n", wanted->id, wanted->value);
    fclose(log);
  }
  if (!c) return fail(EINVAL);
  if (c->refusal) return fail(c->refusal);
  if (is_inactive(c)) return fail(EIO);
  int value = wanted->value;
  if (value < c->minimum || value > c->maximum) {
    if (c->type == V4L2_CTRL_TYPE_MENU) return fail(ERANGE);
    value = value < c->minimum ? c->minimum : c->maximum;
  }
  value = c->minimum + (value - c->minimum + c->step / 2) / c->step * c->step;
  int before = c->value;
  c->value = value > c->maximum ? c->maximum : value;
  for (int i = 0; i < count && getenv("FAKE_DRIFT"); i++)
    if (controls[i].master == c->id && controls[i].master_value == before && is_inactive(&controls[i]))
      controls[i].value = controls[i].minimum;
  write_controls();
  return 0;
}

static int answer(unsigned long request, void *argument) {
  FILE *gone = open_beside(".gone", "r");
  if (gone) {
    fclose(gone);
    return fail(ENODEV);
  }
  if (!read_controls()) return fail(EIO);
  switch ((unsigned) request) {
  case VIDIOC_QUERYCAP: {
    struct v4l2_capability *capability = argument;
    memset(capability, 0, sizeof *capability);
    strcpy((char *) capability->card, "Fake Camera");
    capability->capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_DEVICE_CAPS;
    capability->device_caps = getenv("FAKE_METADATA") ? V4L2_CAP_META_CAPTURE : V4L2_CAP_VIDEO_CAPTURE;
    return 0;
  }
  case VIDIOC_QUERYCTRL: return query(argument);
  case VIDIOC_QUERYMENU: {
    struct v4l2_querymenu *menu = argument;
    /* The menu of the exposure has the items 1 and 3, as that of most USB cameras. */
    const char *items = getenv("FAKE_MENU") ? getenv("FAKE_MENU") : "13";
    return find(menu->id) && menu->index < 10 && strchr(items, '0' + (int) menu->index) ? 0 : fail(EINVAL);
  }
  case VIDIOC_G_CTRL: {
    struct v4l2_control *control = argument;
    Control *c = find(control->id);
    if (!c) return fail(EINVAL);
    control->value = c->value;
    return 0;
  }
  case VIDIOC_S_CTRL: return set(argument);
  default: return fail(ENOTTY);
  }
}

int ioctl(int fd, unsigned long request, ...) {
  va_list list;
  va_start(list, request);
  void *argument = va_arg(list, void *);
  va_end(list);
  const char *path = getenv("FAKE_CAMERA");
  struct stat one, other;
  if (path && stat(path, &one) == 0 && fstat(fd, &other) == 0 && one.st_dev == other.st_dev &&
      one.st_ino == other.st_ino)
    return answer(request, argument);
  int (*next)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...)) dlsym(RTLD_NEXT, "ioctl");
  return next(fd, request, argument);
}
