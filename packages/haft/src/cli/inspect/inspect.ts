import type { InspectOptions } from "@haft/inspector";
import { waitForAbort, listenForSignals } from "../call/signal-listener.ts";
import { refusePageInSession } from "../refuse-in-session.ts";
import { resumeCommand } from "../run/resume-command.ts";
import { removeStaleFiles } from "../serve/remove-stale-files.ts";
import { readSessionValues, sessionArguments } from "../session-arguments.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { installUncaughtHandler } from "../uncaught/install-uncaught-handler.ts";
import { action, defineCommand, FLAG, TEXT, UsageError } from "../usage.ts";
import { withHost } from "../with-host.ts";
import { print } from "../write-out.ts";
import { loadInspector } from "./serve-inspector-page.ts";

const help = `haft inspect [options]

Serves a page on this machine that shows what agents did and do: sessions with their calls, what waits for your
decision, the rules with what a change of them would do to calls that were made, tools, commands, and the ledger. It
prints the page's address once, and ends with Ctrl-C. It needs the package @haft/inspector beside haft.

  haft inspect                            look at what every program of this user keeps
  haft inspect --act                      and decide: approvals, rules, files put back

The address holds a token, behind the #: whoever has it sees what you see. Without --act it decides nothing. Sessions of
programs that run are followed by what they keep; haft serve --inspect and haft chat --inspect show theirs as they go, with
their output.

      --act                 the page decides, too: approvals, undo, rules, commands typed into and ended, tools
                            called by hand. All of it passes policy and ledger as ever, but for calls in a
                            scratch folder: of what is thrown away nothing is recorded
      --port N              default: any that is free
      --listen ADDRESS      listen there instead of at 127.0.0.1, for a server of yours with TLS in front of it;
      --origin URL          which is reached by this https address. Both or none
      --json                one line for programs: url, lookUrl, address, port, role
  -w, --workspace DIR       the folder whose rules and tools are shown; default: the current folder
      --root NAME=DIR[:ro|:rw]
                            one more folder of its sessions
      --config FILE         configuration; default: HAFT_CONFIG, or ~/.config/haft/haft.config.yaml where
                            it exists
      --no-config           read none
      --plugin FILE         a plugin beside those of the configuration; may be given several times
      --policy FILE         rules instead of those of the configuration: the file that is shown and edited
      --admin-policy FILE   rules that no policy can loosen; default: HAFT_ADMIN_POLICY, or
                            /etc/haft/policy.yaml where it exists
      --state DIR           where Haft keeps calls and approvals; default: HAFT_STATE_DIR, or
                            ~/.local/state/haft
  -h, --help                this text

Exit codes: 0 when it was not begun and nothing is wrong, 1 when it cannot be served, 2 for wrong usage, 129, 130 or 143
when SIGHUP, SIGINT (Ctrl-C) or SIGTERM ended it.`;

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
      `--listen and --origin go together: where the page listens, and by which https address of your own server it is reached. ${listen === undefined ? "--listen" : "--origin"} is missing.`,
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
      installUncaughtHandler();
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
  const what = act ? "Whoever has this address decides." : "It only looks; --act lets it decide.";
  return `${url}\n${what} Ctrl-C ends it, and the address with it.`;
}
