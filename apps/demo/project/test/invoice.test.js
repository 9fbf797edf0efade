import assert from "node:assert/strict";
import { test } from "node:test";
import { dueDate } from "../src/invoice.js";

const due = (date, terms) => dueDate({ date, terms });

test("terms in days", () => {
  assert.equal(due("2026-03-02", "14 days"), "2026-03-16");
  assert.equal(due("2026-12-30", "5 days"), "2027-01-04");
});

test("terms in months keep the day of the month", () => {
  assert.equal(due("2026-03-02", "1 month"), "2026-04-02");
  assert.equal(due("2026-11-16", "3 months"), "2027-02-16");
});

test("terms in months end with the month when it is shorter", () => {
  assert.equal(due("2026-08-31", "1 month"), "2026-09-30");
  assert.equal(due("2028-01-31", "1 month"), "2028-02-29");
});

test("a weekend moves to Monday", () => {
  assert.equal(due("2026-03-06", "1 day"), "2026-03-09");
});

test("terms nobody knows are refused", () => {
  assert.throws(() => due("2026-03-02", "soon"), RangeError);
  assert.throws(() => due("yesterday", "14 days"), RangeError);
});
