const DISPLAY = /^(?:TERM|COLORTERM|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|LANG|LANGUAGE|LC_[A-Z]+|TZ)$/;

/**
 * Returns whether a variable only affects the form of output, such as `TERM`: approved commands may run with another value.
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
