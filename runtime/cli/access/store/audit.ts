/** `troupe audit`: lists who used the service; verifies and exports the chains of scoped access. */
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { contained } from '../../../lib/network/contained.ts'
import type { AuditCheckpoint } from '../../../../proto/access/audit/audit.ts'
import { isAccessId, platformTenant } from '../../../../proto/access/ids.ts'
import { subjects } from '../../../../proto/subjects.ts'
import { readCheckpoint, readCheckpoints } from '../../../access/audit/chain/checkpoints.ts'
import { checkpointsDueMs } from '../../../access/audit/chain/checkpoints-due.ts'
import {
  NotAnExport,
  readExport,
  type ReadExport,
} from '../../../access/audit/export/read-export.ts'
import { auditSigner } from '../../../access/audit/open.ts'
import { verifyChain, type ChainVerdict } from '../../../access/audit/chain/verify.ts'
import type { TextSigner } from '../../../accounts/seal/signer.ts'
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
    'Exits with 1 if a chain or the export was changed, or checkpoints were removed. Only checkpoints\n' +
    'reveal that a chain was truncated or rewritten, so keep copies elsewhere: AUDIT_CHECKPOINT_FILE,\n' +
    'or npm run troupe -- audit export --checkpoints.',
  options: {
    ...clientOption,
    checkpoints: { value: 'FILE', help: 'Copies of checkpoints, one per line.' },
    export: {
      value: 'FILE',
      help: 'An export of the portal (NDJSON): whether it is whole, and each entry as in its chain.',
    },
  },
  settings,
  examples: ['troupe audit verify', 'troupe audit verify --checkpoints kept.ndjson'],
  run: ({ values }) =>
    withStore(async (store) => {
      const file = values['checkpoints']
      const signer = auditSigner(loadConfig())
      const copy = await exportIn(values['export'], signer)
      if (values['export'] !== undefined) console.log(exportWords(values['export'], copy))
      const kept = [...copy.checkpoints, ...(file === undefined ? [] : await checkpointsIn(file))]
      let isGood = copy.fault === undefined
      for (const client of await chainsOf(store, values, kept, copy.chains)) {
        const checkpoints: AuditCheckpoint[] = []
        for await (const one of readCheckpoints(store.checkpoints, client)) checkpoints.push(one)
        const entries = store.audit.read(subjects.audit(client))
        const exported = copy.chains.get(client)
        const verdict = await verifyChain({
          ...{ client, entries, checkpoints, kept, signer },
          checkpointsDueMs: await checkpointsDueMs(store, client, signer),
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

/** Throws CommandFailed for a file that is no export. */
async function exportIn(file: string | undefined, signer: TextSigner): Promise<ReadExport> {
  if (file === undefined) return { chains: new Map(), checkpoints: [], entries: 0 }
  try {
    return await readExport(linesOf(file), signer)
  } catch (error) {
    if (!(error instanceof NotAnExport)) throw error
    throw new CommandFailed(`${file} ${error.message}`, error)
  }
}

function exportWords(file: string, { at, entries, chains, fault }: ReadExport): string {
  if (fault !== undefined) return `${file}: BAD: ${fault}`
  const of = `${entries} ${entries === 1 ? 'entry' : 'entries'} of ${chains.size} chains`
  return `${file}: good, whole as exported at ${at}: ${of}`
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
