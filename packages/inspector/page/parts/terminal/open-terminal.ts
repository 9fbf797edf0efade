import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { shownTheme } from "../../app/theme.ts";
import { escapeBidi } from "../text/escape-invisible.ts";
import { QuietDocument } from "./quiet-document.ts";
import { terminalColors } from "./terminal-colors.ts";

export interface OpenTerminal {
  terminal: Terminal;
  /** Text of whoever runs there. It is drawn, and never part of the page. */
  write(text: string): void;
  writeBytes(bytes: Uint8Array): void;
  /** Takes the place there is; says how much that is. */
  fit(): { cols: number; rows: number } | undefined;
  /** What it shows, all that can be scrolled to: without colours, and of what was written anew how it is now. */
  text(): string;
  dispose(): void;
}

interface TerminalWish {
  label: string;
  /** Keys and pastes of a person go somewhere, and reports about the mouse; never what the terminal says by itself. */
  typed?: (text: string, by: "person" | "mouse") => void;
  /** Somebody wants out of it, where it takes every key. */
  left?: () => void;
  /** Line ends come without the return that a terminal's own have: those of a pipe. */
  convertEol: boolean;
}

/** Lines that can be scrolled back to. */
const SCROLLBACK = 10_000;

/** Between parts of a page, as elsewhere; Tab and Escape are the program's. */
const LEAVE_KEY = "F6";

/** Moves what is seen of a terminal that only shows; other keys are not its own. */
function scrollBy(terminal: Terminal, event: KeyboardEvent): false {
  const moves: Readonly<Record<string, () => void>> = {
    ArrowUp: () => terminal.scrollLines(-1),
    ArrowDown: () => terminal.scrollLines(1),
    PageUp: () => terminal.scrollPages(-1),
    PageDown: () => terminal.scrollPages(1),
    Home: () => terminal.scrollToTop(),
    End: () => terminal.scrollToBottom(),
  };
  const move = moves[event.key];
  if (move !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    if (event.type === "keydown") move();
  }
  return false;
}

/** What xterm knows inside, and does not tell with the text. */
interface TerminalInside {
  _core?: { coreService?: { onUserInput?: (listener: () => void) => unknown } };
}

/** Starts of mouse reports. No key sends them. */
const MOUSE_REPORTS = ["\u001B[<", "\u001B[M"];

/**
 * Tells text that a person made. xterm says so in front of each; what it does not say it of, answers to programs and reports about
 * focus, goes nowhere.
 */
function tellTyped(terminal: Terminal, typed: NonNullable<TerminalWish["typed"]>): void {
  let isByPerson = false;
  // oxlint-disable-next-line no-underscore-dangle -- xterm has no public event for input of a person
  (terminal as unknown as TerminalInside)._core?.coreService?.onUserInput?.(() => (isByPerson = true));
  terminal.onData((text) => {
    if (isByPerson) typed(text, MOUSE_REPORTS.some((start) => text.startsWith(start)) ? "mouse" : "person");
    isByPerson = false;
  });
}

/** Opens a terminal; without `typed` it only shows, and arrows and their like move in it. */
export function openTerminal(
  element: HTMLElement,
  { label, typed, left, convertEol }: TerminalWish,
): OpenTerminal {
  const quiet = new QuietDocument();
  const terminal = new Terminal({
    documentOverride: quiet.document,
    convertEol,
    disableStdin: typed === undefined,
    cursorBlink: false,
    cursorInactiveStyle: typed === undefined ? "none" : "outline",
    fontFamily: getComputedStyle(element).getPropertyValue("--mono"),
    fontSize: 12.5,
    lineHeight: 1.25,
    scrollback: SCROLLBACK,
    screenReaderMode: typed !== undefined,
    theme: terminalColors(shownTheme.value),
    // A link of anybody's leads nowhere.
    linkHandler: { activate: () => undefined },
    minimumContrastRatio: 4.5,
  });
  const decoder = new TextDecoder();
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  quiet.during(() => terminal.open(element));
  terminal.textarea?.setAttribute("aria-label", label);
  if (typed !== undefined) tellTyped(terminal, typed);
  terminal.attachCustomKeyEventHandler((event) => {
    if (typed === undefined) return scrollBy(terminal, event);
    if (event.key !== LEAVE_KEY) return true;
    event.preventDefault();
    if (event.type === "keydown") left?.();
    return false;
  });
  const deaf = shownTheme.subscribe((theme) => {
    terminal.options.theme = terminalColors(theme);
  });
  return {
    terminal,
    write: (text) => terminal.write(escapeBidi(text)),
    writeBytes: (bytes) => terminal.write(escapeBidi(decoder.decode(bytes, { stream: true }))),
    fit: () => {
      const place = fit.proposeDimensions();
      if (place === undefined || Number.isNaN(place.cols)) return undefined;
      const size = { cols: Math.max(2, place.cols), rows: Math.max(1, place.rows) };
      if (size.cols !== terminal.cols || size.rows !== terminal.rows) terminal.resize(size.cols, size.rows);
      return size;
    },
    text: () => textOf(terminal),
    dispose: () => {
      deaf();
      terminal.dispose();
      quiet.release();
    },
  };
}

function textOf({ buffer: { active } }: Terminal): string {
  let text = "";
  for (let at = 0; at < active.length; at++) {
    const line = active.getLine(at);
    const goesOn = active.getLine(at + 1)?.isWrapped === true;
    text += `${line?.translateToString(!goesOn) ?? ""}${goesOn ? "" : "\n"}`;
  }
  return text.replace(/\n+$/, "\n");
}
