import { reportError, wantsJson } from "../report-error.ts";
import type { Command } from "../usage.ts";
import { serveCommand } from "./serve.ts";

/** `haft serve` is one file for a fast start. It reports errors itself, because its error classes differ from the caller's. */
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
