/**
 * What an earlier agent of this node has left. Browsers of sessions that still run are set aside, for
 * their sessions to go on. Everything else is removed: its processes are killed, each only if it is
 * still the recorded one, and its folders removed.
 */
import { mkdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Logger } from 'pino'
import type { Clock } from '../../runtime/lib/clock.ts'
import { isMissingFile } from '../../runtime/lib/files/missing-file.ts'
import { isAlive, killGroup, type Guard, type ProcessGroup } from '../../runtime/process/guard.ts'
import { displayKeys } from '../display/display.ts'
import { removeDeadSocket } from '../display/x-socket.ts'
import { heirOf, readRecord, recordName, type ScratchRecord } from '../files/browser-record.ts'
import { removeScratch } from '../files/scratch.ts'

export interface SweepMeans {
  readonly guard: Guard
  readonly clock: Clock
  readonly log: Logger
  /** Whether browsers of sessions are set aside. */
  readonly inherits?: boolean
}

/** The browser of a session that no other process has any more. */
export interface Heirloom {
  /** Its folder. */
  readonly dir: string
  readonly record: ScratchRecord
}

export interface Swept {
  /** The number of folders that were removed. */
  readonly removed: number
  readonly heirlooms: readonly Heirloom[]
}

export async function sweepLeftovers(root: string, means: SweepMeans): Promise<Swept> {
  const names = await readdir(root).catch((error: NodeJS.ErrnoException) => {
    if (isMissingFile(error)) return []
    throw error
  })
  const found = await Promise.all(names.map((name) => sweepOne(join(root, name), means)))
  return {
    removed: found.filter((one) => one === true).length,
    heirlooms: found.filter((one) => typeof one === 'object'),
  }
}

async function sweepOne(dir: string, means: SweepMeans): Promise<boolean | Heirloom> {
  const record = await readRecord(dir)
  // Another agent of this name is still alive, perhaps draining, and cleans up itself.
  if (record && isAlive(record.agent)) return false
  if (means.inherits && record && take(dir, record, means.guard)) return { dir, record }
  return removeLeftover(dir, record, means)
}

/** True if the browser is this agent's from now on, and not the guard's of the agent before. */
function take(dir: string, record: ScratchRecord, guard: Guard): boolean {
  if (!record.session || !record.ready || !groupsOf(record).every(isAlive)) return false
  try {
    mkdirSync(heirOf(join(dir, recordName), record.turn))
  } catch {
    return false
  }
  const { browserId, browser, display = [] } = record
  guard.hold(browserId, { ...(browser && { group: browser }), paths: pathsOf(dir, record) })
  displayKeys(browserId).forEach((key, at) => {
    const group = display[at]
    if (group) guard.hold(key, { group })
  })
  return true
}

/** True once it is removed. */
export async function removeLeftover(
  dir: string,
  record: ScratchRecord | undefined,
  { guard, clock, log }: SweepMeans,
): Promise<boolean> {
  for (const group of record ? groupsOf(record) : []) killGroup(group)
  if (record?.xSocket !== undefined) await removeDeadSocket(record.xSocket)
  let isSwept = false
  const id = basename(dir)
  const onRemoved = () => {
    isSwept = true
    for (const key of [id, ...displayKeys(id)]) guard.release(key)
    log.warn({ dir, browser: record?.browserId }, 'swept what an earlier agent left')
  }
  await removeScratch({ id, paths: pathsOf(dir, record), guard, clock, log, onRemoved })
  return isSwept
}

const pathsOf = (dir: string, record: ScratchRecord | undefined): readonly string[] => [
  ...(record ? [record.tmpLink] : []),
  dir,
]

const groupsOf = ({ browser, display = [] }: ScratchRecord): readonly ProcessGroup[] =>
  browser ? [browser, ...display] : display
