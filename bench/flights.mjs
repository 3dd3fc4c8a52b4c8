// Writes the flights of vega-datasets as lines of distance, minutes since the start of 2001, delay and origin.
// Usage: node flights.mjs OUTPUT, in a folder where npm has installed the packages.
import { createWriteStream } from 'node:fs'
import { asyncBufferFromFile, parquetRead } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

const names = ['distance', 'date', 'delay', 'origin']
const columns = Object.fromEntries(names.map(name => [name, []]))
const file = await asyncBufferFromFile('node_modules/vega-datasets/data/flights-3m.parquet')
await parquetRead({
  file, compressors, columns: names,
  onChunk: ({ columnName, columnData }) => { for (const value of columnData) columns[columnName].push(value) },
})

const first = Date.UTC(2001, 0, 1)
const out = createWriteStream(process.argv[2])
const batch = 100_000
const rows = columns.origin.length
for (let from = 0; from < rows; from += batch) {
  let text = ''
  for (let i = from; i < Math.min(from + batch, rows); i++) {
    text += `${columns.distance[i]},${Math.round((columns.date[i] - first) / 60_000)},${columns.delay[i]},${columns.origin[i]}\n`
  }
  if (!out.write(text)) await new Promise(resolve => out.once('drain', resolve))
}
out.end()
