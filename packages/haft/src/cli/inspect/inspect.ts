import type { InspectOptions } from "@haft/inspector";
import { waitForAbort, listenForSignals } from "../call/signal-listener.ts";
import { refusePageInSession } from "../refuse-in-session.ts";
import { resumeCommand } from "../run/resume-command.ts";
import { removeStaleFiles } from "../serve/remove-stale-files.ts";
import { readSessionValues, sessionArguments } from "../session-arguments.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { action, defineCommand, FLAG, TEXT, UsageError } from "../usage.ts";
import { withHost } from "../with-host.ts";
import { print } from "../write-out.ts";
import { loadInspector } from "./serve-inspector-page.ts";

const help = `haft inspect [options]

Serves a local page that shows past and present work of agents: sessions with their calls, calls that wait for your
decision, the rules and the effect of a change on recorded calls, tools, commands, and the ledger. Prints the
address of the page once, and ends with Ctrl-C. Requires the package @haft/inspector.

  haft inspect                            show the records of every program of this user
  haft inspect --act                      also decide: approvals, rules, undo

The address contains a token, after the #: anyone who has it sees the same page. Without --act the page decides
nothing. It shows sessions of running programs from their records; haft serve --inspect and haft chat --inspect show
theirs live, with output.

      --act                 let the page decide: approvals, undo, rules, input and end of commands, calls by hand.
                            Policy and ledger apply to all of it, except that calls in a scratch folder are not
                            recorded
      --port N              port of the page; default: any free port
      --listen ADDRESS      listen at this address instead of 127.0.0.1, behind your own server with TLS; needs
                            --origin
      --origin URL          https address of that server; needs --listen
      --json                print one line for programs: url, lookUrl, address, port, role
  -w, --workspace DIR       folder whose rules and tools are shown; default: the current folder
      --root NAME=DIR[:ro|:rw]
                            one more folder of its sessions
      --config FILE         configuration; default: HAFT_CONFIG, or ~/.config/haft/haft.config.yaml if it exists
      --no-config           read no configuration
      --plugin FILE         a plugin in addition to those of the configuration; can be repeated
      --policy FILE         rules instead of those of the configuration; the page shows and edits this file
      --admin-policy FILE   rules that no policy can loosen; default: HAFT_ADMIN_POLICY, or
                            /etc/haft/policy.yaml if it exists
      --state DIR           folder of calls and approvals; default: HAFT_STATE_DIR, or ~/.local/state/haft
  -h, --help                print this text

Exit codes: 0 for --help, 1 if the page cannot be served, 2 for wrong usage, 129, 130 or 143 if SIGHUP, SIGINT
(Ctrl-C) or SIGTERM ended it.`;

const { workspace, root, config, "no-config": noConfig, plugin, policy, state } = sessionArguments;

interface PageValues {
  act?: boolean | undefined;
  port?: string | undefined;
  listen?: string | undefined;
  origin?: string | undefined;
}

function pageOptions({ act, port, listen, origin }: PageValues): InspectOptions {
  if ((listen === undefined) !== (origin === undefined))
    throw new UsageError(
      `--listen and --origin need each other: the address of the page, and the https address of your server in front of it. ${listen === undefined ? "--listen" : "--origin"} is missing.`,
    );
  const number = port === undefined ? undefined : Number(port);
  if (number !== undefined && (!/^\d{1,5}$/.test(port!) || number > 65_535))
    throw new UsageError(`--port is a number from 0 to 65535; got "${port}".`);
  return {
    ...(act === true && { act }),
    ...(number !== undefined && { port: number }),
    ...(listen !== undefined && { listen }),
    ...(origin !== undefined && { origin }),
  };
}

export const inspectCommand = defineCommand(
  help,
  action({
    options: {
      act: FLAG,
      port: TEXT,
      listen: TEXT,
      origin: TEXT,
      json: FLAG,
      workspace,
      root,
      config,
      "no-config": noConfig,
      plugin,
      policy,
      "admin-policy": sessionArguments["admin-policy"],
      state,
    },
    async run({ act, port, listen, origin, json, ...values }) {
      const options = pageOptions({ act, port, listen, origin });
      refusePageInSession();
      const until = listenForSignals();
      const { host: given } = await readSessionValues(values);
      removeStaleFiles(given.stateDir);
      try {
        return await withHost({ ...given, logger: stderrLogger }, async (host) => {
          const { inspectStored } = await loadInspector();
          const page = await inspectStored(host, { ...options, resume: resumeCommand });
          try {
            print(json, forPrograms(page, act), () => describe(page.url, act));
            await waitForAbort(until.signal);
          } finally {
            await page.close();
          }
          return until.code() ?? 0;
        });
      } finally {
        until.end();
      }
    },
  }),
);

function forPrograms(
  { url, lookUrl, address, port }: { url: string; lookUrl: string; address: string; port: number },
  act = false,
) {
  return { url, lookUrl, address, port, role: act ? "act" : "look" };
}

function describe(url: string, act = false): string {
  const what = act ? "Anyone with this address can decide." : "It is read-only; --act lets it decide.";
  return `${url}\n${what} Ctrl-C ends the page, and the address becomes invalid.`;
}
