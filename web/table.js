// table: a data frame's table, sortable by each column.
import {announce, el, fill} from "./dom.js";
import {saveText} from "./download.js";
import {count, oneLine, plural, visible} from "./text.js";

const ROWS_SHOWN = 100;
const NUMBERS = ["float", "longdouble", "Decimal"]; // tags of what sorts as a number

// What a value of the contract is: its text, and what it is sorted by.
function reading(value) {
	if (value === null || value === undefined) return {text: "null", sort: null, kind: "none"};
	if (typeof value === "object" && "$type" in value) {
		const text = String(value.value);
		if (value.$type === "cut") return {text: `${text}…`, sort: text, kind: "text"};
		if (value.$type === "int") return {text, sort: bigInt(text), kind: "num"};
		if (NUMBERS.includes(value.$type)) {
			const number = Number(text.replace(/^([+-]?)inf(inity)?$/i, "$1Infinity"));
			return {text, sort: Number.isNaN(number) ? null : number, kind: "num"};
		}
		return {text, sort: text, kind: "text"};
	}
	if (typeof value === "number")
		return {text: number(value), full: String(value), sort: value, kind: "num"};
	if (typeof value === "object")
		return {text: JSON.stringify(value), sort: JSON.stringify(value), kind: "text"};
	return {
		text: String(value),
		sort: typeof value === "boolean" ? Number(value) : String(value),
		kind: "text",
	};
}

// What is beyond decimal digits travels as hexadecimal ones.
function bigInt(text) {
	const [, sign, digits] = /^([+-]?)(\d+|0x[0-9a-f]+)$/i.exec(text) ?? [null, "", "0"];
	return sign === "-" ? -BigInt(digits) : BigInt(digits);
}

// Ten figures of a fraction are enough to read; the exact value is in the cell's title and in the
// CSV. An integer may be a name: it stays whole.
function number(value) {
	if (Number.isInteger(value)) return String(value);
	const short = Number(value.toPrecision(10));
	return Math.abs(short) >= 1e15 || (short !== 0 && Math.abs(short) < 1e-6) ? String(value) : String(short);
}

const collator = new Intl.Collator("en", {numeric: true});

function compare(a, b) {
	if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
	if (typeof a === "string" || typeof b === "string") return collator.compare(String(a), String(b));
	return a < b ? -1 : a > b ? 1 : 0;
}

// {header, isIndex, isNumber, cells} for each column, those of the index first.
function columnsOf(table) {
	const index = table.index;
	const columns = (index?.names ?? []).map((name, at) => ({
		header: name === null ? "" : reading(name).text,
		isIndex: true,
		cells: index.values.map((row) => reading(row[at])),
	}));
	table.columns.forEach((column, at) =>
		columns.push({
			header: reading(column.name).text,
			dtype: column.dtype,
			isIndex: false,
			cells: table.rows.map((row) => reading(row[at])),
		}),
	);
	for (const column of columns)
		column.isNumber =
			column.cells.some((cell) => cell.kind === "num") &&
			column.cells.every((cell) => cell.kind !== "text");
	return columns;
}

const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function csvOf(columns) {
	const lines = [columns.map((column) => quoted(column.header)).join(",")];
	for (let row = 0; row < columns[0].cells.length; row++)
		lines.push(
			columns
				.map(({cells}) =>
					cells[row].kind === "none" ? "" : quoted(cells[row].full ?? cells[row].text),
				)
				.join(","),
		);
	return lines.join("\n") + "\n";
}

function cellElement(column, cell) {
	const text = oneLine(cell.text, 300);
	return el(
		column.isIndex ? "th" : "td",
		{
			class:
				[column.isNumber ? "num" : null, cell.kind === "none" ? "none" : null]
					.filter(Boolean)
					.join(" ") || null,
			scope: column.isIndex ? "row" : null,
			title:
				cell.full && cell.full !== text ? cell.full : text !== cell.text ? visible(cell.text) : null,
		},
		text,
	);
}

// How many rows or columns are shown, and of how many.
function extent(shown, all, one) {
	if (all === undefined || all <= shown) return plural(shown, one);
	return `${count(shown)} of ${plural(all, one)}`;
}

export function tableElement(table, name) {
	const columns = columnsOf(table);
	const rowCount = table.rows.length;
	const original = Array.from({length: rowCount}, (_, i) => i);
	const body = el("tbody");
	let order = original,
		sorted = -1,
		direction = "none",
		shown = Math.min(rowCount, ROWS_SHOWN);

	// brig sends 50 rows at most; a server that sends more must not hold the page up.
	const more = el(
		"button",
		{
			type: "button",
			class: "small",
			onclick: () => {
				shown = Math.min(rowCount, shown + 1000);
				draw();
			},
		},
		"More rows",
	);
	const draw = () => {
		fill(
			body,
			order.slice(0, shown).map((row) =>
				el(
					"tr",
					{},
					columns.map((column) => cellElement(column, column.cells[row])),
				),
			),
		);
		more.hidden = shown === rowCount;
	};
	const headers = columns.map((column, at) => {
		const button = el(
			"button",
			{
				type: "button",
				title: column.dtype ? `${visible(column.header)}: ${column.dtype}` : null,
				onclick: () => sortBy(at),
			},
			oneLine(column.header, 80) || "index",
		);
		return el("th", {scope: "col", class: column.isNumber ? "num" : null, "aria-sort": "none"}, button);
	});
	const sortBy = (at) => {
		direction =
			sorted !== at || direction === "none"
				? "ascending"
				: direction === "ascending"
					? "descending"
					: "none";
		sorted = at;
		const sign = direction === "descending" ? -1 : 1;
		const cells = columns[at].cells;
		// What is missing stays at the end, whichever way.
		order =
			direction === "none"
				? original
				: [...original].sort(
						(a, b) =>
							(cells[a].sort === null || cells[b].sort === null ? 1 : sign) *
							compare(cells[a].sort, cells[b].sort),
					);
		headers.forEach((header, i) => header.setAttribute("aria-sort", i === at ? direction : "none"));
		announce(
			direction === "none"
				? "in the original order"
				: `sorted by ${headers[at].textContent}, ${direction}`,
		);
		draw();
	};
	draw();
	const ends = table.row_count > rowCount ? ", the first and the last," : "";
	const height = extent(rowCount, table.row_count, "row") + ends;
	const width = extent(table.columns.length, table.column_count, "column");
	return el(
		"figure",
		{class: "table"},
		el(
			"figcaption",
			{},
			el("span", {class: "muted num"}, `${height} × ${width}`),
			el(
				"button",
				{
					type: "button",
					class: "small",
					"aria-label": `Save ${name} as CSV`,
					onclick: () => saveText(csvOf(columns), "table.csv"),
				},
				"CSV",
			),
		),
		el(
			"div",
			{class: "table-scroll", tabindex: "0", role: "group", "aria-label": name},
			el("table", {}, el("thead", {}, el("tr", {}, headers)), body),
		),
		more,
	);
}
