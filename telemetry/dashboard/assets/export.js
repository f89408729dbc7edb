// What is shown, as a file: JSON Lines, every line as it is in the log, or CSV
// with the columns of `ape-claw events export`.
import { members } from "./format.js";

export const COLUMNS = ["v", "ts", "eventType", "agentId", "sessionId", "traceId", "command", "dryRun", "chainId", "payload", "result", "ok", "error", "source", "eventId"];

const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]/g;

// The rules of events export (telemetry/export_csv.go), which say why.
const formula = /(^|[;\t\r\n])(?=["\p{Zs}\p{Cf}]*[=+\-@＝＋－＠])/gu;
const breakFirst = /^["\p{Zs}\p{Cf}]*[\t\r\n]/u;
const cellInJSON = /;(?=["\p{Zs}\p{Cf}]*[=+\-@＝＋－＠])/gu;

/**
 * A text as a cell. Spreadsheets run what looks like a formula, and events hold
 * text of strangers: an apostrophe stands in front of each such part.
 */
function safe(text) {
  const s = text.toWellFormed().replace(control, "\ufffd");
  return (breakFirst.test(s) ? "'" : "") + s.replace(formula, "$1'");
}

/** JSON as a cell: the same JSON, but no cell begins inside of it. */
const safeJSON = (text) => text.replace(cellInJSON, "\\u003b");

const quoted = (s) => (/[",\r\n]|^(?!\ufeff)[\s\u0085]|^\\\.$/u.test(s) ? `"${s.replaceAll('"', '""')}"` : s);

/** The cells of one line: strings as their text, JSON and numbers with the log's own characters. */
export function csvRow(raw) {
  const fields = members(raw);
  const value = (name) => {
    const v = fields.get(name);
    return v === undefined || v === "null" ? "" : v;
  };
  return COLUMNS.map((name) => {
    if (name === "payload") return quoted(safeJSON(value("payload") || value("data"))); // data: the published alias
    const v = value(name);
    return quoted(v[0] === '"' && name !== "result" ? safe(JSON.parse(v)) : safeJSON(v));
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
