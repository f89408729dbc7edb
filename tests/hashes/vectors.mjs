// Writes the hashes that Go's tests hold their own against, or with --check says
// whether what is written still holds.
import { readFileSync, writeFileSync } from 'node:fs'
import { keccak256, stringToBytes } from 'viem'
import { canonical } from './canonical.mjs'
import * as cases from './cases.mjs'

const hash = (text) => keccak256(stringToBytes(text))
const refuses = (text) => { try { JSON.parse(text); return false } catch { return true } }
const wrong = cases.refused.filter((text) => !refuses(text))
if (wrong.length) throw new Error('JSON.parse takes ' + JSON.stringify(wrong))

const vectors = {
  documents: cases.documents.map((json) => { const form = canonical(JSON.parse(json)); return { json, canonical: form, hash: hash(form) } }),
  refused: cases.refused,
  versionHash: cases.versions.map((version) => ({ text: version, hash: hash(version || '0.0.0') })),
  traceIdHash: cases.traces.map((trace) => ({ text: trace, hash: hash(trace) })),
  subjectHash: cases.subjects.map((subject) => ({ text: subject, hash: hash(subject) })),
  receiptHash: cases.subjects.flatMap((subject) => cases.payloads.map((payload) => ({ subject, payload, hash: hash(canonical({ subject, payload: JSON.parse(payload) })) }))),
}
const file = new URL('../../v2/testdata/hashes.json', import.meta.url)
const text = JSON.stringify(vectors, null, 1) + '\n'
if (process.argv[2] !== '--check') writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) throw new Error('v2/testdata/hashes.json is stale: npm --prefix tests/hashes run vectors')
console.log(`hashes: ${vectors.documents.length} documents, ${vectors.refused.length} refused, ${vectors.receiptHash.length} receipts`)
