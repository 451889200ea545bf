/**
 * The memory of a browser's processes, including those of its display. The cheap figure counts
 * shared pages once for each process, so it is an upper bound; only a browser that exceeds its
 * limit by it is measured exactly.
 */
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { groupBy } from '../../runtime/lib/group-by.ts'
import type { ProcessGroup } from '../../runtime/process/guard.ts'
import { readProcStat } from '../../runtime/process/proc-stat.ts'

const pageBytes = 4096
const KiB = 1024

interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly residentBytes: number
}

export interface ProcessUsage {
  readonly pids: readonly number[]
  /** An upper bound, because shared memory is counted for each process. */
  readonly residentBytes: number
}

/** All processes of this machine at one moment; one reading serves all browsers. */
export class ProcessTable {
  readonly #rows: readonly ProcessRow[]
  readonly #children: ReadonlyMap<number, readonly ProcessRow[]>

  constructor() {
    this.#rows = readRows()
    this.#children = groupBy(this.#rows, ({ parent }) => parent)
  }

  /** The processes of the groups, and all their descendants. */
  of(groups: readonly Pick<ProcessGroup, 'pgid'>[]): ProcessUsage {
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

/** Their memory and swap, with shared pages divided among the processes that share them. */
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
    return 0 // The process has ended.
  }
}

function readRows(): ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readRow(Number(name)) ?? [])
}

function readRow(pid: number): ProcessRow | undefined {
  const stat = readProcStat(pid)
  if (!stat) return undefined // The process has ended.
  const [parent, group, pages] = [stat[4], stat[5], stat[24]].map(Number)
  return { pid, parent: parent!, group: group!, residentBytes: pages! * pageBytes }
}
