import { expect, test } from "vitest";
import { createOAuthProvider } from "../../src/mount/link/credentials.ts";

test.each([undefined, { clientId: "id", clientSecret: "secret" }])(
  "a client that no sign-in registered names the issuer, so the SDK prints no warning: %o",
  (oauth) => {
    const credentials = { read: () => undefined, write() {} };
    const provider = createOAuthProvider({ name: "wiki", oauth }, credentials);
    const issuer = "https://id.example.com";
    expect(provider.clientInformation({ issuer })).toMatchObject({ issuer });
    expect(provider.clientInformation()).not.toHaveProperty("issuer");
  },
);
