export interface SequenceState {
  readonly pending: string;
  readonly inString: boolean;
}

export const NO_SEQUENCE: SequenceState = { pending: "", inString: false };

const MAX_SEQUENCE = 256;
/* oxlint-disable no-control-regex -- control characters are what this file is about */
/** ESC and its 8-bit equivalents: DCS, SOS, CSI, OSC, PM, APC. */
const INTRODUCER = /[\u001b\u0090\u0098\u009b\u009d-\u009f]/g;
/** BEL, ST, and the two characters that cancel. */
const STRING_END = /\u0007|\u009c|\u001b\\|[\u0018\u001a]/g;
/** A title never spans lines, so a stray opener must not hide the rest. */
const TITLE_END = /\u0007|\u009c|\u001b\\|[\u0018\u001a]|(?=\n)/g;
const PARAMETERS = /[0-?]*[ -/]*/y;
const INTERMEDIATES = /[ -/]*/y;
/* oxlint-enable no-control-regex */
/** Sequences that move or erase within a line. */
const LINE_EDITS = "KGCD";

/** Removes escape sequences from text in pieces. Keeps sequences that edit the current line, in 7-bit notation. */
export function stripSequences(
  piece: string,
  { pending, inString }: SequenceState,
): { text: string; state: SequenceState } {
  const input = pending + piece;
  let text = "";
  let at = inString ? endOf(STRING_END, input, 0) : 0;
  while (at !== undefined) {
    const start = indexOf(INTRODUCER, input, at);
    text += input.slice(at, start);
    if (start === input.length) return { text, state: NO_SEQUENCE };
    const sequence = parse(input, start);
    if (sequence === "incomplete") return { text, state: { pending: input.slice(start), inString: false } };
    text += sequence.keep;
    at = sequence.end;
  }
  return { text, state: { pending: input.endsWith("\u001b") ? "\u001b" : "", inString: true } };
}

interface Sequence {
  keep: string;
  /** Absent if a string is unfinished. */
  end: number | undefined;
}

function parse(input: string, start: number): Sequence | "incomplete" {
  const escaped = input[start] === "\u001b";
  const kind = escaped ? input[start + 1] : String.fromCodePoint(input.charCodeAt(start) - 0x40);
  const body = start + (escaped ? 2 : 1);
  if (kind === undefined) return "incomplete";
  if (kind === "[") return parseControl(input, start, body);
  if (kind === "]") return { keep: "", end: endOf(TITLE_END, input, body) };
  if ("PX^_".includes(kind)) return { keep: "", end: endOf(STRING_END, input, body) };
  const final = skip(INTERMEDIATES, input, start + 1);
  if (final === input.length && final - start < MAX_SEQUENCE) return "incomplete";
  return { keep: "", end: /[0-~]/.test(input[final] ?? "") ? final + 1 : start + 1 };
}

function parseControl(input: string, start: number, body: number): Sequence | "incomplete" {
  const at = skip(PARAMETERS, input, body);
  if (at === input.length && at - start < MAX_SEQUENCE) return "incomplete";
  const final = input[at] ?? "";
  if (!/[@-~]/.test(final)) return { keep: "", end: at };
  return { keep: LINE_EDITS.includes(final) ? `\u001b[${input.slice(body, at)}${final}` : "", end: at + 1 };
}

function indexOf(pattern: RegExp, input: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(input)?.index ?? input.length;
}

function endOf(pattern: RegExp, input: string, from: number): number | undefined {
  pattern.lastIndex = from;
  const found = pattern.exec(input);
  return found === null ? undefined : found.index + found[0].length;
}

function skip(pattern: RegExp, input: string, from: number): number {
  pattern.lastIndex = from;
  return from + (pattern.exec(input)?.[0].length ?? 0);
}
