const DISPLAY = /^(?:TERM|COLORTERM|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|LANG|LANGUAGE|LC_[A-Z]+|TZ)$/;

/**
 * Returns whether a variable only affects the form of output, such as `TERM` or `LANG`. A new value does not change an approved command.
 *
 * @example
 * ```ts run
 * import { isDisplayVariable } from "@haft/commands";
 *
 * isDisplayVariable("LANG"); // => true
 * isDisplayVariable("PATH"); // => false
 * ```
 */
export function isDisplayVariable(name: string): boolean {
  return DISPLAY.test(name);
}
