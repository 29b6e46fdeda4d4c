/* embed: starting CPython as a script's author expects it, and warming it up. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "zygote/embed.h"
#include "zygote/python.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LEVELS_DIR "/usr/lib/brig/levels/"
#define RUNTIME_DIR L"/usr/lib/brig/python"

int python_error(struct err *err, const char *stage)
{
	PyObject *exception = PyErr_GetRaisedException();
	PyObject *text = exception ? PyObject_Str(exception) : NULL;
	const char *message = text ? PyUnicode_AsUTF8(text) : NULL;
	(void)err_set(err, -EPROTO, stage, "%s: %s",
		exception ? Py_TYPE(exception)->tp_name : "no exception",
		message ? message : "no message");
	Py_XDECREF(text);
	Py_XDECREF(exception);
	PyErr_Clear();
	return -EPROTO;
}

static PyStatus configure(PyConfig *config)
{
	/* Isolated: no environment variable and no user folder changes what runs. */
	PyConfig_InitIsolatedConfig(config);
	config->site_import = 1; /* dist-packages, exit(), quit() */
	config->write_bytecode = 0;
	config->pathconfig_warnings = 0;
	config->install_signal_handlers = 1;
	config->cpu_count = 1; /* agrees with affinity and quota */
	PyStatus status = PyConfig_SetString(config, &config->program_name, L"/usr/bin/python3");
	if (!PyStatus_Exception(status))
		status = PyConfig_SetString(config, &config->stdio_encoding, L"utf-8");
	if (!PyStatus_Exception(status))
		status = PyConfig_SetString(config, &config->stdio_errors, L"backslashreplace");
	return status;
}

static int start_interpreter(struct err *err)
{
	PyPreConfig before;
	PyPreConfig_InitIsolatedConfig(&before);
	before.utf8_mode = 1;
	PyStatus status = Py_PreInitialize(&before);
	if (PyStatus_Exception(status))
		return err_set(err, -EPROTO, "python", "%s", status.err_msg);

	PyConfig config;
	status = configure(&config);
	if (!PyStatus_Exception(status))
		status = Py_InitializeFromConfig(&config);
	PyConfig_Clear(&config);
	if (PyStatus_Exception(status))
		return err_set(err, -EPROTO, "python", "%s", status.err_msg);

	PyObject *path = PySys_GetObject("path"); /* borrowed */
	PyObject *entry = PyUnicode_FromWideChar(RUNTIME_DIR, -1);
	int rc = path && entry ? PyList_Append(path, entry) : -1;
	Py_XDECREF(entry);
	return rc < 0 ? python_error(err, "python") : 0;
}

/* One module a line. */
static PyObject *read_level(const char *level)
{
	char path[sizeof(LEVELS_DIR) + 32];
	char line[256];
	(void)snprintf(path, sizeof(path), "%s%s", LEVELS_DIR, level);
	FILE *file = fopen(path, "re");
	if (!file)
		return PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
	PyObject *modules = PyList_New(0);
	while (modules && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\r\n")] = 0;
		if (!line[0])
			continue;
		PyObject *name = PyUnicode_FromString(line);
		if (!name || PyList_Append(modules, name) < 0)
			Py_CLEAR(modules);
		Py_XDECREF(name);
	}
	(void)fclose(file);
	return modules;
}

int embed_start(const char *level, bool cold, struct err *err)
{
	int rc = start_interpreter(err);
	if (rc < 0)
		return rc;
	PyObject *modules = cold ? PyList_New(0) : read_level(level);
	PyObject *warm = modules ? PyImport_ImportModule("_brig.warm") : NULL;
	PyObject *done = warm ? PyObject_CallMethod(warm, "prepare", "sO", level, modules) : NULL;
	Py_XDECREF(modules);
	Py_XDECREF(warm);
	if (!done)
		return python_error(err, "python");
	Py_DECREF(done);
	return 0;
}

void embed_before_fork(void)
{
	PyOS_BeforeFork();
}

void embed_after_fork_parent(void)
{
	PyOS_AfterFork_Parent();
}

void embed_after_fork_child(void)
{
	PyOS_AfterFork_Child();
}
