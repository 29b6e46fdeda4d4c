// The editor: CodeMirror with Python, in a shadow root, where its styles are constructed sheets and
// so need no leave to be inline.
import {autocompletion, closeBrackets, closeBracketsKeymap, completeAnyWord} from "@codemirror/autocomplete";
import {defaultKeymap, history, historyKeymap, indentWithTab} from "@codemirror/commands";
import {python} from "@codemirror/lang-python";
import {
	bracketMatching,
	HighlightStyle,
	indentOnInput,
	indentUnit,
	syntaxHighlighting,
} from "@codemirror/language";
import {highlightSelectionMatches, searchKeymap} from "@codemirror/search";
import {EditorState, StateEffect, StateField} from "@codemirror/state";
import {
	Decoration,
	drawSelection,
	dropCursor,
	EditorView,
	highlightActiveLine,
	highlightActiveLineGutter,
	highlightSpecialChars,
	keymap,
	lineNumbers,
	WidgetType,
} from "@codemirror/view";
import {tags} from "@lezer/highlight";

export const kind = "code";

const setMark = StateEffect.define();

// The message of an error, below its line.
class Fault extends WidgetType {
	constructor(message) {
		super();
		this.message = message;
	}
	eq(other) {
		return other.message === this.message;
	}
	toDOM() {
		const box = document.createElement("div");
		box.className = "cm-fault";
		box.textContent = this.message;
		return box;
	}
}

// The marked line; the mark goes with the first change.
const markField = StateField.define({
	create: () => Decoration.none,
	update(marks, transaction) {
		for (const effect of transaction.effects)
			if (effect.is(setMark))
				return effect.value ? marksOf(transaction.state, effect.value) : Decoration.none;
		return transaction.docChanged ? Decoration.none : marks;
	},
	provide: (field) => EditorView.decorations.from(field),
});

function marksOf(state, {line, message}) {
	const at = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines));
	return Decoration.set([
		Decoration.line({class: "cm-fault-line"}).range(at.from),
		Decoration.widget({widget: new Fault(message), block: true, side: 1}).range(at.to),
	]);
}

const colours = HighlightStyle.define([
	{
		tag: [
			tags.keyword,
			tags.operatorKeyword,
			tags.controlKeyword,
			tags.definitionKeyword,
			tags.moduleKeyword,
		],
		color: "var(--code-keyword)",
	},
	{tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)"},
	{tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)"},
	{tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic"},
	{
		tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)],
		color: "var(--code-name)",
		fontWeight: "600",
	},
	{tag: tags.meta, color: "var(--code-keyword)"},
]);

const look = EditorView.theme({
	"&": {
		height: "100%",
		flex: "1",
		minWidth: "0",
		color: "var(--text)",
		backgroundColor: "transparent",
		fontSize: "13.5px",
	},
	"&.cm-focused": {outline: "none"},
	".cm-scroller": {fontFamily: "var(--mono)", lineHeight: "1.6"},
	".cm-content": {padding: "12px 0", caretColor: "var(--accent)"},
	".cm-line": {padding: "0 14px"},
	".cm-gutters": {
		backgroundColor: "transparent",
		color: "var(--muted)",
		border: "none",
		fontVariantNumeric: "tabular-nums",
	},
	".cm-lineNumbers .cm-gutterElement": {padding: "0 4px 0 14px", minWidth: "38px"},
	".cm-activeLine, .cm-activeLineGutter": {backgroundColor: "transparent"},
	"&.cm-focused .cm-activeLine": {backgroundColor: "var(--line)"},
	"&.cm-focused .cm-activeLineGutter": {color: "var(--text)"},
	".cm-cursor": {borderLeftColor: "var(--accent)", borderLeftWidth: "2px"},
	"&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
		backgroundColor: "var(--selection)",
	},
	".cm-selectionMatch": {backgroundColor: "var(--selection)"},
	"&.cm-focused .cm-matchingBracket": {
		backgroundColor: "var(--selection)",
		outline: "1px solid var(--border)",
	},
	".cm-specialChar": {color: "var(--bad)"},
	".cm-fault-line, &.cm-focused .cm-fault-line.cm-activeLine": {
		backgroundColor: "var(--bad-tint)",
		boxShadow: "inset 3px 0 var(--bad)",
	},
	".cm-fault": {
		color: "var(--bad)",
		backgroundColor: "var(--bad-tint)",
		boxShadow: "inset 3px 0 var(--bad)",
		padding: "1px 14px 4px",
		fontFamily: "var(--sans)",
		fontSize: "12.5px",
		whiteSpace: "pre-wrap",
		overflowWrap: "anywhere",
	},
	".cm-tooltip": {
		backgroundColor: "var(--surface)",
		color: "var(--text)",
		border: "1px solid var(--border)",
		borderRadius: "8px",
	},
	".cm-tooltip-autocomplete > ul > li[aria-selected]": {
		backgroundColor: "var(--accent-fill)",
		color: "#fff",
	},
	".cm-panels": {backgroundColor: "var(--surface)", color: "var(--text)", borderColor: "var(--border)"},
	".cm-textfield, .cm-button": {
		backgroundColor: "var(--bg)",
		backgroundImage: "none",
		color: "var(--text)",
		borderColor: "var(--border)",
	},
});

