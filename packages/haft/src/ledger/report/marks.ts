import { END_WORDS, type EndWord } from "../end-of-call.ts";

/** Shapes, so that the end of a call is not in the colour alone; each in a square of 16. */
const SHAPES: Readonly<Record<EndWord, string>> = {
  ok: '<path d="M3 8.5 6.5 12 13 4.5"/>',
  error: '<path d="M4 4l8 8M12 4l-8 8"/>',
  blocked: '<circle cx="8" cy="8" r="5.5"/><path d="M4.2 4.2l7.6 7.6"/>',
  cancelled: '<path d="M4.5 4.5h7v7h-7z"/>',
  waiting: '<path d="M5.5 3.5v9M10.5 3.5v9"/>',
  running: '<path d="M5 3.5l7 4.5-7 4.5z"/>',
  interrupted: '<path d="M5 5.5a3 3 0 1 1 4.4 2.7C8.4 8.7 8 9.2 8 10.2"/><path d="M8 13v.01"/>',
  gap: '<path d="M3 8v.01M8 8v.01M13 8v.01"/>',
};

/** Each shape once in a page; {@link mark} shows them. */
export function defineMarks(words: readonly EndWord[]): string {
  const symbols = words.map((word) => `<symbol id="m-${word}" viewBox="0 0 16 16">${SHAPES[word]}</symbol>`);
  return `<svg class="defs" aria-hidden="true">${symbols.join("")}</svg>`;
}

/** The word with its shape. */
export function mark(word: EndWord, note: string = word): string {
  return `<span class="mark ${word}" title="${END_WORDS[word]}"><svg aria-hidden="true"><use href="#m-${word}"/></svg>${note}</span>`;
}
