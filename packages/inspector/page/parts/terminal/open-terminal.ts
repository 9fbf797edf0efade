import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { shownTheme } from "../../app/theme.ts";
import { escapeBidi } from "../text/escape-invisible.ts";
import { QuietDocument } from "./quiet-document.ts";
import { terminalColors } from "./terminal-colors.ts";

export interface OpenTerminal {
  terminal: Terminal;
  /** Drawn text never enters the page. */
  write(text: string): void;
  writeBytes(bytes: Uint8Array): void;
  /** Fits and returns the size. */
  fit(): { cols: number; rows: number } | undefined;
  /** All text with scrollback, without colours. */
  text(): string;
  dispose(): void;
}

interface TerminalHandlers {
  label: string;
  /** Keys, pastes and mouse reports, without the terminal's own answers. */
  typed?: (text: string, by: "person" | "mouse") => void;
  /** A key leaves the terminal. */
  left?: () => void;
  /** Pipe output lacks carriage returns. */
  convertEol: boolean;
}

/** Lines. */
const SCROLLBACK = 10_000;

/** Programs need Tab and Escape. */
const LEAVE_KEY = "F6";

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

/** Internals of xterm. */
interface TerminalInside {
  _core?: { coreService?: { onUserInput?: (listener: () => void) => unknown } };
}

const MOUSE_REPORTS = ["\u001B[<", "\u001B[M"];

/** Forwards text that xterm marks as input, not answers or focus reports. */
function forwardTyped(terminal: Terminal, typed: NonNullable<TerminalHandlers["typed"]>): void {
  let isByPerson = false;
  // oxlint-disable-next-line no-underscore-dangle -- xterm has no public event for input of a person
  (terminal as unknown as TerminalInside)._core?.coreService?.onUserInput?.(() => (isByPerson = true));
  terminal.onData((text) => {
    if (isByPerson) typed(text, MOUSE_REPORTS.some((start) => text.startsWith(start)) ? "mouse" : "person");
    isByPerson = false;
  });
}

/** Without `typed`, it is read-only and arrow keys scroll. */
export function openTerminal(
  element: HTMLElement,
  { label, typed, left, convertEol }: TerminalHandlers,
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
    // Foreign links do not work.
    linkHandler: { activate: () => undefined },
    minimumContrastRatio: 4.5,
  });
  const decoder = new TextDecoder();
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  quiet.during(() => terminal.open(element));
  terminal.textarea?.setAttribute("aria-label", label);
  if (typed !== undefined) forwardTyped(terminal, typed);
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
      const dimensions = fit.proposeDimensions();
      if (dimensions === undefined || Number.isNaN(dimensions.cols)) return undefined;
      const size = { cols: Math.max(2, dimensions.cols), rows: Math.max(1, dimensions.rows) };
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