// Where the browser's selection is, which may be ahead of the editor's.
function selected(view) {
	const native = view.root.getSelection?.();
	if (
		!native?.rangeCount ||
		!view.contentDOM.contains(native.anchorNode) ||
		!view.contentDOM.contains(native.focusNode)
	)
		return view.state.selection.main;
	const ends = [
		view.posAtDOM(native.anchorNode, native.anchorOffset),
		view.posAtDOM(native.focusNode, native.focusOffset),
	];
	return {from: Math.min(...ends), to: Math.max(...ends)};
}

// Typing over a selection: left to itself, Chromium keeps the look of what was selected in a style
// attribute, which the page's policy refuses. So the change is made here, with the same say for
// those who handle input (closing brackets).
function typeOver(event, view) {
	if (event.inputType !== "insertText" || event.isComposing || view.composing || !event.data) return false;
	const {from, to} = selected(view);
	if (from === to) return false;
	event.preventDefault();
	const change = () =>
		view.state.update({
			changes: {from, to, insert: event.data},
			selection: {anchor: from + event.data.length},
			userEvent: "input.type",
			scrollIntoView: true,
		});
	if (
		!view.state
			.facet(EditorView.inputHandler)
			.some((handle) => handle(view, from, to, event.data, change))
	)
		view.dispatch(change());
	return true;
}

function extensions({label, readOnly, onRun}) {
	const run = () => {
		onRun();
		return true;
	};
	const both = [
		lineNumbers(),
		highlightSpecialChars(),
		python(),
		syntaxHighlighting(colours),
		look,
		markField,
		EditorView.contentAttributes.of({"aria-label": label, tabindex: "0"}),
	];
	if (readOnly)
		return [...both, EditorState.readOnly.of(true), EditorView.lineWrapping, keymap.of(searchKeymap)];
	return [
		...both,
		EditorView.domEventHandlers({beforeinput: typeOver}),
		highlightActiveLineGutter(),
		history(),
		drawSelection(),
		dropCursor(),
		indentOnInput(),
		indentUnit.of("    "),
		bracketMatching(),
		closeBrackets(),
		highlightActiveLine(),
		highlightSelectionMatches(),
		autocompletion({activateOnTyping: false, override: [completeAnyWord]}),
		EditorView.contentAttributes.of({
			"aria-description": "Control Enter runs. Escape, then Tab leaves the editor.",
		}),
		keymap.of([
			{key: "Mod-Enter", run, preventDefault: true},
			...closeBracketsKeymap,
			...defaultKeymap,
			...searchKeymap,
			...historyKeymap,
			indentWithTab,
		]),
	];
}

export function createEditor(parent, {label, doc = "", readOnly = false, onRun = () => {}}) {
	const root = parent.shadowRoot ?? parent.attachShadow({mode: "open"});
	root.replaceChildren();
	const view = new EditorView({
		root,
		parent: root,
		state: EditorState.create({doc, extensions: extensions({label, readOnly, onRun})}),
	});
	const clearMark = () => view.dispatch({effects: setMark.of(null)});
	return {
		get: () => view.state.doc.toString(),
		set: (text) =>
			view.setState(EditorState.create({doc: text, extensions: extensions({label, readOnly, onRun})})),
		focus: () => view.focus(),
		clearMark,
		mark: (line, message) => {
			const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
			view.dispatch({
				effects: [setMark.of({line, message}), EditorView.scrollIntoView(at.from, {y: "center"})],
			});
		},
	};
}
