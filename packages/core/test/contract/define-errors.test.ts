import { describe, expect, test } from "vitest";
import { defineErrors, HaftError } from "../../src/index.ts";

const forms = {
  "plain entries": defineErrors({
    STATION_SILENT: {
      category: "operational",
      meaning: "The station does not answer.",
      fix: "Ask again in a minute.",
      receipt: "none",
    },
  }),
  "entries by category": defineErrors(({ operational }) => ({
    STATION_SILENT: operational("The station does not answer.", "Ask again in a minute.", "none"),
  })),
};

describe.each(Object.entries(forms))("a catalogue of %s", (_name, weatherError) => {
  test("gives every error of a code what is true of all of them", () => {
    const error = weatherError("STATION_SILENT", "Station 7 did not answer.");
    expect(error).toBeInstanceOf(HaftError);
    expect(error).toMatchObject({
      code: "STATION_SILENT",
      category: "operational",
      message: "Station 7 did not answer.",
      fix: "Ask again in a minute.",
      receipt: "none",
    });
  });

  test("lets an error know better", () => {
    const error = weatherError("STATION_SILENT", "It broke.", { fix: "Call somebody.", receipt: "unknown" });
    expect(error).toMatchObject({ fix: "Call somebody.", receipt: "unknown", category: "operational" });
  });

  test("can be read as a table", () => {
    expect(weatherError.catalogue.STATION_SILENT.meaning).toBe("The station does not answer.");
  });
});
