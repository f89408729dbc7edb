// What is shown, as a file: JSON Lines, every line as it is in the log, or CSV
// with the columns of `ape-claw events export`.
import { members } from "./format.js";

export const COLUMNS = ["v", "ts", "eventType", "agentId", "sessionId", "traceId", "command", "dryRun", "chainId", "ok", "error", "source", "eventId", "payload", "result"];

/** A cell that a spreadsheet would run as a formula begins with an apostrophe. */
export function cell(text) {
  const s = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|^\\\.$/u.test(s) ? `"${s.replaceAll('"', '""')}"` : s;
}

/** The cells of one line: strings as their text, the rest with the log's own characters. */
export function csvRow(raw) {
  const fields = members(raw);
  return COLUMNS.map((name) => {
    const value = fields.get(name);
    if (value === undefined || value === "null") return "";
    return cell(value[0] === '"' ? JSON.parse(value) : value);
  }).join(",");
}

const makers = {
  jsonl: { type: "application/x-ndjson", head: "", line: (rec) => rec.raw },
  csv: { type: "text/csv;charset=utf-8", head: `${COLUMNS.join(",")}\n`, line: (rec) => csvRow(rec.raw) },
};

const AT_ONCE = 1000; // lines between two breaths of the page

/** The file's text as a Blob, made without holding the page up. */
export async function fileOf(kind, records) {
  const { type, head, line } = makers[kind];
  const chunks = [head];
  for (let i = 0; i < records.length; i += AT_ONCE) {
    chunks.push(records.slice(i, i + AT_ONCE).map((rec) => line(rec) + "\n").join(""));
    await new Promise((resolve) => setTimeout(resolve));
  }
  return new Blob(chunks, { type });
}

/** Hands the browser a file to save. */
export function save(blob, name) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 60_000);
}
