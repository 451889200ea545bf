/** `troupe restore`: creates a service from a backup, in a DATA_DIR or a NATS that has none yet. */
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { keyFileOf } from '../../accounts/seal/seal-keys.ts'
import { loadConfig, type Config } from '../../config/config.ts'
import { Guard } from '../../process/guard.ts'
import type { NatsConnection } from '../../store/nats/connection.ts'
import {
  awaitCluster,
  backupOrder,
  existingStreams,
  restoreStream,
} from '../../store/nats/snapshot.ts'
import { CommandFailed, type CliCommand } from '../command.ts'
import { withNats } from '../with-store.ts'
import { hasBlobs, placeBlobs } from '../../blobs/copy-blobs.ts'
import { archivePaths, readChunks, unpackArchive, withPartsFolder } from './archive.ts'
import { storeMibOf, type BackupManifest } from './manifest.ts'
import { withLock, withOwnServer } from './stopped-store.ts'

export const restoreCommand: CliCommand = {
  usage: 'restore FILE',
  about: 'Create a service from a file of `npm run troupe -- backup`, in a new DATA_DIR.',
  more: [
    '',
    'DATA_DIR must not hold a service yet. Run it as the user who will run the service, then start',
    'the service. Sessions that ran at the time of the backup end with `node_lost`, and so do tasks',
    'that were using one. Never let both services run: each would send the same webhooks.',
    '',
    'With NATS_URL it restores into your own NATS, whose user needs all of `$JS.API`: no role of the',
    'service may restore, so create such a user for this and remove it afterwards.',
  ].join('\n'),
  arguments: [1, 1],
  settings: ['DATA_DIR', 'NATS_URL', 'SEAL_KEY', 'NATS_SERVER_BIN'],
  examples: ['DATA_DIR=/var/lib/troupe troupe restore /var/backups/troupe-2026-05-01.tar'],
  async run({ args }) {
    const path = args[0]!
    const config = loadConfig()
    const guard = new Guard()
    try {
      const manifest = await restore(path, config, guard)
      report(manifest, config)
    } finally {
      guard.stop()
    }
    return 0
  },
}

function restore(path: string, config: Config, guard: Guard): Promise<BackupManifest> {
  return withLock(config, async () => {
    const { DATA_DIR } = config
    const isPrivate = config.NATS_URL === ''
    if (isPrivate && existsSync(join(DATA_DIR, 'nats'))) {
      throw new CommandFailed(
        `${DATA_DIR} already holds a service: set DATA_DIR to a new folder, or move this one away first.`,
      )
    }
    return withPartsFolder(guard, DATA_DIR, async (folder) => {
      const manifest = await unpackArchive(guard, path, folder)
      checkSealKey(manifest, folder, config)
      if (manifest.blobs && hasBlobs(DATA_DIR)) throw blobsError(DATA_DIR)
      if (isPrivate) await restoreHere(manifest, folder, { config, guard })
      else await withNats((nc) => restoreStreams(nc, manifest, folder))
      await placeSecrets(manifest, folder, config)
      if (manifest.blobs) await placeBlobs(join(folder, archivePaths.blobs), DATA_DIR)
      return manifest
    })
  })
}

/** Refuses if DATA_DIR already has another seal key, because secrets of the backup need its own. */
function checkSealKey({ secrets }: BackupManifest, folder: string, config: Config): void {
  const file = keyFileOf(config.DATA_DIR)
  if (!secrets.includes('seal.key') || !existsSync(file)) return
  const textOf = (path: string) => readFileSync(path, 'utf8').trim()
  if (textOf(file) === textOf(join(folder, archivePaths.secret('seal.key')))) return
  throw new CommandFailed(
    `${file} is not the key of the backup: move it away, or choose a new DATA_DIR.`,
  )
}

/** If it fails, it leaves DATA_DIR unchanged, so that the restore can be repeated. */
async function restoreHere(
  manifest: BackupManifest,
  folder: string,
  { config, guard }: { readonly config: Config; readonly guard: Guard },
): Promise<void> {
  const store = join(config.DATA_DIR, 'nats')
  guard.hold(store, { paths: [store] })
  try {
    const purpose = { restoresMib: storeMibOf(manifest) }
    await withOwnServer({ config, guard, purpose }, (nc) => restoreStreams(nc, manifest, folder))
  } catch (error) {
    rmSync(store, { recursive: true, force: true })
    throw error
  } finally {
    guard.release(store)
  }
}

const blobsError = (dataDir: string) =>
  new CommandFailed(`${dataDir} already has profiles: set DATA_DIR to a new folder for those here.`)

async function restoreStreams(
  nc: NatsConnection,
  { streams }: BackupManifest,
  folder: string,
): Promise<void> {
  await awaitCluster(nc)
  const [existing] = await existingStreams(nc, backupOrder)
  if (existing !== undefined) {
    throw new CommandFailed(
      `this NATS already holds a service (stream ${existing}): restore into one without its streams.`,
    )
  }
  for (const stream of streams) {
    const file = join(folder, archivePaths.stream(stream.config.name))
    await restoreStream(nc, stream, readChunks(file))
  }
}

async function placeSecrets(
  { secrets }: BackupManifest,
  folder: string,
  { DATA_DIR }: Config,
): Promise<void> {
  for (const name of secrets) {
    const file = join(DATA_DIR, name)
    copyFileSync(join(folder, archivePaths.secret(name)), file)
    await chmod(file, 0o600)
  }
}

function report({ streams, taken_at, secrets }: BackupManifest, config: Config): void {
  const where = config.NATS_URL === '' ? config.DATA_DIR : config.NATS_URL
  console.log(`Restored ${streams.length} streams of ${taken_at} into ${where}.`)
  const hasKey = config.SEAL_KEY !== '' || existsSync(keyFileOf(config.DATA_DIR))
  if (!hasKey && !secrets.includes('seal.key')) {
    console.error(
      'The backup has no seal.key: before the first start, put the key that was in use then into ' +
        `${keyFileOf(config.DATA_DIR)} (mode 600), or set SEAL_KEY. With a new key, stored accounts and ` +
        'secrets cannot be opened.',
    )
  }
  console.error('You can start the service now. Keep the service that was backed up stopped.')
}
