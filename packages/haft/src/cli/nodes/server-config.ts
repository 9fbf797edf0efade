import { messageOf } from "@haft/core";
import { UsageError } from "../usage.ts";
import { writeOut } from "../write-out.ts";
import { type NodesValues, openNodes } from "./open-nodes.ts";

/** Writes what a NATS server has to be told, so that nobody hears or says what is others'. Resolves to the exit code. */
export async function serverConfig(values: NodesValues, words: readonly string[]): Promise<number> {
  if (words.length > 0)
    throw new UsageError("haft nodes server-config takes no names; --host ID and --node ID add some.");
  const opened = await openNodes(values, "as it may be");
  try {
    const { serverPermissions } = await import("@haft/nodes/nats");
    const paired = await opened.nodes.list();
    const hosts = [...new Set([opened.identity.id, ...(values.host ?? [])])];
    const known = paired.filter(({ state }) => state !== "revoked").map(({ id }) => id);
    const nodes = [...new Set([...known, ...(values.node ?? [])])];
    const text = permissions(() => serverPermissions({ hosts, nodes, ...opened.prefix }));
    if (values.out !== undefined) writeOut(values.out, text);
    if (values.json)
      console.log(
        JSON.stringify({ hosts, nodes, text, ...(values.out !== undefined && { file: values.out }) }),
      );
    else if (values.out === undefined) process.stdout.write(text);
    return 0;
  } finally {
    await opened.close();
  }
}

function permissions(make: () => string): string {
  try {
    return make();
  } catch (thrown) {
    throw new UsageError(messageOf(thrown));
  }
}
