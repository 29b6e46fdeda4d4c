/*
 * immortal: a walk over the heap by tp_traverse, which also reaches what the collector does not
 * track: strings, numbers, bytes, plain tuples.
 *
 * Nothing that is immortal is ever freed or changed in place for having one owner only; both are
 * right for what a zygote has loaded and every child starts from.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "zygote/immortal.h"

#include "zygote/python.h"

#include <errno.h>
#include <stdlib.h>

struct walk {
	PyObject **stack;
	size_t count, room;
	int failed;
};

static int push(PyObject *object, void *context)
{
	struct walk *walk = context;
	/* A frame or generator is at work, or may be again, and frees what it holds. */
	if (!object || _Py_IsImmortal(object) || PyFrame_Check(object) || PyGen_Check(object) ||
		PyCoro_CheckExact(object))
		return 0;
	if (walk->count == walk->room) {
		size_t room = walk->room ? walk->room * 2 : 65536;
		PyObject **stack = realloc(walk->stack, room * sizeof(PyObject *));
		if (!stack) {
			walk->failed = 1;
			return 1;
		}
		walk->stack = stack;
		walk->room = room;
	}
	walk->stack[walk->count++] = object;
	return 0;
}

/* Code is no container to the collector, yet every constant that a function loads and every name
 * that it looks up has its count changed. */
static void visit_code(const PyCodeObject *code, struct walk *walk)
{
	PyObject *const held[] = {code->co_consts, code->co_names, code->co_exceptiontable,
		code->co_localsplusnames, code->co_localspluskinds, code->co_filename,
		code->co_name, code->co_qualname, code->co_linetable};
	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++)
		(void)push(held[i], walk);
}

/* The collector passes over keys that are strings. */
static void visit_keys(PyObject *dict, struct walk *walk)
{
	PyObject *key;
	Py_ssize_t at = 0;
	while (PyDict_Next(dict, &at, &key, NULL))
		(void)push(key, walk);
}

static void visit_hidden(PyObject *object, struct walk *walk)
{
	if (PyCode_Check(object)) {
		visit_code((const PyCodeObject *)object, walk);
	} else if (PyDict_Check(object)) {
		visit_keys(object, walk);
	} else if (PyType_Check(object) &&
		   PyType_HasFeature((PyTypeObject *)object, Py_TPFLAGS_HEAPTYPE)) {
		(void)push(((PyHeapTypeObject *)object)->ht_name, walk);
		(void)push(((PyHeapTypeObject *)object)->ht_qualname, walk);
	}
}

static void visit_all(struct walk *walk)
{
	while (walk->count && !walk->failed) {
		PyObject *object = walk->stack[--walk->count];
		if (_Py_IsImmortal(object))
			continue;
		object->ob_refcnt = _Py_IMMORTAL_REFCNT;
		(void)push((PyObject *)Py_TYPE(object), walk);
		visit_hidden(object, walk);
		traverseproc traverse = Py_TYPE(object)->tp_traverse;
		if (traverse && PyObject_IS_GC(object))
			(void)traverse(object, push, walk);
	}
}

/* The list itself is not in it, and stays mortal. */
static PyObject *tracked_objects(void)
{
	PyObject *gc = PyImport_ImportModule("gc");
	PyObject *thawed = gc ? PyObject_CallMethod(gc, "unfreeze", NULL) : NULL;
	PyObject *objects = thawed ? PyObject_CallMethod(gc, "get_objects", NULL) : NULL;
	Py_XDECREF(thawed);
	Py_XDECREF(gc);
	return objects;
}

static int freeze_again(void)
{
	PyObject *gc = PyImport_ImportModule("gc");
	PyObject *frozen = gc ? PyObject_CallMethod(gc, "freeze", NULL) : NULL;
	int rc = frozen ? 0 : -1;
	Py_XDECREF(frozen);
	Py_XDECREF(gc);
	return rc;
}

int immortal_heap(struct err *err)
{
	struct walk walk = {0};
	PyObject *objects = tracked_objects();
	if (!objects)
		return python_error(err, "python");
	for (Py_ssize_t i = 0; i < PyList_GET_SIZE(objects); i++)
		(void)push(PyList_GET_ITEM(objects, i), &walk);
	visit_all(&walk);
	free(walk.stack);
	Py_DECREF(objects);
	if (walk.failed)
		return err_sys(err, -ENOMEM, "python", "making the heap immortal");
	return freeze_again() < 0 ? python_error(err, "python") : 0;
}
