/** Finds the folders of browsers that have ended: an agent could not remove them, or was killed. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { isAlive } from '../guard.ts'
import { processLimits } from '../limits.ts'

/** The record that a node agent keeps in the folder of each browser. */
export const browserRecordName = 'browser.json'

const processGroup = z.object({ pgid: z.number(), startTime: z.string() })
const browserRecord = z.object({ agent: processGroup, browser: processGroup.optional() })

export async function leftoverFolders(dataDir: string): Promise<readonly string[]> {
  const found: string[] = []
  const run = join(dataDir, 'run')
  for (const node of await namesOf(run)) {
    for (const name of await namesOf(join(run, node))) {
      const folder = join(run, node, name)
      if (await isLeftover(folder)) found.push(folder)
    }
  }
  return found
}

async function isLeftover(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, browserRecordName), 'utf8').catch(() => '{}')
  const { success, data } = browserRecord.safeParse(jsonOf(text))
  if (success) return !isAlive(data.agent) || (data.browser ? !isAlive(data.browser) : false)
  // The record is written right after the folder is made, and may be the first that is removed.
  const stats = await stat(folder).catch(() => undefined)
  return stats !== undefined && Date.now() - stats.mtimeMs > processLimits.recordWrittenMs
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // It is being written.
  }
}

const namesOf = (folder: string) => readdir(folder).catch((): string[] => [])
