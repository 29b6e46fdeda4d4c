/*
 * bpf: an interpreter of classic BPF as seccomp uses it, for the tests. It refuses what the kernel
 * refuses: jumps out of the program, loads beyond seccomp_data, an end without a return.
 *
 * Source: Documentation/networking/filter.rst, kernel/seccomp.c (seccomp_check_filter).
 */
#ifndef BRIG_TESTS_UNIT_BPF_H
#define BRIG_TESTS_UNIT_BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BPF_BROKEN 0xffffffffu /* no action of seccomp's has this value */

struct bpf_program {
	const struct sock_filter *code;
	size_t count;
	bool *visited; /* one for each instruction, or NULL */
};

static inline bool bpf_load(const struct seccomp_data *data, uint32_t offset, uint32_t *ret_value)
{
	if (offset % 4 || offset > sizeof(*data) - 4)
		return false;
	memcpy(ret_value, (const unsigned char *)data + offset, 4);
	return true;
}

static inline uint32_t bpf_alu(uint16_t operation, uint32_t a, uint32_t b)
{
	switch (operation) {
	case BPF_AND:
		return a & b;
	case BPF_OR:
		return a | b;
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	default:
		return BPF_BROKEN;
	}
}

static inline bool bpf_holds(uint16_t operation, uint32_t a, uint32_t k)
{
	switch (operation) {
	case BPF_JEQ:
		return a == k;
	case BPF_JGT:
		return a > k;
	case BPF_JGE:
		return a >= k;
	default:
		return (a & k) != 0;
	}
}

/* What the filter answers for this call, or BPF_BROKEN. */
static inline uint32_t bpf_run(const struct bpf_program *program, const struct seccomp_data *data)
{
	uint32_t a = 0;

	for (size_t at = 0; at < program->count; at++) {
		const struct sock_filter *op = &program->code[at];
		if (program->visited)
			program->visited[at] = true;
		switch (BPF_CLASS(op->code)) {
		case BPF_LD:
			if (op->code != (BPF_LD | BPF_W | BPF_ABS) || !bpf_load(data, op->k, &a))
				return BPF_BROKEN;
			break;
		case BPF_ALU:
			if (BPF_SRC(op->code) != BPF_K)
				return BPF_BROKEN;
			a = bpf_alu(BPF_OP(op->code), a, op->k);
			break;
		case BPF_JMP:
			if (BPF_OP(op->code) == BPF_JA)
				at += op->k;
			else
				at += bpf_holds(BPF_OP(op->code), a, op->k) ? op->jt : op->jf;
			break;
		case BPF_RET:
			return BPF_RVAL(op->code) == BPF_K ? op->k : BPF_BROKEN;
		default:
			return BPF_BROKEN;
		}
	}
	return BPF_BROKEN;
}

#endif
