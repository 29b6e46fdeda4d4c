/*
 * e2b_chart: what brig tells of a plot, in the shapes of E2B's charts: line, scatter, bar, pie,
 * box_and_whisker; several axes are a superchart.
 *
 * Histograms are bars, one for each bin; ticks are not told. What E2B has no shape for is of type
 * "unknown".
 */
#include "api/e2b.h"

#include <errno.h>
#include <stdio.h>

enum shape { SHAPE_UNKNOWN, SHAPE_LINE, SHAPE_SCATTER, SHAPE_BAR, SHAPE_PIE, SHAPE_BOX };

static const struct {
	const char *name;
	enum shape shape;
} kinds[] = {
	{"line", SHAPE_LINE},
	{"errorbar", SHAPE_LINE},
	{"stem", SHAPE_LINE},
	{"scatter", SHAPE_SCATTER},
	{"bar", SHAPE_BAR},
	{"histogram", SHAPE_BAR},
	{"pie", SHAPE_PIE},
	{"box", SHAPE_BOX},
};

static const char *const shape_names[] = {
	"unknown", "line", "scatter", "bar", "pie", "box_and_whisker"};

static enum shape shape_of(const json_t *series)
{
	struct span type = json_text(json_object_get(series, "type"));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (span_is(type, kinds[i].name))
			return kinds[i].shape;
	return SHAPE_UNKNOWN;
}

static json_t *label_of(const json_t *series)
{
	json_t *label = json_object_get(series, "label");
	return json_is_string(label) ? json_incref(label) : json_string("");
}

static int push_points(json_t *elements, const json_t *series)
{
	const json_t *x = json_object_get(series, "x"), *y = json_object_get(series, "y");
	json_t *points = json_array();
	int rc = json_push(
		elements, json_pack("{s:o, s:o}", "label", label_of(series), "points", points));
	for (size_t i = 0; !rc && i < json_array_size(x) && i < json_array_size(y); i++)
		rc = json_push(points, json_pack("[o, o]", e2b_plain(json_array_get(x, i)),
					       e2b_plain(json_array_get(y, i))));
	return rc;
}

/* A bar's label is text, whatever stands on the axis. */
static json_t *as_text(json_t *value)
{
	cleanup_json json_t *inner = e2b_plain(value);
	if (json_is_integer(inner))
		return json_sprintf("%lld", (long long)json_integer_value(inner));
	if (json_is_number(inner))
		return json_sprintf("%.12g", json_number_value(inner));
	return json_is_string(inner) ? json_incref(inner) : json_string("");
}

static json_t *bin_label(const json_t *bins, size_t number)
{
	return json_sprintf("%.12g to %.12g", json_number_value(json_array_get(bins, number)),
		json_number_value(json_array_get(bins, number + 1)));
}

static int push_bars(json_t *elements, const json_t *series)
{
	const json_t *x = json_object_get(series, "x"), *y = json_object_get(series, "y");
	const json_t *bins = json_object_get(series, "bins");
	const json_t *values = bins ? json_object_get(series, "counts") : y;
	int rc = 0;
	for (size_t i = 0; !rc && i < json_array_size(values); i++)
		rc = json_push(elements,
			json_pack("{s:o, s:o, s:o}", "label",
				bins ? bin_label(bins, i) : as_text(json_array_get(x, i)), "value",
				e2b_plain(json_array_get(values, i)), "group", label_of(series)));
	return rc;
}

static int push_wedges(json_t *elements, const json_t *series)
{
	const json_t *labels = json_object_get(series, "labels");
	const json_t *values = json_object_get(series, "values");
	double sum = 0;
	int rc = 0;
	for (size_t i = 0; i < json_array_size(values); i++)
		sum += json_number_value(json_array_get(values, i));
	for (size_t i = 0; !rc && i < json_array_size(values); i++) {
		double part = json_number_value(json_array_get(values, i));
		rc = json_push(elements,
			json_pack("{s:o, s:f, s:f}", "label", as_text(json_array_get(labels, i)),
				"angle", sum > 0 ? part / sum * 360 : 0.0, "radius", 1.0));
	}
	return rc;
}

static json_t *figure(const json_t *box, const char *key)
{
	json_t *value = json_object_get(box, key);
	return e2b_plain(value);
}

static int push_boxes(json_t *elements, const json_t *series)
{
	const json_t *boxes = json_object_get(series, "boxes");
	int rc = 0;
	for (size_t i = 0; !rc && i < json_array_size(boxes); i++) {
		const json_t *box = json_array_get(boxes, i);
		rc = json_push(elements,
			json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:[]}", "label", label_of(box),
				"min", figure(box, "low"), "first_quartile", figure(box, "q1"),
				"median", figure(box, "median"), "third_quartile",
				figure(box, "q3"), "max", figure(box, "high"), "outliers"));
	}
	return rc;
}

