/**
 * The file of a backup: a tar archive that only its owner can read. It is built in a temporary
 * folder beside it, and gets its name once it is complete and flushed to disk.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { contained } from '../../lib/network/contained.ts'
import { spawnGuarded, type Guard } from '../../process/guard.ts'
import { CommandFailed } from '../command.ts'
import { cliLimits } from '../limits.ts'
import { manifestSchema, type BackupManifest, type SavedStreamFile } from './manifest.ts'

/** Paths in the archive. */
export const archivePaths = {
  manifest: 'manifest.json',
  stream: (name: string) => `streams/${name}`,
  secret: (name: string) => `secrets/${name}`,
  blobs: 'blobs',
} as const

/** A temporary folder for parts of a backup, removed at the end even if this process dies. */
export async function withPartsFolder<T>(
  guard: Guard,
  parent: string,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  let folder: string
  try {
    folder = mkdtempSync(join(parent, '.troupe-backup-'))
  } catch (error) {
    throw new CommandFailed(`${parent} cannot be written: ${(error as Error).message}`, error)
  }
  guard.hold(folder, { paths: [folder] })
  try {
    await mkdir(join(folder, 'streams'))
    await mkdir(join(folder, 'secrets'))
    await mkdir(join(folder, archivePaths.blobs))
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
    guard.release(folder)
  }
}

/** Writes the chunks to a new file; resolves with its entry for the manifest. */
export async function writePart(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<SavedStreamFile['snapshot']> {
  const hash = createHash('sha256')
  const file = await open(path, 'wx', 0o600)
  let bytes = 0
  try {
    for await (const chunk of chunks) {
      hash.update(chunk)
      bytes += chunk.length
      await file.writeFile(chunk)
    }
  } finally {
    await file.close()
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Packs the folder; `path` must not exist yet. */
export async function packArchive(guard: Guard, folder: string, path: string): Promise<void> {
  refuseExisting(path)
  const unfinished = join(folder, 'archive')
  const file = await open(unfinished, 'wx', 0o600)
  try {
    const names = ['manifest.json', 'streams', 'secrets', archivePaths.blobs]
    const args = ['--owner=0', '--group=0', '--numeric-owner', '-C', folder, '-cf', '-', ...names]
    const { child, exited } = spawnGuarded(guard, 'tar', args, {
      key: 'tar',
      stdio: ['ignore', file.fd, 'pipe'],
    })
    const complaints = text(child.stderr!)
    const { code } = await exited
    if (code !== 0) throw new CommandFailed(`${path} cannot be written: ${await complaints}`)
    await file.sync()
  } finally {
    await file.close()
  }
  await nameFile(unfinished, path)
}

export function refuseExisting(path: string): void {
  if (existsSync(path)) throw new CommandFailed(`${path} already exists; choose another name`)
}

/** Links instead of renaming, because a rename would replace a file created meanwhile. */
async function nameFile(unfinished: string, path: string): Promise<void> {
  try {
    await link(unfinished, path)
  } catch (error) {
    throw new CommandFailed(`${path} cannot be created: ${(error as Error).message}`, error)
  }
  await unlink(unfinished)
}

export const folderOf = (path: string) => dirname(resolve(path))

/** Unpacks an archive into the folder, and checks every stream in it. */
export async function unpackArchive(
  guard: Guard,
  path: string,
  folder: string,
): Promise<BackupManifest> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    throw new CommandFailed(`there is no file ${path}`)
  }
  const args = ['--no-same-owner', '--no-same-permissions', '-C', folder, '-xf', resolve(path)]
  const { child, exited } = spawnGuarded(guard, 'tar', args, {
    key: 'tar',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const complaints = text(child.stderr!)
  const { code } = await exited
  if (code !== 0) throw broken(path, (await complaints).trim())
  const manifest = await readManifest(folder, path)
  for (const { config, snapshot } of manifest.streams) {
    const found = await digestOfFile(join(folder, archivePaths.stream(config.name)), path)
    if (found !== snapshot.sha256) throw broken(path, `stream ${config.name} is not complete`)
  }
  return manifest
}

async function readManifest(folder: string, path: string): Promise<BackupManifest> {
  const file = join(folder, archivePaths.manifest)
  if (!existsSync(file)) throw broken(path, `it has no ${archivePaths.manifest}`)
  const json: unknown = JSON.parse(await readFile(file, 'utf8'))
  const { data, error } = manifestSchema.safeParse(json)
  if (data) return data
  const format = z.object({ format: z.number(), troupe: z.string() }).safeParse(json)
  throw broken(
    path,
    format.success
      ? `it was created by Troupe ${format.data.troupe}; restore it with that version (${z.prettifyError(error)})`
      : 'its manifest cannot be read',
  )
}

async function digestOfFile(file: string, path: string): Promise<string> {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile()) throw broken(path, `${basename(file)} is missing`)
  const hash = createHash('sha256')
  for await (const chunk of readChunks(file)) hash.update(chunk)
  return hash.digest('hex')
}

export function readChunks(file: string): AsyncIterable<Uint8Array> {
  return contained(createReadStream(file, { highWaterMark: cliLimits.backupChunkBytes }))
}

function broken(path: string, why: string): CommandFailed {
  return new CommandFailed(`${path} is not a usable backup: ${why}`)
}
