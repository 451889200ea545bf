/**
 * How much memory the processes of a browser have, its display's among them. What the kernel says at
 * no cost counts shared pages once for each process, so it is an upper bound; only a browser beyond
 * its bound by that is looked at closely.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { ProcessGroup } from '../../runtime/guard.ts'

const pageBytes = 4096
const KiB = 1024

interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly residentBytes: number
}

export interface Crowd {
  readonly pids: readonly number[]
  /** At most so much memory: what they share is counted for each of them. */
  readonly residentBytes: number
}

/** All processes of this machine, as they are now: one look serves all browsers. */
export class ProcessTable {
  readonly #rows: readonly ProcessRow[]
  readonly #children = new Map<number, ProcessRow[]>()

  constructor(rows = readRows()) {
    this.#rows = rows
    for (const row of rows) {
      const siblings = this.#children.get(row.parent)
      if (siblings) siblings.push(row)
      else this.#children.set(row.parent, [row])
    }
  }

  /** Those of the groups, and all that they have started. */
  of(groups: readonly Pick<ProcessGroup, 'pgid'>[]): Crowd {
    const leaders = new Set(groups.map(({ pgid }) => pgid))
    const found = new Map<number, ProcessRow>()
    const queue = this.#rows.filter(({ pid, group }) => leaders.has(group) || leaders.has(pid))
    for (let row; (row = queue.pop());) {
      if (found.has(row.pid)) continue
      found.set(row.pid, row)
      queue.push(...(this.#children.get(row.pid) ?? []))
    }
    const rows = [...found.values()]
    return {
      pids: rows.map(({ pid }) => pid),
      residentBytes: rows.reduce((sum, { residentBytes }) => sum + residentBytes, 0),
    }
  }
}

/** What they have of the machine's memory, and of its swap: shared pages are divided among sharers. */
export async function proportionalBytes(pids: readonly number[]): Promise<number> {
  const sizes = await Promise.all(pids.map((pid) => proportionalOf(pid)))
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

async function proportionalOf(pid: number): Promise<number> {
  try {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
    const kibs = [...text.matchAll(/^(?:Pss|SwapPss): +(\d+) kB$/gm)]
    return kibs.reduce((sum, [, kib]) => sum + Number(kib) * KiB, 0)
  } catch {
    return 0 // It has ended.
  }
}

function readRows(): ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readRow(Number(name)) ?? [])
}

/** See proc(5), `/proc/pid/stat`: the name, in parentheses, may hold anything. */
function readRow(pid: number): ProcessRow | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [parent, group, pages] = [fields[1], fields[2], fields[21]].map(Number)
    return { pid, parent: parent!, group: group!, residentBytes: pages! * pageBytes }
  } catch {
    return undefined // It has ended.
  }
}
