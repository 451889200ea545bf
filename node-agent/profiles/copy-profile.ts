/**
 * A copy of the profile of a browser that runs. Its processes stand still meanwhile, so that the files
 * fit together; what Chromium has not written yet is missing, cookies and local storage above all.
 */
import { constants } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { continueGroup, stopGroup, type ProcessGroup } from '../../runtime/process/guard.ts'
import { openPlain } from '../files/open-plain.ts'
import { keptPreferences, profileFilesIn } from './profile-files.ts'

/** `to`: the folder of a browser that has not started yet. */
export async function copyProfile(from: string, to: string, group: ProcessGroup): Promise<void> {
  stopGroup(group)
  try {
    const preferences = join(from, 'Default', keptPreferences)
    await copyPlain(preferences, join(to, 'Default', keptPreferences))
    for await (const { name, path } of profileFilesIn(from)) {
      const copy = join(to, 'Default', name)
      await mkdir(dirname(copy), { recursive: true, mode: 0o700 })
      await copyPlain(path, copy)
    }
  } finally {
    continueGroup(group)
  }
}

/** What was opened is copied, without its bytes where the file system can. */
async function copyPlain(from: string, to: string): Promise<void> {
  const file = await openPlain(from)
  if (!file) return
  try {
    await copyFile(`/proc/self/fd/${file.fd}`, to, constants.COPYFILE_FICLONE)
  } finally {
    await file.close()
  }
}
