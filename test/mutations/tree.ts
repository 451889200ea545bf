/** A copy of the compiled checkout, in which one file at a time has a fault. */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { join } from 'node:path'
import type { Drawn } from './draw.ts'
import { applied, type PlacedMutation } from './operators.ts'

export interface FaultyTree {
  readonly tests: string
  /** Runs `work` while the fault is there; in the programs too, unless it needs none. */
  with<T>(fault: PlacedMutation, work: () => Promise<T>, needsPrograms?: boolean): Promise<T>
  remove(): void
}

/** Everything but what is compiled is a link to the checkout at `root`. */
export function openFaultyTree(root: string, folder: string): FaultyTree {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const own = new Set(['dist', '.git', '.out'])
  for (const name of readdirSync(root)) {
    if (!own.has(name)) symlinkSync(join(root, name), join(folder, name))
  }
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
  return {
    tests: join(folder, 'dist/test'),
    async with(fault, work, needsPrograms = true) {
      const path = join(folder, 'dist', fault.file)
      const code = readFileSync(path, 'utf8')
      writeFileSync(path, applied(code, fault))
      try {
        if (needsPrograms) bundleAgain(folder)
        return await work()
      } finally {
        writeFileSync(path, code)
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Programs are started from bundles. The links are not followed, so that it bundles the copy. */
function bundleAgain(folder: string): void {
  const options = ['--preserve-symlinks', '--preserve-symlinks-main']
  execFileSync(process.execPath, [...options, join(folder, 'runtime/deploy/bundle.js')])
}

export const sourceOf = ({ file }: Pick<Drawn, 'file'>): string => file.replace(/\.js$/, '.ts')

/** `runtime/actor/cell.ts:12`, where the fault is in its source. */
export function placeOf(root: string, { file, start }: Drawn): string {
  const path = join(root, 'dist', file)
  const lines = readFileSync(path, 'utf8').slice(0, start).split('\n')
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')) as SourceMapPayload)
  const entry = map.findEntry(lines.length - 1, lines.at(-1)!.length)
  const line = 'originalLine' in entry ? entry.originalLine + 1 : '?'
  return `${sourceOf({ file })}:${line}`
}
