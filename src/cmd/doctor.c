/*
 * doctor: `brig doctor`. A service is started that may lack any layer, one job runs in a cell, and
 * its receipt is shown: what this host really gives, with the way to the rest.
 */
#include "cmd/doctor.h"

#include "base/fd.h"
#include "cmd/args_fill.h"
#include "cmd/cmd.h"
#include "cmd/doctor_advice.h"
#include "launch/launch.h"
#include "tool/cell_client.h"
#include "tool/job_id.h"
#include "tool/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"usage: brig doctor [--json] [--image NAME]\n"
	"\n"
	"Builds a cell on this host and reads back what the kernel gave, layer by layer.\n"
	"Exit status: 0 all layers are on, 1 one is missing, 125 no cell could be made.\n";

static const char probe_code[] = "6*7";

static int parse(int argc, char **argv, bool *ret_json, const char **ret_image, struct err *err)
{
	const struct args_slot slots[] = {
		{"--json", .is_set = ret_json}, {"--image", .text = ret_image}};
	return args_fill("doctor", argc, argv, slots, 2, err);
}

/* One job in one cell, any layer allowed to be missing. */
static int probe(const char *image, struct job_result *result, struct err *err)
{
	const struct launch_options options = {
		.image = image,
		.allow_degraded = ~(layer_set)0,
		.cells_max = 1,
	};
	const struct cell_client client = {0};
	struct job_spec spec cleanup_job_spec;
	cleanup_fd int channel_fd = -1;
	struct launch *launch = NULL;

	job_spec_init(&spec);
	spec.receipt = true;
	int rc = job_id_make(spec.id);
	if (!rc)
		rc = buf_add_text(&spec.code, probe_code);
	if (rc < 0)
		return err_sys(err, rc, "doctor", "preparing the probe");
	rc = launch_start(&options, &launch, err);
	if (!rc)
		rc = launch_channel(launch, &channel_fd, err);
	if (!rc)
		rc = cell_client_run(&client, channel_fd, &spec, result, err);
	if (!rc && !result->receipt.present) {
		*err = result->fault;
		rc = result->fault.code ? result->fault.code : -EPROTO;
	}
	fd_close(&channel_fd);
	launch_free(launch);
	return rc;
}

static size_t count_missing(const struct job_receipt *receipt)
{
	size_t missing = 0;
	for (int i = 0; i < LAYER_COUNT; i++)
		missing += receipt->layers[i].state == LAYER_MISSING;
	return missing;
}

static void print_text(const struct job_receipt *receipt)
{
	size_t missing = count_missing(receipt);

	(void)printf("kernel %s, cgroup %s\nimage %s\n\n", receipt->kernel, receipt->cgroup_version,
		receipt->image);
	for (int i = 0; i < LAYER_COUNT; i++) {
		const struct layer_report *layer = &receipt->layers[i];
		(void)printf("%-11s  %-11s  %s", layer_name((enum layer)i),
			layer_state_name(layer->state), layer_purpose((enum layer)i));
		(void)printf(layer->detail[0] ? " (%s)\n" : "\n", layer->detail);
		const char *advice = doctor_advice((enum layer)i);
		if (layer->state == LAYER_MISSING && advice)
			(void)printf("%26s to get it: %s\n", "", advice);
	}
	if (!missing) {
		(void)printf("\nAll layers that this host offers are on.\n");
		return;
	}
	(void)printf("\n%zu missing: jobs are refused unless the operator allows each by name:\n"
		     "  --allow-degraded ",
		missing);
	const char *comma = "";
	for (int i = 0; i < LAYER_COUNT; i++)
		if (receipt->layers[i].state == LAYER_MISSING) {
			(void)printf("%s%s", comma, layer_name((enum layer)i));
			comma = ",";
		}
	(void)printf("\n");
}

static json_t *layer_json(enum layer layer, const struct layer_report *report)
{
	json_t *object = json_object();
	const char *advice = report->state == LAYER_MISSING ? doctor_advice(layer) : NULL;
	int rc = json_put(object, "state", json_string(layer_state_name(report->state))) |
		 json_put(object, "purpose", json_string(layer_purpose(layer))) |
		 json_put(object, "detail", json_string(report->detail));
	if (advice)
		rc |= json_put(object, "advice", json_string(advice));
	if (rc)
		json_drop(&object);
	return object;
}

static int print_json(const struct job_receipt *receipt)
{
	struct buf out cleanup_buf;
	json_t *object cleanup_json = json_object();
	json_t *layers = json_object();
	int rc = 0;

	buf_init(&out, 64 * KIB);
	for (int i = 0; i < LAYER_COUNT; i++)
		rc |= json_put(layers, layer_name((enum layer)i),
			layer_json((enum layer)i, &receipt->layers[i]));
	rc |= json_put(object, "kernel", json_string(receipt->kernel)) |
	      json_put(object, "cgroup", json_string(receipt->cgroup_version)) |
	      json_put(object, "image", json_string(receipt->image)) |
	      json_put(object, "complete", json_boolean(count_missing(receipt) == 0)) |
	      json_put(object, "layers", layers);
	if (!rc)
		rc = json_write(object, &out);
	if (rc)
		return -ENOMEM;
	(void)printf("%.*s\n", (int)out.len, (const char *)out.data);
	return 0;
}

int cmd_doctor(int argc, char **argv)
{
	struct job_result result cleanup_job_result;
	const char *image = NULL;
	struct err err = {0};
	bool json = false;

	job_result_init(&result);
	int rc = parse(argc, argv, &json, &image, &err);
	if (rc > 0) {
		(void)fputs(help, stdout);
		return CMD_OK;
	}
	if (rc < 0) {
		(void)fprintf(stderr, "brig: doctor: %s\n", err.text);
		return CMD_USAGE;
	}
	rc = probe(image, &result, &err);
	if (rc < 0) {
		(void)fprintf(stderr, "brig: doctor: no cell could be made: %s: %s\n", err.stage,
			err.text);
		return CMD_INTERNAL;
	}
	if (json && print_json(&result.receipt) < 0)
		return CMD_INTERNAL;
	if (!json)
		print_text(&result.receipt);
	return count_missing(&result.receipt) ? CMD_ERROR : CMD_OK;
}
