import type { Logger } from "@haft/core";
import type { NoticeStore } from "@haft/store";
import { Notifier } from "../../approvals/notify/notifier.ts";
import type { NotifySettings } from "../../approvals/notify/settings.ts";
import { namedStateFolder } from "../../boundary/named-state-folder.ts";

/** What tells of the calls of a host that wait. Most hosts tell nobody. */
export function hostNotifier(
  notify: NotifySettings | undefined,
  notices: () => Promise<NoticeStore>,
  {
    stateDir,
    config,
    logger,
  }: { stateDir: string | undefined; config: string | undefined; logger: Logger | undefined },
): Notifier | undefined {
  if (notify === undefined || notify.length === 0) return undefined;
  const where: [string, string][] = [];
  if (config !== undefined) where.push(["--config", config]);
  if (stateDir !== undefined && stateDir !== namedStateFolder().path) where.push(["--state", stateDir]);
  return new Notifier({ targets: notify, notices, where, logger });
}
