import { formatToolResult, text } from "@haft/core";
import { styleText } from "node:util";
import { wrap } from "./layout.ts";

const STYLES = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;

/** Dresses text for a terminal, or leaves it as it is. */
export type Paint = Readonly<Record<(typeof STYLES)[number], (text: string) => string>>;

/** Where parts show what they do. */
export interface Screen {
  readonly paint: Paint;
  /** Columns of a line. */
  readonly width: number;
  readonly line: (content?: string) => void;
  readonly heading: (title: string) => void;
  /** Text of a model or a tool, wrapped and indented, without control characters. */
  readonly prose: (said: string, indent?: number, style?: (line: string) => string) => void;
}

/** Wider lines are hard to read, even where there is room. */
const WIDEST = 100;

export interface ScreenOptions {
  write: (content: string) => void;
  colors: boolean;
  /** Columns there are; 100 when unknown. */
  columns?: number | undefined;
}

export function createScreen({ write, colors, columns = WIDEST }: ScreenOptions): Screen {
  const styled = (style: (typeof STYLES)[number]) => (plain: string) =>
    colors ? styleText(style, plain, { validateStream: false }) : plain;
  const paint = Object.fromEntries(STYLES.map((style) => [style, styled(style)])) as Paint;
  const width = Math.max(60, Math.min(columns, WIDEST));
  const line = (content = "") => write(`${content}\n`);
  return {
    paint,
    width,
    line,
    heading: (title) => line(`\n${paint.bold(paint.cyan(title))}\n${paint.dim("─".repeat(width))}`),
    prose(said, indent = 2, style = (plain) => plain) {
      for (const each of wrap(printable(said).trim(), width - indent))
        line(`${" ".repeat(indent)}${style(each)}`);
    },
  };
}

/** A screen nobody looks at. */
export const darkScreen: Screen = createScreen({ write() {}, colors: false });

/** What others wrote must not move the cursor. */
export function printable(value: string): string {
  return formatToolResult({ content: [text(value)] }, "plain").replaceAll("\t", "  ");
}
