// The canonical form, as the contracts' users compute it: sort, JSON.stringify.
export const canonical = (v) =>
  Array.isArray(v) ? '[' + v.map(canonical).join(',') + ']'
  : v && typeof v === 'object' ? '{' + Object.keys(v).sort().map((k) => JSON.stringify(k) + ':' + canonical(v[k])).join(',') + '}'
  : JSON.stringify(v)

// As a program: a JSON string with a document on each line in, its canonical form
// as a JSON string out, or null for what JSON.parse refuses.
if (process.argv[1] === new URL(import.meta.url).pathname && process.argv[2] === '--lines') {
  const { createInterface } = await import('node:readline')
  for await (const line of createInterface({ input: process.stdin })) {
    let out = null
    try { out = canonical(JSON.parse(JSON.parse(line))) } catch {}
    process.stdout.write(JSON.stringify(out) + '\n')
  }
}
