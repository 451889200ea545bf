/**
 * The supervisor's roles, stored on disk: if it is killed, the next one ends what is left of them
 * and certifies their deaths, so that no process waits for their leases.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Incarnation, Role } from '../../../proto/ids.ts'
import type { ProcessGroup } from '../guard.ts'

export interface RosterEntry {
  readonly incarnation: Incarnation
  readonly group: ProcessGroup
}

export class Roster {
  readonly #path: string
  readonly #entries = new Map<Role, RosterEntry>()
  /** The roles of the previous supervisor. */
  readonly inherited: readonly RosterEntry[]

  constructor(dataDir: string) {
    this.#path = join(dataDir, 'roles.json')
    this.inherited = read(this.#path)
  }

  /** Replaces the role's previous entry. */
  set(role: Role, entry: RosterEntry): void {
    this.#entries.set(role, entry)
    const text = JSON.stringify([...this.#entries.values()])
    writeFileSync(`${this.#path}.new`, text, { mode: 0o600 })
    renameSync(`${this.#path}.new`, this.#path)
  }
}

function read(path: string): RosterEntry[] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RosterEntry[]
  } catch {
    // The first start here, or an invalid file; then leases expire by themselves.
    return []
  }
}
