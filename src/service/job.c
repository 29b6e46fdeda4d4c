/* job: birth and end of a request inside the service. */
#include "service/service.h"

#include <stdlib.h>

struct job *job_new(struct service *service, struct channel *channel)
{
	struct job *job = calloc(1, sizeof(*job));
	if (!job)
		return NULL;
	job->service = service;
	job->channel = channel;
	job_spec_init(&job->spec);
	output_init(&job->out);
	output_init(&job->err);
	buf_init(&job->items, LIMIT_FRAMES_BYTES);
	buf_init(&job->control_out, JOB_FRAME_BYTES_MAX + 64 * KIB);
	job->facts.exit_code = -1;
	job->facts.syscall = -1;
	return job;
}

void job_free(struct job *job)
{
	if (!job)
		return;
	session_leave_line(&job->turn);
	job_spec_done(&job->spec);
	output_done(&job->out);
	output_done(&job->err);
	buf_done(&job->items);
	buf_done(&job->control_out);
	free(job);
}
