/* fault: writing and reading a struct err. */
#include "wire/fault.h"

#include "wire/number.h"

#include <errno.h>

enum fault_tag { FAULT_CODE = 1, FAULT_STAGE, FAULT_TEXT };

int wire_add_fault(struct buf *buf, uint16_t tag, const struct err *fault)
{
	size_t mark;
	int rc = wire_open(buf, tag, &mark);
	if (!rc)
		rc = wire_add_u64(buf, FAULT_CODE, (uint64_t) - (int64_t)fault->code);
	if (!rc)
		rc = wire_add_text(buf, FAULT_STAGE, fault->stage);
	if (!rc)
		rc = wire_add_text(buf, FAULT_TEXT, fault->text);
	if (!rc)
		wire_close(buf, mark);
	return rc;
}

int wire_fault(struct span fields, struct err *fault)
{
	uint32_t code = 0;
	struct wire_field field;
	int rc;

	while ((rc = wire_next(&fields, &field)) > 0) {
		if (field.tag == FAULT_CODE && wire_u32(&field, 4095, &code))
			return -EBADMSG;
		if (field.tag == FAULT_STAGE &&
			wire_text(&field, fault->stage, sizeof(fault->stage)))
			return -EBADMSG;
		if (field.tag == FAULT_TEXT && wire_text(&field, fault->text, sizeof(fault->text)))
			return -EBADMSG;
	}
	fault->code = -(int32_t)code;
	return rc;
}
