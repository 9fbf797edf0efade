import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

export interface Screen {
  readonly columns: number;
  /** Unchanged: use {@link toPrintable} for foreign text. */
  write(text: string): void;
  line(text?: string): void;
  style(style: Style, text: string): string;
}

const WIDEST = 110;

type Output = Pick<NodeJS.WriteStream, "write"> & { isTTY?: boolean; columns?: number };

/** Ignores errors of a closed terminal. */
export function createScreen(stream: Output): Screen {
  const write = (text: string) => void stream.write(text);
  return {
    get columns() {
      return Math.max(20, Math.min(stream.columns ?? WIDEST, WIDEST));
    },
    write,
    line: (text = "") => write(`${text}\n`),
    style: (style, text) => styleText(style, text, { stream: stream as NodeJS.WriteStream }),
  };
}

// oxlint-disable-next-line no-control-regex -- what would move the cursor, or change the order of characters
const DANGEROUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/g;

/** Removes control sequences' introducers, because a sequence may arrive in pieces. */
export function toPrintable(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").replaceAll(DANGEROUS, "");
}

export function truncateToWidth(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join("")}…`;
}
