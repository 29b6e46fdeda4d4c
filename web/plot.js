// plot: small charts of the page's own figures, as SVG elements.
import {svg} from "./dom.js";

const WIDTH = 600;

// Stacked bars over time. `series`: [{name, tone, values}], all of one length.
export function bars(series, label, height = 96) {
	const slots = series[0]?.values.length ?? 0;
	const totals = Array.from({length: slots}, (_, i) =>
		series.reduce((total, one) => total + one.values[i], 0),
	);
	const top = Math.max(1, ...totals);
	const step = WIDTH / Math.max(1, slots);
	const chart = svg("svg", {
		viewBox: `0 0 ${WIDTH} ${height}`,
		role: "img",
		"aria-label": label,
		preserveAspectRatio: "none",
		class: "plot",
	});
	for (let i = 0; i < slots; i++) {
		let base = height;
		for (const one of series) {
			const size = (one.values[i] / top) * (height - 4);
			if (size <= 0) continue;
			base -= size;
			chart.append(
				svg("rect", {
					x: (i * step + step * 0.12).toFixed(2),
					y: base.toFixed(2),
					width: (step * 0.76).toFixed(2),
					height: size.toFixed(2),
					class: `fill-${one.tone}`,
				}),
			);
		}
	}
	chart.append(svg("line", {x1: 0, x2: WIDTH, y1: height - 0.5, y2: height - 0.5, class: "axis"}));
	return chart;
}

export function line(values, label, height = 40) {
	const top = Math.max(1, ...values);
	const step = WIDTH / Math.max(1, values.length - 1);
	const points = values
		.map(
			(value, i) =>
				`${(i * step).toFixed(1)},${(height - 3 - (value / top) * (height - 6)).toFixed(1)}`,
		)
		.join(" ");
	const chart = svg("svg", {
		viewBox: `0 0 ${WIDTH} ${height}`,
		role: "img",
		"aria-label": label,
		preserveAspectRatio: "none",
		class: "plot spark",
	});
	if (values.length > 1) {
		chart.append(svg("polygon", {points: `0,${height} ${points} ${WIDTH},${height}`, class: "area"}));
		chart.append(svg("polyline", {points, class: "stroke", "vector-effect": "non-scaling-stroke"}));
	}
	return chart;
}
