/*
 * job: one CELL_JOB frame handed to `_brig.run`, and its items handed back.
 *
 * From here on user code runs in this process: nothing below is trusted by the service, which
 * judges from the kernel's figures alone.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "base/buf.h"
#include "base/fd.h"
#include "wire/cell.h"
#include "wire/frame.h"
#include "wire/limits.h"
#include "wire/result.h"
#include "zygote/embed.h"
#include "zygote/python.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int control_fd_now = -1;
static uint32_t call_now;
static pid_t runner_pid;
static PyObject *run_job, *emitter;

static int item_kind(const char *kind)
{
	static const struct {
		const char *name;
		enum item_kind kind;
	} kinds[] = {
		{"value", ITEM_VALUE},
		{"table", ITEM_TABLE},
		{"chart", ITEM_CHART},
		{"error", ITEM_ERROR},
		{"hint", ITEM_HINT},
		{"note", ITEM_NOTE},
	};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, kind) == 0)
			return (int)kinds[i].kind;
	return -EINVAL;
}

static int send_item(enum item_kind kind, const void *data, size_t bytes)
{
	struct buf frame cleanup_buf;
	size_t mark;
	buf_init(&frame, LIMIT_FRAME_BYTES + 64);
	int rc = wire_begin(&frame, CELL_ITEM, &mark);
	if (!rc)
		rc = wire_add_u64(&frame, CELL_TAG_CALL, call_now);
	if (!rc)
		rc = wire_add_u64(&frame, CELL_TAG_KIND, kind);
	if (!rc)
		rc = wire_add(&frame, CELL_TAG_PAYLOAD, data, bytes);
	if (!rc)
		rc = wire_end(&frame, mark, 0);
	return rc ? rc : fd_write_all(control_fd_now, frame.data, frame.len);
}

static PyObject *emit(PyObject *self, PyObject *args)
{
	const char *kind, *data;
	Py_ssize_t bytes;
	(void)self;
	if (!PyArg_ParseTuple(args, "sy#", &kind, &data, &bytes))
		return NULL;
	int number = item_kind(kind);
	if (number < 0)
		return PyErr_Format(PyExc_ValueError, "no item of kind %s", kind);
	/* A forked child of the job shares the pipe but has nothing to report. */
	if (getpid() != runner_pid)
		Py_RETURN_NONE;
	int rc = send_item((enum item_kind)number, data, (size_t)bytes);
	if (rc < 0) {
		errno = -rc;
		return PyErr_SetFromErrno(PyExc_OSError);
	}
	Py_RETURN_NONE;
}

static PyMethodDef emit_method = {"emit", emit, METH_VARARGS, NULL};

struct job_options {
	struct span code;
	bool session;
	PyObject *dict, *names, *limits;
};

static int set(PyObject *dict, const char *key, PyObject *value)
{
	int rc = value ? PyDict_SetItemString(dict, key, value) : -1;
	Py_XDECREF(value);
	return rc;
}

static int set_number(PyObject *dict, const char *key, const struct wire_field *field)
{
	uint64_t number;
	if (wire_u64(field, UINT64_MAX, &number) < 0) {
		PyErr_SetString(PyExc_ValueError, key);
		return -1;
	}
	return set(dict, key, PyLong_FromUnsignedLongLong(number));
}

/* Small flags arrive as numbers; Python's side takes words and truth values. */
static int set_flag(PyObject *dict, const struct wire_field *field)
{
	uint64_t number;
	if (wire_u64(field, 1, &number) < 0) {
		PyErr_SetString(PyExc_ValueError, "flag");
		return -1;
	}
	if (field->tag == CELL_TAG_CHART_FORMAT)
		return set(dict, "chart_format", PyUnicode_FromString(number ? "svg" : "png"));
	return set(dict, "table_csv", PyBool_FromLong((long)number));
}

