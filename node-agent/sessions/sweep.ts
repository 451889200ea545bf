/**
 * Removes what an earlier agent of this node left behind if it and its guard were killed together:
 * kills its browsers, each only if it is still the recorded process, and removes their folders.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Clock } from '../../runtime/lib/clock.ts'
import { isAlive, killGroup, type Guard } from '../../runtime/process/guard.ts'
import { removeDeadSocket } from '../display/x-socket.ts'
import { recordName, removeScratch, type ScratchRecord } from '../files/scratch.ts'

export interface SweepMeans {
  readonly guard: Guard
  readonly clock: Clock
  readonly log: Logger
}

export async function sweepLeftovers(root: string, means: SweepMeans): Promise<number> {
  const names = await readdir(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const swept = await Promise.all(names.map((name) => sweepOne(root, name, means)))
  return swept.filter(Boolean).length
}

async function sweepOne(root: string, name: string, means: SweepMeans): Promise<boolean> {
  const dir = join(root, name)
  const record = await readRecord(dir)
  // Another agent of this name is still alive, perhaps draining, and cleans up itself.
  if (record && isAlive(record.agent)) return false
  const groups = record ? [record.browser, ...(record.display ?? [])] : []
  for (const group of groups) if (group) killGroup(group)
  if (record?.xSocket !== undefined) await removeDeadSocket(record.xSocket)
  const paths = [...(record ? [record.tmpLink] : []), dir]
  let isSwept = false
  const onRemoved = () => {
    isSwept = true
    means.log.warn({ dir, browser: record?.browserId }, 'swept what an earlier agent left')
  }
  await removeScratch({ id: name, paths, ...means, onRemoved })
  return isSwept
}

/** Undefined if the agent died before writing it; then no process had been started. */
async function readRecord(dir: string): Promise<ScratchRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(dir, recordName), 'utf8')) as ScratchRecord
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
