/**
 * What an earlier agent of this node left behind, because it and its guard were killed at once: its
 * browsers are killed and their folders removed, each browser only if it is still the process that
 * was recorded.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { isAlive, killGroup } from '../runtime/guard.ts'
import { removeDeadSocket } from './display/x-socket.ts'
import { recordName, removePaths, type ScratchRecord } from './browser/scratch.ts'

export async function sweep(root: string, log: Logger): Promise<number> {
  const names = await readdir(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const swept = await Promise.all(names.map((name) => sweepOne(join(root, name), log)))
  return swept.filter(Boolean).length
}

async function sweepOne(dir: string, log: Logger): Promise<boolean> {
  const record = await readRecord(dir)
  // Another agent of this name that lives, perhaps still draining, looks after its own.
  if (record && isAlive(record.agent)) return false
  const groups = record ? [record.browser, ...(record.display ?? [])] : []
  for (const group of groups) if (group) killGroup(group)
  if (record?.xSocket !== undefined) await removeDeadSocket(record.xSocket)
  await removePaths([...(record ? [record.tmpLink] : []), dir])
  log.warn({ dir, browser: record?.browserId }, 'swept what an earlier agent left')
  return true
}

/** Undefined when the agent died before it had written it: no process had been started then. */
async function readRecord(dir: string): Promise<ScratchRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(dir, recordName), 'utf8')) as ScratchRecord
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
