/** Shapes in a square of 16, in addition to colour. */
const SHAPES = {
  ok: "M3 8.5 6.500 12 13 4.500",
  error: "M4 4l8 8M12 4l-8 8",
  blocked: "M8 13.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zM4.200 4.200l7.600 7.600",
  cancelled: "M4.500 4.500h7v7h-7z",
  waiting: "M5.500 3.500v9M10.500 3.500v9",
  running: "M5 3.500l7 4.500-7 4.500z",
  interrupted: "M5 5.500a3 3 0 1 1 4.400 2.700C8.400 8.700 8 9.200 8 10.200M8 13v.01",
  gap: "M3 8v.01M8 8v.01M13 8v.01",
  allow: "M3 8.500 6.500 12 13 4.500",
  ask: "M5 5.500a3 3 0 1 1 4.400 2.700C8.400 8.700 8 9.200 8 10.200M8 13v.01",
  grant: "M8 3.500v9M3.500 8h9",
  deny: "M4 4l8 8M12 4l-8 8",
  warning: "M8 2.500v7M8 13v.01",
  note: "M8 7v6M8 3.500v.01",
  quiet: "M4 8h8",
} as const;

/** Also a class. */
export type MarkKind = keyof typeof SHAPES;

interface MarkProps {
  word: MarkKind;
  /** Default: the kind. */
  text?: string;
  title?: string | undefined;
  /** For dense lists. */
  bare?: boolean;
  /** Only for screen readers. */
  short?: boolean;
}

export function Mark({ word, text = word, title, bare = false, short = false }: MarkProps) {
  return (
    <span class={`mark ${word}${bare ? " bare" : ""}`} title={title ?? (short ? text : undefined)}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={SHAPES[word]} />
      </svg>
      <span class={short ? "unseen" : undefined}>{text}</span>
    </span>
  );
}
