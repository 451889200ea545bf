/** `troupe backup`: everything that a service needs to continue elsewhere, in one file. */
import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buckets } from '../../../proto/subjects.ts'
import { loadConfig, type Config } from '../../config/config.ts'
import { version } from '../../lib/package.ts'
import { sizeWord } from '../../lib/text/sizes.ts'
import { Guard } from '../../process/guard.ts'
import { lockHolderOf } from '../../process/supervisor/lock.ts'
import type { NatsConnection } from '../../store/nats/connection.ts'
import { backupOrder, snapshotStream } from '../../store/nats/snapshot.ts'
import { bucketStream } from '../../store/nats/stream-plan.ts'
import { CommandFailed, type CliCommand } from '../command.ts'
import { withNats } from '../with-store.ts'
import { copyBlobs } from '../../blobs/copy-blobs.ts'
import { archivePaths, folderOf, packArchive, refuseExisting } from './archive.ts'
import { withPartsFolder, writePart } from './archive.ts'
import { backupFormat, secretFiles } from './manifest.ts'
import type { BackupManifest, SavedStreamFile } from './manifest.ts'
import { withLock, withOwnServer } from './stopped-store.ts'

export const backupCommand: CliCommand = {
  usage: 'backup FILE [--without-secrets]',
  about: 'Write all stored data of the service to one file, for `npm run troupe -- restore`.',
  more: [
    '',
    'It contains keys, accounts, sessions and tasks with their histories, clients, people, grants,',
    'records, audits, webhooks, the profiles of DATA_DIR, and the secret files seal.key and dev.key. It',
    'does not contain running browsers with their files, traces, events, settings, or profiles that other hosts',
    'keep: run it on the host with DATA_DIR/blobs.',
    '',
    'It works while the service runs: each part is a consistent snapshot, the parts are taken one',
    'after another, and operations in progress may be missing, as after a power cut. For a snapshot',
    'of a single moment, stop the service first. FILE must not exist yet; only you can read it.',
  ].join('\n'),
  arguments: [1, 1],
  options: {
    'without-secrets': {
      help: 'Leave out seal.key and dev.key. Keep seal.key elsewhere: a restore needs it.',
    },
  },
  settings: ['DATA_DIR', 'NATS_URL'],
  examples: ['troupe backup /var/backups/troupe-2026-05-01.tar'],
  async run({ args, switches }) {
    const path = args[0]!
    refuseExisting(path)
    const config = loadConfig()
    const guard = new Guard()
    try {
      const manifest = await withPartsFolder(guard, folderOf(path), async (folder) => {
        const secrets = switches.has('without-secrets') ? [] : copySecrets(config, folder)
        const blobs = join(folder, archivePaths.blobs)
        // Before, because a blob may be removed meanwhile, and after, because one may be added.
        await copyBlobs(config.DATA_DIR, blobs)
        const copied = await withSource(config, guard, (nc, stopped) =>
          copyStreams(nc, folder, { secrets, stopped }),
        )
        const made = { ...copied, blobs: await copyBlobs(config.DATA_DIR, blobs) }
        writeFileSync(join(folder, archivePaths.manifest), `${JSON.stringify(made, null, 1)}\n`, {
          mode: 0o600,
        })
        await packArchive(guard, folder, path)
        return made
      })
      report(path, manifest, config)
    } finally {
      guard.stop()
    }
    return 0
  },
}

/** Connects to the running service's NATS, or starts that of a stopped service for the backup. */
async function withSource<T>(
  config: Config,
  guard: Guard,
  use: (nc: NatsConnection, stopped: boolean) => Promise<T>,
): Promise<T> {
  const isPrivate = config.NATS_URL === ''
  if (!isPrivate || lockHolderOf(config.DATA_DIR)) return withNats((nc) => use(nc, false))
  if (!existsSync(join(config.DATA_DIR, 'nats', 'jetstream'))) {
    throw new CommandFailed(
      `no service has run on ${config.DATA_DIR}: set DATA_DIR, or NATS_URL for your own NATS.`,
    )
  }
  return withLock(config, () => withOwnServer({ config, guard }, (nc) => use(nc, true)))
}

async function copyStreams(
  nc: NatsConnection,
  folder: string,
  about: Pick<BackupManifest, 'secrets' | 'stopped'>,
): Promise<BackupManifest> {
  const streams: SavedStreamFile[] = []
  for (const name of backupOrder) {
    // A service of an older version does not have every stream.
    const found = await snapshotStream(nc, name)
    if (!found) continue
    const { chunks, config, state } = found
    const snapshot = await writePart(join(folder, archivePaths.stream(name)), chunks)
    streams.push({ config, state, snapshot })
  }
  if (!streams.some(({ config }) => config.name === bucketStream(buckets.keys))) {
    throw new CommandFailed('this NATS holds no service: check NATS_URL and its user.')
  }
  return {
    format: backupFormat,
    troupe: version,
    nats: nc.info?.version ?? '',
    taken_at: new Date().toISOString(),
    ...about,
    streams,
  }
}

function copySecrets({ DATA_DIR, SEAL_KEY }: Config, folder: string): BackupManifest['secrets'] {
  // With SEAL_KEY, an existing file seal.key is not in use.
  const wanted = secretFiles.filter((name) => name !== 'seal.key' || SEAL_KEY === '')
  return wanted.filter((name) => {
    const file = join(DATA_DIR, name)
    if (!existsSync(file)) return false
    copyFileSync(file, join(folder, archivePaths.secret(name)))
    return true
  })
}

function report(path: string, { streams, secrets, stopped }: BackupManifest, config: Config): void {
  const bytes = streams.reduce((sum, { snapshot }) => sum + snapshot.bytes, 0)
  const how = stopped ? 'a snapshot of one moment' : 'taken while the service ran'
  console.log(`${path}: ${streams.length} streams, ${sizeWord(bytes)}, ${how}`)
  for (const line of secretNotes(path, secrets, config)) console.error(line)
}

function secretNotes(path: string, secrets: readonly string[], config: Config): string[] {
  if (secrets.includes('seal.key')) {
    return [
      `Keep ${path} secret: it contains seal.key, which opens the accounts and secrets in it.`,
      'Use --without-secrets for backups that leave this host, and store seal.key apart from them.',
    ]
  }
  const key = config.SEAL_KEY === '' ? 'seal.key' : 'SEAL_KEY'
  return [
    `${path} does not contain ${key}: without that key, its accounts and secrets cannot be opened.`,
    'It still contains records, histories and pages of tasks: give it only to people who may see those.',
  ]
}
