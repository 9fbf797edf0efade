// Records what Codex answers, for codex.test.ts: HAFT_CODEX=… node --conditions=@haft/source packages/tools-fs/test/codex/record.ts
import { writeFileSync } from "node:fs";
import { askCodex } from "./ask/ask-codex.ts";
import { makeItem } from "./items/make-item.ts";
import { RECORDED, RECORDED_FILE, shorten } from "./recorded.ts";

const items = Array.from({ length: RECORDED }, (_, seed) => makeItem(seed));
const answers = await askCodex(items);
const lines = items.map((item, index) => JSON.stringify(shorten(item, answers[index]!)));
writeFileSync(RECORDED_FILE, `${lines.join("\n")}\n`);
