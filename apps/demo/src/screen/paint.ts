import { styleText } from "node:util";

const STYLES = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;

/** Dresses text for a terminal, or leaves it as it is. */
export type Paint = Readonly<Record<(typeof STYLES)[number], (text: string) => string>>;

export function createPaint(enabled: boolean): Paint {
  const entries = STYLES.map((style) => {
    const dress = (text: string) => (enabled ? styleText(style, text, { validateStream: false }) : text);
    return [style, dress] as const;
  });
  return Object.fromEntries(entries) as Paint;
}
