/** `troupe audit`: lists who used the service; verifies and exports the chains of scoped access. */
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { contained } from '../../../lib/network/contained.ts'
import { readAuditId, type AuditCheckpoint } from '../../../../proto/access/audit/audit.ts'
import { digestOf } from '../../../../proto/access/digest.ts'
import { isAccessId, platformTenant } from '../../../../proto/access/ids.ts'
import { subjects } from '../../../../proto/subjects.ts'
import { readCheckpoint, readCheckpoints } from '../../../access/audit/chain/checkpoints.ts'
import { auditSigner } from '../../../access/audit/open.ts'
import { verifyChain, type ChainVerdict } from '../../../access/audit/chain/verify.ts'
import { loadConfig, type SettingName } from '../../../config/config.ts'
import type { NatsStore } from '../../../store/nats/buckets.ts'
import { auditList } from '../../service-audit/audit-list.ts'
import {
  CommandFailed,
  UsageError,
  type CliCommand,
  type CliCommandGroup,
  type CliInput,
} from '../../command.ts'
import { withStore } from '../../with-store.ts'

const settings: readonly SettingName[] = ['NATS_URL', 'DATA_DIR', 'SEAL_KEY']
const clientOption = {
  client: { value: 'ID', help: 'One chain: cli_… or platform (default: all).' },
} as const

const verify: CliCommand = {
  usage: 'audit verify [--client ID] [--checkpoints FILE] [--export FILE]',
  about: 'Verify every chain, and name the first entry that was changed.',
  more:
    'Exits with 1 if a chain was changed. Only checkpoints reveal that a chain was truncated or\n' +
    'rewritten, so keep copies elsewhere: npm run troupe -- audit export --checkpoints.',
  options: {
    ...clientOption,
    checkpoints: { value: 'FILE', help: 'Copies of checkpoints, one per line.' },
    export: {
      value: 'FILE',
      help: 'An export of the portal (NDJSON): each entry is compared with its chain.',
    },
  },
  settings,
  examples: ['troupe audit verify', 'troupe audit verify --checkpoints kept.ndjson'],
  run: ({ values }) =>
    withStore(async (store) => {
      const file = values['checkpoints']
      const copy = await readExport(values['export'])
      const kept = [...copy.checkpoints, ...(file === undefined ? [] : await checkpointsIn(file))]
      const signer = auditSigner(loadConfig())
      let isGood = true
      for (const client of await chainsOf(store, values, kept, copy.chains)) {
        const checkpoints: AuditCheckpoint[] = []
        for await (const one of readCheckpoints(store.checkpoints, client)) checkpoints.push(one)
        const entries = store.audit.read(subjects.audit(client))
        const exported = copy.chains.get(client)
        const verdict = await verifyChain({
          ...{ client, entries, checkpoints, kept, signer },
          ...(exported && { exported }),
        })
        isGood &&= verdict.firstBad === undefined
        console.log(wordsOf(verdict))
      }
      return isGood ? 0 : 1
    }),
}

function wordsOf({ client, entries, exported, firstBad, checkpoints }: ChainVerdict): string {
  const { matched, unknownKey } = checkpoints
  if (firstBad) return `${client}: BAD at entry ${firstBad.n}: ${firstBad.why}`
  const unknown = unknownKey > 0 ? `, ${unknownKey} signed with unknown keys` : ''
  const copies = exported > 0 ? `, ${exported} of the export match` : ''
  return `${client}: good, ${entries} entries, ${matched} checkpoints match${unknown}${copies}`
}

const exportCommand: CliCommand = {
  usage: 'audit export [--client ID] [--checkpoints]',
  about: 'Write entries to the standard output as stored, one JSON per line.',
  options: { ...clientOption, checkpoints: { help: 'Checkpoints instead of entries.' } },
  settings,
  examples: ['troupe audit export --checkpoints > kept.ndjson'],
  run: ({ values, switches }) =>
    withStore(async (store) => {
      const wantsCheckpoints = switches.has('checkpoints')
      for (const client of await chainsOf(store, values, [])) {
        const found = wantsCheckpoints
          ? store.checkpoints.read(subjects.checkpoint(client))
          : store.audit.read(subjects.audit(client))
        for await (const { data } of found) await writeLine(Buffer.from(data).toString())
      }
      return 0
    }),
}

/** A chain that was removed altogether is still known from its checkpoints. */
async function chainsOf(
  store: NatsStore,
  { client }: CliInput['values'],
  kept: readonly AuditCheckpoint[],
  exported: ReadonlyMap<string, unknown> = new Map(),
): Promise<readonly string[]> {
  if (client !== undefined) {
    if (client === platformTenant || isAccessId('client', client)) return [client]
    throw new UsageError('--client takes the id of a client, cli_…, or platform')
  }
  const audited = await store.audit.subjects(subjects.auditAll)
  const signed = await store.checkpoints.subjects(subjects.checkpointsAll)
  const names = [...audited, ...signed].map((subject) => subject.split('.').at(-1)!)
  const copied = [...kept.map((one) => one.client), ...exported.keys()]
  return [...new Set([...names, ...copied])].sort()
}

async function checkpointsIn(file: string): Promise<readonly AuditCheckpoint[]> {
  const found: AuditCheckpoint[] = []
  for await (const line of linesOf(file)) {
    const checkpoint = readCheckpoint(line)
    if (!checkpoint) {
      throw new CommandFailed(`${file} has a line that is not a checkpoint: ${line.slice(0, 60)}`)
    }
    found.push(checkpoint)
  }
  return found
}

/** The digests of an export's entries, by chain and number, and the checkpoints at its end. */
async function readExport(file: string | undefined) {
  const chains = new Map<string, Map<number, string>>()
  const checkpoints: AuditCheckpoint[] = []
  if (file === undefined) return { chains, checkpoints }
  for await (const line of linesOf(file)) {
    const checkpoint = readCheckpoint(line)
    if (checkpoint) {
      checkpoints.push(checkpoint)
      continue
    }
    const { where, digest } = readCopy(line) ?? {}
    if (!where || digest === undefined) {
      throw new CommandFailed(`${file} has a line that is not an entry: ${line.slice(0, 60)}`)
    }
    const chain = chains.get(where.client) ?? new Map<number, string>()
    chains.set(where.client, chain.set(where.n, digest))
  }
  return { chains, checkpoints }
}

const exportedEntry = z.object({ id: z.string() })

/** The digest covers every field of the line. */
function readCopy(line: string) {
  try {
    const entry: unknown = JSON.parse(line)
    return { where: readAuditId(exportedEntry.parse(entry).id), digest: digestOf(entry) }
  } catch {
    // `readExport` reports that it is not an entry.
    return undefined
  }
}

async function* linesOf(file: string): AsyncIterable<string> {
  try {
    for await (const line of createInterface({ input: contained(createReadStream(file)) })) {
      if (line.trim() !== '') yield line
    }
  } catch (error) {
    throw new CommandFailed(`${file} cannot be read: ${(error as Error).message}`, error)
  }
}

async function writeLine(text: string): Promise<void> {
  if (!process.stdout.write(`${text}\n`)) await once(process.stdout, 'drain')
}

export const auditCommandGroup: CliCommandGroup = {
  about: 'Who used the service (list); the chains of scoped access (verify, export).',
  commands: { list: auditList, verify, export: exportCommand },
}
