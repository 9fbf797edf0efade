/* oxlint-disable no-control-regex -- control characters are what this file is about */
const EDITED = /[\r\b\u001b]/;
const EDIT = /\u001b\[([0-?]*)[ -/]*([KGCD])|\r|\u0008|[^\u001b\r\u0008]+/g;
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/* oxlint-enable no-control-regex */
const WIDEST = 4096;

/** Returns the last state of each line, for example of a progress bar. Removes other control characters. */
export function collapseLines(text: string): string {
  const lines = text.split("\n");
  return lines.map(collapse).join("\n");
}

function collapse(line: string): string {
  const content = line.endsWith("\r") ? line.slice(0, -1) : line;
  return (EDITED.test(content) ? replay(content) : content).replace(INVISIBLE, "");
}

function replay(line: string): string {
  let cells: string[] = [];
  let column = 0;
  for (const [token, parameter = "", edit] of line.matchAll(EDIT)) {
    const count = Math.min(Number.parseInt(parameter, 10) || 0, WIDEST);
    if (token === "\r") column = 0;
    else if (token === "\b") column = Math.max(0, column - 1);
    else if (edit === "G") column = Math.max(1, count) - 1;
    else if (edit === "C") column = Math.min(column + Math.max(1, count), Math.max(column, WIDEST));
    else if (edit === "D") column = Math.max(0, column - Math.max(1, count));
    else if (edit === "K") cells = erase(cells, column, count);
    else {
      while (cells.length < column) cells.push(" ");
      for (const character of token) cells[column++] = character;
    }
  }
  return cells.join("").trimEnd();
}

/** 0: to the end of the line, 1: from its start, 2: all of it. */
function erase(cells: string[], column: number, what: number): string[] {
  if (what === 0) return cells.slice(0, column);
  if (what === 2) return [];
  return cells.map((cell, index) => (index <= column ? " " : cell));
}
