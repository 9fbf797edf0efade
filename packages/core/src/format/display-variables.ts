const DISPLAY = /^(?:TERM|COLORTERM|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|LANG|LANGUAGE|LC_[A-Z]+|TZ)$/;

/**
 * Whether a variable of this name only says how the output of commands looks, and not what they do: another terminal
 * must not make an approved command a new one. A program that runs something because of one of these could be told to by
 * any file as well.
 */
export function isDisplayVariable(name: string): boolean {
  return DISPLAY.test(name);
}
