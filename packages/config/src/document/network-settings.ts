import { type OptionSchema, optionsSchema } from "@haft/core/internal";

/**
 * Configures what plugins reach in addition to the internet.
 *
 * @example
 * ```ts
 * import type { NetworkSettings } from "@haft/config";
 * const network: NetworkSettings = { allowPrivate: ["10.0.0.5", "dev.example.com:3000", "*.corp.example.com"] };
 * ```
 */
export interface NetworkSettings {
  /**
   * Lists hosts and addresses of local networks and of this machine that tools may reach. Forms: `10.0.0.5`, `dev.example.com:3000`,
   * `*.corp.example.com`, `10.1.0.0/16`. Default: none.
   */
  allowPrivate?: readonly string[];
}

export const NETWORK: OptionSchema = {
  ...optionsSchema<NetworkSettings>({
    allowPrivate: {
      type: "array",
      items: { type: "string" },
      description:
        "Hosts and addresses of local networks that tools reach: 10.0.0.5, dev.example.com:3000, 10.1.0.0/16. Default: none.",
    },
  }),
  description: "What tools of plugins reach by context.fetch, in addition to the internet.",
};