static int take_field(struct job_options *options, const struct wire_field *field)
{
	const char *data = (const char *)field->value.data;
	Py_ssize_t bytes = (Py_ssize_t)field->value.len;

	switch (field->tag) {
	case CELL_TAG_CODE:
		options->code = field->value;
		return 0;
	case CELL_TAG_INPUT_NAME: {
		PyObject *name = PyUnicode_DecodeUTF8(data, bytes, "surrogateescape");
		int rc = name ? PyList_Append(options->names, name) : -1;
		Py_XDECREF(name);
		return rc;
	}
	case CELL_TAG_CHART_FORMAT:
	case CELL_TAG_TABLE_CSV:
		return set_flag(options->dict, field);
	case CELL_TAG_WALL_MS:
		return set_number(options->limits, "wall_ms", field);
	case CELL_TAG_CPU_MS:
		return set_number(options->limits, "cpu_ms", field);
	case CELL_TAG_MEMORY_BYTES:
		return set_number(options->limits, "memory_bytes", field);
	case CELL_TAG_PROCESSES:
		return set_number(options->limits, "processes", field);
	case CELL_TAG_STDIN:
		return set_number(options->dict, "stdin", field);
	case CELL_TAG_SESSION:
		options->session = true;
		return set(options->dict, "context",
			PyUnicode_DecodeASCII(data, bytes, "backslashreplace"));
	default:
		return 0;
	}
}

static int build_options(struct span fields, struct job_options *options)
{
	struct wire_field field;
	int rc = 1;

	options->dict = PyDict_New();
	options->names = PyList_New(0);
	options->limits = PyDict_New();
	if (!options->dict || !options->names || !options->limits)
		return -1;
	while ((rc = wire_next(&fields, &field)) > 0)
		if (take_field(options, &field) < 0)
			return -1;
	if (rc < 0) {
		PyErr_SetString(PyExc_ValueError, "malformed job");
		return -1;
	}
	rc = PyDict_SetItemString(options->dict, "input_names", options->names);
	if (!rc)
		rc = PyDict_SetItemString(options->dict, "limits", options->limits);
	if (!rc)
		rc = set(options->dict, "spool",
			PyUnicode_FromString(CELL_TMP_DIR "/" CELL_SPOOL_NAME));
	if (!rc)
		rc = set(options->dict, "session", PyBool_FromLong(options->session));
	return rc;
}

static PyObject *call_run_job(const struct job_options *options)
{
	return PyObject_CallFunction(run_job, "y#OO", (const char *)options->code.data,
		(Py_ssize_t)options->code.len, options->dict, emitter);
}

int embed_make_ready(bool awaited, struct err *err)
{
	PyObject *module = PyImport_ImportModule("_brig.run");
	PyObject *done =
		module ? PyObject_CallMethod(module, "make_ready", "N", PyBool_FromLong(awaited))
		       : NULL;
	run_job = done ? PyObject_GetAttrString(module, "run_job") : NULL;
	emitter = run_job ? PyCFunction_New(&emit_method, NULL) : NULL;
	Py_XDECREF(module);
	Py_XDECREF(done);
	return emitter ? 0 : python_error(err, "make ready");
}

int embed_run(struct span fields, const struct embed_call *call, int control_fd, int *ret_exit,
	struct err *err)
{
	struct job_options options = {.code = span_of("", 0)};
	PyObject *answer = NULL;

	control_fd_now = control_fd;
	call_now = call->number;
	runner_pid = getpid();
	bool handed = build_options(fields, &options) == 0;
	if (handed)
		answer = call_run_job(&options);
	/* Only what a signal's handler raises in the last step of all comes through: the code's own
	 * affair, and no fault of brig's. A session goes on. */
	if (handed && !answer) {
		PyErr_Clear();
		answer = PyLong_FromLong(1);
	}
	long code = answer ? PyLong_AsLong(answer) : -1;
	int rc = answer && !PyErr_Occurred() ? 0 : python_error(err, "python");
	Py_XDECREF(answer);
	Py_XDECREF(options.dict);
	Py_XDECREF(options.names);
	Py_XDECREF(options.limits);
	if (!rc)
		*ret_exit = (int)(code & 0xff);
	return rc;
}
