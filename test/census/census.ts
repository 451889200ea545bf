/** The census of a source tree: one row for each room. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { countFile, type FileCount } from './count.ts'
import { repeatedLines } from './repeats.ts'

export interface RoomCount extends FileCount {
  readonly folders: number
  readonly files: number
  readonly smallFiles: number
  readonly repeated: number
}

/** A file with fewer lines is small. */
const smallLines = 30

const isSource = (path: string) => /\.tsx?$/.test(path) && !path.includes('fixtures/')

export function countRoom(root: string, room: string): RoomCount {
  const paths = readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).filter(
    isSource,
  )
  const texts = paths.map((path) => readFileSync(join(root, room, path), 'utf8'))
  const counts = texts.map((text, i) => countFile(paths[i]!, text))
  const sum = (of: keyof FileCount) => counts.reduce((total, count) => total + count[of], 0)
  return {
    folders: new Set(paths.map(dirname)).size,
    files: paths.length,
    smallFiles: counts.filter(({ lines }) => lines < smallLines).length,
    lines: sum('lines'),
    statements: sum('statements'),
    casts: sum('casts'),
    nonNulls: sum('nonNulls'),
    assertions: sum('assertions'),
    repeated: repeatedLines(texts),
  }
}
