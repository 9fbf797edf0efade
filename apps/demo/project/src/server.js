import { createServer } from "node:http";
import { dueDate } from "./invoice.js";

/** Answers `/?date=2026-03-02&terms=14+days` with the day the invoice is due. */
const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url, "http://localhost");
  const invoice = { date: searchParams.get("date"), terms: searchParams.get("terms") };
  try {
    const due = dueDate(invoice);
    console.log(`${invoice.date} and ${invoice.terms}: due ${due}`);
    response.end(`${due}\n`);
  } catch (error) {
    response.writeHead(400).end(`${error.message}\n`);
  }
});

server.listen(0, "127.0.0.1", () => {
  console.log(`Ask me: http://127.0.0.1:${server.address().port}/?date=2026-08-31&terms=1+month`);
});
