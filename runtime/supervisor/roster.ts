/**
 * The roles this supervisor runs, on disk: should it be killed, the next one ends what may be left of them
 * and certifies their deaths, so that nobody waits for their leases.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Incarnation } from '../../proto/ids.ts'
import type { ProcessGroup } from '../guard.ts'

export interface RosterEntry {
  readonly incarnation: Incarnation
  readonly group: ProcessGroup
}

export class Roster {
  readonly #path: string
  readonly #entries = new Map<Incarnation, RosterEntry>()
  /** Those of the supervisor before this one. */
  readonly inherited: readonly RosterEntry[]

  constructor(dataDir: string) {
    this.#path = join(dataDir, 'roles.json')
    this.inherited = read(this.#path)
  }

  add(entry: RosterEntry): void {
    this.#entries.set(entry.incarnation, entry)
    this.#write()
  }

  remove(incarnation: Incarnation): void {
    if (this.#entries.delete(incarnation)) this.#write()
  }

  #write(): void {
    writeFileSync(`${this.#path}.new`, JSON.stringify([...this.#entries.values()]), { mode: 0o600 })
    renameSync(`${this.#path}.new`, this.#path)
  }
}

function read(path: string): RosterEntry[] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RosterEntry[]
  } catch {
    // The first start here; or a file that is no roster, and then leases lapse by themselves.
    return []
  }
}
