/** Copies of a folder of blobs, for backups. */
import { constants, existsSync } from 'node:fs'
import { copyFile, cp, link, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isId } from '../../proto/ids.ts'
import { makePrivateFolder } from '../lib/files/make-folder.ts'
import { isMissingFile } from '../lib/files/missing-file.ts'
import { blobsDir, nameFile } from './blob-folder.ts'

/**
 * Adds the complete blobs that the copy does not have yet, with the folder's name; a blob never
 * changes. Returns the number of blobs that the copy has then.
 */
export async function copyBlobs(dataDir: string, copy: string): Promise<number> {
  const dir = blobsDir(dataDir)
  const names = existsSync(dir) ? await readdir(dir) : []
  const there = new Set(await readdir(copy))
  const isWanted = (name: string) => name === nameFile || isId('blb', name)
  for (const name of names.filter((name) => isWanted(name) && !there.has(name))) {
    await linkOrCopy(join(dir, name), join(copy, name))
  }
  return (await readdir(copy)).filter((name) => name !== nameFile).length
}

export const hasBlobs = (dataDir: string): boolean => existsSync(join(blobsDir(dataDir), nameFile))

export async function placeBlobs(copy: string, dataDir: string): Promise<void> {
  const dir = blobsDir(dataDir)
  makePrivateFolder(dir)
  await cp(copy, dir, { recursive: true, mode: constants.COPYFILE_FICLONE })
}

/** It may be removed meanwhile, with the profile that it belonged to. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  const unlessGone = (error: NodeJS.ErrnoException) => {
    if (!isMissingFile(error)) throw error
  }
  await link(from, to).catch((error: NodeJS.ErrnoException) => {
    if (isMissingFile(error)) return undefined
    return copyFile(from, to).catch(unlessGone)
  })
}
