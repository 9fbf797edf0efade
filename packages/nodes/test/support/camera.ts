import { Type } from "@haft/plugin-sdk";
import { type AnyNodeCommand, defineNodeCommand } from "../../src/index.ts";

/** Commands of a node, and what they did. */
export function camera(): {
  commands: AnyNodeCommand[];
  /** Names of the rooms that were photographed, in order. */
  snapped: string[];
  /** Lets one `light.hold` end. */
  release(): void;
  /** Resolves when `light.hold` has begun. */
  held: Promise<void>;
} {
  const snapped: string[] = [];
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const snap = defineNodeCommand({
    name: "camera.snap",
    description: "Takes a picture.",
    parameters: Type.Object({ room: Type.String(), zoom: Type.Optional(Type.Integer({ minimum: 1 })) }),
    effects: ["read"],
    run({ room }) {
      snapped.push(room);
      return {
        content: [
          { type: "text", text: `picture of ${room}` },
          { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
        ],
        details: { room },
      };
    },
  });
  const hold = defineNodeCommand({
    name: "light.hold",
    description: "Keeps the light on until it is released.",
    parameters: Type.Object({}),
    effects: ["write"],
    async run(_params, { signal }) {
      begun.resolve();
      await new Promise<void>((resolve, reject) => {
        void end.promise.then(resolve);
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
      return { content: [{ type: "text", text: "off again" }], details: {} };
    },
  });
  return { commands: [snap, hold], snapped, release: () => end.resolve(), held: begun.promise };
}
