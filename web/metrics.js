// metrics: what /metrics says, read.

// A list of {name, labels, value}.
export function parseMetrics(text) {
	const samples = [];
	for (const line of text.split("\n")) {
		const found = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
		if (!found) continue;
		const labels = {};
		for (const [, key, value] of (found[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g))
			labels[key] = value.replace(/\\(.)/g, (_, c) => (c === "n" ? "\n" : c));
		samples.push({name: found[1], labels, value: Number(found[3])});
	}
	return samples;
}

const matches = (labels, wanted) => Object.entries(wanted).every(([key, value]) => labels[key] === value);

// The sum over all samples of a name; undefined where there is none.
export function sum(samples, name, wanted = {}) {
	const found = samples.filter((sample) => sample.name === name && matches(sample.labels, wanted));
	return found.length ? found.reduce((total, sample) => total + sample.value, 0) : undefined;
}

// {value of a label: sum}.
export function byLabel(samples, name, label) {
	const sums = {};
	for (const sample of samples)
		if (sample.name === name && sample.labels[label] !== undefined)
			sums[sample.labels[label]] = (sums[sample.labels[label]] ?? 0) + sample.value;
	return sums;
}

// A histogram's buckets as [[upper bound, count up to it]], less what `before` had.
export function buckets(samples, name, wanted, before = []) {
	const old = new Map(before);
	return samples
		.filter((sample) => sample.name === `${name}_bucket` && matches(sample.labels, wanted))
		.map(({labels, value}) => [labels.le === "+Inf" ? Infinity : Number(labels.le), value])
		.sort((a, b) => a[0] - b[0])
		.map(([bound, value]) => [bound, value - (old.get(bound) ?? 0)]);
}

// By linear interpolation within its bucket, as Prometheus does, and never above `most`, the longest
// that there was; undefined for an empty histogram.
export function quantile(list, share, most = Infinity) {
	const value = interpolate(list, share, most);
	return value === undefined ? undefined : Math.min(value, most);
}

function interpolate(list, share, most) {
	const total = list.at(-1)?.[1] ?? 0;
	if (!total) return undefined;
	const rank = share * total;
	let lower = 0,
		below = 0;
	for (const [bound, upTo] of list) {
		if (upTo >= rank) {
			if (bound === Infinity) return most === Infinity ? lower : most;
			return upTo === below ? bound : lower + ((bound - lower) * (rank - below)) / (upTo - below);
		}
		lower = bound;
		below = upTo;
	}
	return lower;
}
