/** `npm run census`: counts the source, and what is built and shipped of it; `--json` for programs. */
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packageRoot } from '../../runtime/lib/package.ts'
import { countRoom, type RoomCount } from './census.ts'

const rooms = ['proto', 'runtime', 'actors', 'gateway', 'node-agent', 'test']
const columns: Readonly<Record<keyof RoomCount, string>> = {
  folders: 'folders',
  files: 'files',
  smallFiles: 'under 30 lines',
  lines: 'lines',
  statements: 'statements',
  repeated: 'lines repeated',
  casts: 'casts',
  nonNulls: '`!`',
  assertions: 'assertions',
}
const keys = Object.keys(columns) as (keyof RoomCount)[]

function megabytesOf(folder: string, isOf: (path: string) => boolean): number {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isOf)
  return paths.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0) / 1e6
}

/** Sizes in MB: of programs in `dist`, and of the package before and after it is unpacked. */
function sizes() {
  const args = ['pack', '--dry-run', '--ignore-scripts', '--json']
  const printed = execFileSync('npm', args, { cwd: packageRoot, encoding: 'utf8' })
  const [packed] = JSON.parse(printed) as { size: number; unpackedSize: number }[]
  const isOfProduct = (path: string) => path.endsWith('.js') && !path.startsWith('test')
  return {
    dist: megabytesOf(join(packageRoot, 'dist'), isOfProduct),
    packed: packed!.size / 1e6,
    unpacked: packed!.unpackedSize / 1e6,
  }
}

const { values } = parseArgs({ options: { json: { type: 'boolean' } } })
const counts = rooms.map((room) => [room, countRoom(packageRoot, room)] as const)
const measured = sizes()
if (values.json) {
  console.log(JSON.stringify({ rooms: Object.fromEntries(counts), megabytes: measured }))
} else {
  console.log(`| room | ${keys.map((key) => columns[key]).join(' | ')} |`)
  console.log(`|---|${keys.map(() => '--:').join('|')}|`)
  for (const [room, count] of counts) {
    console.log(`| ${room} | ${keys.map((key) => count[key]).join(' | ')} |`)
  }
  const all = keys.map((key) => counts.reduce((sum, [, count]) => sum + count[key], 0))
  console.log(`| **all** | ${all.join(' | ')} |`)
  const { dist, packed, unpacked } = measured
  console.log(
    `\ndist without tests ${dist.toFixed(1)} MB; package ${packed.toFixed(1)} MB, ` +
      `unpacked ${unpacked.toFixed(1)} MB`,
  )
}
