import { reportError, wantsJson } from "../report-error.ts";
import type { Command } from "../usage.ts";
import { serveCommand } from "./serve.ts";

/**
 * `haft serve` as a program of its own, since clients wait for its start: what is published has it in one file, with copies of all that
 * it loads. So it tells of its errors itself: those who started it have other classes.
 */
export const serveProgram: Command = {
  ...serveCommand,
  async run(args, name) {
    try {
      return await serveCommand.run(args, name);
    } catch (thrown) {
      return reportError(thrown, wantsJson([name, ...args]));
    }
  },
};