static int push_series(json_t *elements, enum shape shape, const json_t *series)
{
	switch (shape) {
	case SHAPE_LINE:
	case SHAPE_SCATTER:
		return push_points(elements, series);
	case SHAPE_BAR:
		return push_bars(elements, series);
	case SHAPE_PIE:
		return push_wedges(elements, series);
	case SHAPE_BOX:
		return push_boxes(elements, series);
	case SHAPE_UNKNOWN:
		break;
	}
	return 0;
}

static bool looks_like_date(struct span text)
{
	const unsigned char *at = text.data;
	return text.len >= 10 && at[0] >= '0' && at[0] <= '9' && at[4] == '-' && at[7] == '-';
}

/* "log" and the like as matplotlib has them; else by what the values are. */
static const char *scale_of(const json_t *axes, const char *key, const json_t *values)
{
	const char *scale = json_string_value(json_object_get(axes, key));
	cleanup_json json_t *first =
		json_array_size(values) ? e2b_plain(json_array_get(values, 0)) : NULL;
	if (scale)
		return scale;
	if (json_is_string(first))
		return looks_like_date(json_text(first)) ? "datetime" : "categorical";
	return "linear";
}

static int put_axes_labels(json_t *chart, const json_t *axes)
{
	json_t *x = json_object_get(axes, "x_label"), *y = json_object_get(axes, "y_label");
	int rc = json_put(chart, "x_label", x ? json_incref(x) : json_null());
	if (!rc)
		rc = json_put(chart, "y_label", y ? json_incref(y) : json_null());
	if (!rc)
		rc = json_put(chart, "x_unit", json_null());
	return rc ? rc : json_put(chart, "y_unit", json_null());
}

static int put_scales(json_t *chart, const json_t *axes, const json_t *series)
{
	static const char *const empty[] = {"x_ticks", "x_tick_labels", "y_ticks", "y_tick_labels"};
	int rc = json_put(chart, "x_scale",
		json_string(scale_of(axes, "x_scale", json_object_get(series, "x"))));
	if (!rc)
		rc = json_put(chart, "y_scale",
			json_string(scale_of(axes, "y_scale", json_object_get(series, "y"))));
	for (size_t i = 0; !rc && i < sizeof(empty) / sizeof(empty[0]); i++)
		rc = json_put(chart, empty[i], json_array());
	return rc;
}

/* The first series says what the axes are; those of other shapes are left out. */
static json_t *chart_of_axes(const json_t *axes, const json_t *title)
{
	const json_t *all = json_object_get(axes, "series");
	const json_t *first = json_array_get(all, 0);
	enum shape shape = shape_of(first);
	json_t *own = json_object_get(axes, "title");
	json_t *elements = json_array();
	cleanup_json json_t *chart = json_pack("{s:s, s:O?, s:o}", "type", shape_names[shape],
		"title", own ? own : (json_t *)(uintptr_t)title, "elements", elements);
	int rc = chart ? 0 : -ENOMEM;
	if (!rc && shape != SHAPE_PIE && shape != SHAPE_UNKNOWN)
		rc = put_axes_labels(chart, axes);
	if (!rc && (shape == SHAPE_LINE || shape == SHAPE_SCATTER))
		rc = put_scales(chart, axes, first);
	for (size_t i = 0; !rc && i < json_array_size(all); i++)
		if (shape_of(json_array_get(all, i)) == shape)
			rc = push_series(elements, shape, json_array_get(all, i));
	return rc ? NULL : TAKE_JSON(chart);
}

json_t *e2b_chart(const json_t *chart)
{
	const json_t *axes = json_object_get(json_object_get(chart, "data"), "axes");
	const json_t *title = json_object_get(chart, "title");
	size_t count = json_array_size(axes);
	if (!count)
		return NULL;
	if (count == 1)
		return chart_of_axes(json_array_get(axes, 0), title);
	json_t *elements = json_array();
	cleanup_json json_t *whole = json_pack("{s:s, s:O?, s:o}", "type", "superchart", "title",
		(json_t *)(uintptr_t)title, "elements", elements);
	for (size_t i = 0; whole && i < count; i++)
		if (json_push(elements, chart_of_axes(json_array_get(axes, i), NULL)) < 0)
			return NULL;
	return TAKE_JSON(whole);
}
