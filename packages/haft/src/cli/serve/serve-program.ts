import { reportError, wantsJson } from "../report-error.ts";
import type { Command } from "../usage.ts";
import { serveCommand } from "./serve.ts";

/**
 * `haft serve` as a separate program for a fast start. The package contains it as one file with copies of its modules. It reports errors
 * itself,
 * because its error classes differ from those of the caller.
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
