import {
  readSessionValues,
  sessionArguments,
  sessionArgumentsHelp,
  type SessionValues,
} from "../session-arguments.ts";
import { action, defineCommand, UsageError } from "../usage.ts";
import { CONFIGURED_CLIENTS } from "./print-config/configured-clients.ts";

const ADDRESS = /^(?:[\w.:[\]-]+:)?\d{1,5}$/;

const help = `haft serve [options]
haft serve --http [[ADDRESS:]PORT] [options]

Serves the tools of one session over MCP, on standard input and output, to the program that started it: a coding
agent, or any other client of the Model Context Protocol (2025-11-25 and 2026-07-28).

      --http [PLACE]        serve many sessions over HTTP instead, to clients with a token, until Ctrl-C; default:
                            127.0.0.1:7310, which other machines cannot reach

Over HTTP, your configuration lists the tokens. Without it, there is one token in the state folder:

  serve:
    tokens:
      laptop: { token: { file: ~/.config/haft/laptop.token } }
      ci: { token: { env: CI_TOKEN }, kind: group, workspace: ~/ci, policy: ./ci.yaml }

Each token has separate sessions. A client with sessions of its own gets one for each of them. Another client names
its session in the header Haft-Session, or gets one session.

This command line and your configuration set the workspace, the kind, the rules and the roots. No client can widen
them. The session starts with the first call and ends when the client closes the connection. If no rules mention
commands, they are contained: they can write only to the workspace and to caches of Haft, have no network, and need
one approval to run outside. The client asks for approvals if it can and the session is of kind main; otherwise calls
wait for haft approvals.

Standard output contains only protocol messages. SIGUSR2 reads configuration and policy files again.

      --inspect [ROLE]      also serve a local page that shows the sessions live, and that decides about calls with
                            the role act. Prints the address on a terminal; otherwise stores it in the state folder,
                            in inspect/, readable only by you. Requires @haft/inspector
      --print-config CLIENT print how to set up a client that starts this command line and, if possible, has no
                            other tools: ${CONFIGURED_CLIENTS.join(", ")}

${sessionArgumentsHelp}

Exit codes: 0 if the client closed the connection, 1 if the session could not be opened or may have left a running
sandbox, 2 for wrong usage, 129, 130 or 143 if SIGHUP, SIGINT or SIGTERM ended it.`;

const serve = action({
  options: {
    ...sessionArguments,
    http: { type: "string", optional: ADDRESS },
    inspect: { type: "string", optional: /^act$/ },
    "print-config": { type: "string", words: CONFIGURED_CLIENTS },
  },
  async run(values) {
    const { http, "print-config": client, inspect: page, ...session } = values;
    if (page !== undefined) {
      (await import("./served-host.ts")).inspectRole(page);
      (await import("../refuse-in-session.ts")).refusePageInSession();
    }
    if (client !== undefined) {
      if (http !== undefined)
        throw new UsageError("--print-config is for a client that starts the server itself: omit --http.");
      await tryOut(session);
      const { printConfig } = await import("./print-config/print-config.ts");
      const { serverCommand } = await import("./print-config/server-command.ts");
      console.log(printConfig(client, serverCommand(session, Object.keys(session))));
      return 0;
    }
    if (http === undefined) return (await import("./serve-process.ts")).serveProcess(session, page);
    return (await import("./serve-endpoint.ts")).serveEndpoint(session, http, page);
  },
});

export const serveCommand = defineCommand(help, serve);

/** Reports wrong options before a client uses them. */
async function tryOut(session: SessionValues): Promise<void> {
  const [{ createHost }, { toServedOptions }] = await Promise.all([
    import("@haft/host"),
    import("./served-host.ts"),
  ]);
  const { host } = await readSessionValues(session);
  await (await createHost(toServedOptions(host))).close();
}
