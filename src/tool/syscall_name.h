/* syscall_name: what an x86-64 system call is called, for outcome `denied`. */
#ifndef BRIG_TOOL_SYSCALL_NAME_H
#define BRIG_TOOL_SYSCALL_NAME_H

#include <stdint.h>

#define SYSCALL_NAME_BYTES 48u

/*
 * `arch` is the AUDIT_ARCH_* that came with the number; 0 counts as x86-64. Returns `out`:
 * "ptrace", "int 0x80 call 26", "x32 call 59", "system call 600", or "unknown" below 0.
 */
const char *syscall_name(uint32_t arch, int number, char out[SYSCALL_NAME_BYTES]);

#endif
