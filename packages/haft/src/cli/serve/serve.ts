import {
  readSessionValues,
  sessionArguments,
  sessionArgumentsHelp,
  type SessionValues,
} from "../session-arguments.ts";
import { action, defineCommand, UsageError } from "../usage.ts";
import { CONFIGURED_CLIENTS } from "./print-config/configured-clients.ts";

const PLACE = /^(?:[\w.:[\]-]+:)?\d{1,5}$/;

const help = `haft serve [options]
haft serve --http [[ADDRESS:]PORT] [options]

Serves the tools of one session over MCP, on standard input and output, to the program that started it: a
coding agent, or any other client of the Model Context Protocol (2025-11-25 and 2026-07-28).

      --http [PLACE]        serve many sessions over HTTP instead, to whoever has a token, until Ctrl-C; default:
                            127.0.0.1:7310, and no other machine reaches it

Over HTTP your configuration says who is served; without it there is one token, in the state folder:

  serve:
    tokens:
      laptop: { token: { file: ~/.config/haft/laptop.token } }
      ci: { token: { env: CI_TOKEN }, kind: group, workspace: ~/ci, policy: ./ci.yaml }

A token has sessions of its own: for clients that have sessions one for each, for others those that they name
in the header Haft-Session, or else one for each client.

Workspace, kind, rules and roots are what you say here and in your configuration. No client can widen them.
The session begins with the first call, and ends when the client closes its end. Where no rules say how
commands run, they are contained: they write in the workspace and in caches of Haft's own, reach no
network, and leaving is one question. What has to be approved is asked at the client, if that can ask and
the session is a main one; else it waits for haft approvals.

Nothing but messages goes to standard output. SIGUSR2 reads configuration and policy files anew.

      --inspect [ROLE]      a page on this machine beside it, that shows its sessions as they go, and with the
                            role act decides about them. Its address is printed on a terminal, else kept in
                            the state folder, in inspect/, for you alone. Needs @haft/inspector
      --print-config CLIENT how to set up a client so that it starts this very command line, and has no tools
                            beside it where that can be had: ${CONFIGURED_CLIENTS.join(", ")}

${sessionArgumentsHelp}

Exit codes: 0 when the client has closed its end, 1 when the session could not be opened or may have left
a sandbox that still runs, 2 for wrong usage, 129, 130 or 143 when SIGHUP, SIGINT or SIGTERM ended it.`;

const serve = action({
  options: {
    ...sessionArguments,
    http: { type: "string", optional: PLACE },
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
        throw new UsageError(
          "--print-config is for a client that starts the server itself: leave --http out.",
        );
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

/** Reports wrong options before the client uses them. */
async function tryOut(session: SessionValues): Promise<void> {
  const [{ createHost }, { toServedOptions }] = await Promise.all([
    import("@haft/host"),
    import("./served-host.ts"),
  ]);
  const { host } = await readSessionValues(session);
  await (await createHost(toServedOptions(host))).close();
}
