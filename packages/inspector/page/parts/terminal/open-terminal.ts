import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { shownTheme } from "../../app/theme.ts";
import { withoutTurning } from "../text/visible-text.ts";
import { QuietDocument } from "./quiet-document.ts";
import { terminalColors } from "./terminal-colors.ts";

/** A terminal in an element of the page. */
export interface OpenTerminal {
  terminal: Terminal;
  /** Text of whoever runs there. It is drawn, and never part of the page. */
  write(text: string): void;
  /** The same, as bytes that are cut anywhere. */
  writeBytes(bytes: Uint8Array): void;
  /** Takes the place there is; says how much that is. */
  fit(): { cols: number; rows: number } | undefined;
  dispose(): void;
}

interface TerminalWish {
  label: string;
  /** What is typed goes somewhere. */
  typed?: (text: string) => void;
  /** Line ends come without the return that a terminal's own have: those of a pipe. */
  convertEol: boolean;
}

/** Lines that can be scrolled back to. */
const SCROLLBACK = 10_000;

/** Opens a terminal; without `typed` it only shows. */
export function openTerminal(element: HTMLElement, { label, typed, convertEol }: TerminalWish): OpenTerminal {
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
  if (typed === undefined) terminal.textarea?.setAttribute("tabindex", "-1");
  else terminal.onData(typed);
  const deaf = shownTheme.subscribe((theme) => {
    terminal.options.theme = terminalColors(theme);
  });
  return {
    terminal,
    write: (text) => terminal.write(withoutTurning(text)),
    writeBytes: (bytes) => terminal.write(withoutTurning(decoder.decode(bytes, { stream: true }))),
    fit: () => {
      const place = fit.proposeDimensions();
      if (place === undefined || Number.isNaN(place.cols)) return undefined;
      const size = { cols: Math.max(2, place.cols), rows: Math.max(1, place.rows) };
      if (size.cols !== terminal.cols || size.rows !== terminal.rows) terminal.resize(size.cols, size.rows);
      return size;
    },
    dispose: () => {
      deaf();
      terminal.dispose();
      quiet.release();
    },
  };
}
