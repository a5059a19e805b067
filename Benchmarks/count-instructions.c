// A plugin of QEMU that counts the instructions of a program, for Benchmarks/speed --arch arm64.
//
// At the end of the program it prints their number to the standard error output. The declarations are those of
// qemu-plugin.h, which Debian does not package.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_info;
struct qemu_plugin_tb;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(
    struct qemu_plugin_tb *, void (*)(unsigned, void *), enum qemu_plugin_cb_flags, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);

#define EXPORTED __attribute__((visibility("default")))

// The lowest version of the interface that QEMU 7.2 to 9.0 accepts.
EXPORTED int qemu_plugin_version = 1;

// The program has one thread.
static uint64_t executed;

static void block_begins(unsigned processor, void *instructions) {
  (void)processor;
  executed += (uintptr_t)instructions;
}

// A block is a sequence of instructions without a branch, except for its last one.
static void block_is_translated(qemu_plugin_id_t plugin, struct qemu_plugin_tb *block) {
  (void)plugin;
  void *instructions = (void *)(uintptr_t)qemu_plugin_tb_n_insns(block);
  qemu_plugin_register_vcpu_tb_exec_cb(block, block_begins, QEMU_PLUGIN_CB_NO_REGS, instructions);
}

static void program_ends(qemu_plugin_id_t plugin, void *data) {
  (void)plugin, (void)data;
  fprintf(stderr, "instructions %llu\n", (unsigned long long)executed);
}

EXPORTED int qemu_plugin_install(
    qemu_plugin_id_t plugin, const struct qemu_info *info, int argument_count, char **arguments) {
  (void)info, (void)argument_count, (void)arguments;
  qemu_plugin_register_vcpu_tb_trans_cb(plugin, block_is_translated);
  qemu_plugin_register_atexit_cb(plugin, program_ends, NULL);
  return 0;
}
