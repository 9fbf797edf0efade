import { DEFAULT_KEEP } from "@haft/core/internal";
import { bytesOf } from "../../config/records/record-settings.ts";
import type { ChatSettings } from "../../settings/chat-settings.ts";
import type { PlaceValues } from "../place/kept-store.ts";

export interface OperatorsChat {
  chat: ChatSettings;
  modelName?: string | undefined;
  contextTokens?: number | undefined;
  /** Whether anything of calls is kept: where that is not, what was said is not either. */
  keeps: boolean;
  keepDays: number;
  keepBytes: number;
}

/** Without anything of a workspace: what stands there could send a key, and what is said, anywhere. */
export async function operatorsChat({
  config,
  "no-config": none = false,
}: PlaceValues): Promise<OperatorsChat> {
  const said = none ? undefined : await readTrusted(config);
  const { chat = {}, model, record, keep } = said ?? {};
  return {
    chat,
    modelName: model?.name,
    contextTokens: model?.contextTokens,
    keeps: record !== "none" && chat.keep !== false,
    keepDays: keep?.days ?? DEFAULT_KEEP.days,
    keepBytes: (keep?.bytes === undefined ? undefined : bytesOf(keep.bytes)) ?? DEFAULT_KEEP.bytes,
  };
}

async function readTrusted(config: string | undefined) {
  const { findTrusted } = await import("../../config/find-configuration.ts");
  return (await findTrusted(config))?.config;
}
