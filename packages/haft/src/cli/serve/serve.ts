import { sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { defineCommand, UsageError } from "../usage.ts";

const help = `haft serve [options]

Serves the tools of one session over MCP, on standard input and output, to the program that started it: a
coding agent, or any other client of the Model Context Protocol (2025-11-25 and 2026-07-28).

Workspace, kind, rules and roots are what you say here and in your configuration. No client can widen them.
The session begins with the first call, and ends when the client closes its end. Where no rules say how
commands run, they are contained: they write in the workspace alone and reach no network, and leaving is
one question. What has to be approved is asked at the client, if that can ask and the session is a main
one; else it waits for haft approvals.

Nothing but messages goes to standard output. SIGUSR2 reads configuration and policy files anew.

${sessionArgumentsHelp}

Exit codes: 0 when the client has closed its end, 1 when the session could not be opened or may have left
a sandbox that still runs, 2 for wrong usage, 129, 130 or 143 when SIGHUP, SIGINT or SIGTERM ended it.`;

export const serveCommand = defineCommand(help, { ...sessionArguments }, async (values, positionals) => {
  if (positionals.length > 0) throw new UsageError(`haft serve takes no "${positionals[0]}".`);
  const { serveProcess } = await import("./serve-process.ts");
  return serveProcess(values);
});
