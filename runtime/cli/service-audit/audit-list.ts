/** `troupe audit list`: who used the service, and what it refused. */
import { defined } from '../../../proto/defined.ts'
import { userInfo } from 'node:os'
import { randomUUID } from 'node:crypto'
import {
  serviceAuditActionNames,
  serviceAuditActions,
  serviceAuditOutcomes,
  type ServiceAuditEntry,
} from '../../../proto/service-audit.ts'
import { countText, oneOf } from '../../config/value-texts.ts'
import { systemClock } from '../../lib/clock.ts'
import { serviceAuditLimits as limits } from '../../service-audit/limits.ts'
import {
  followServiceAudit,
  isWanted,
  listServiceAudit,
  type NumberedEntry,
} from '../../service-audit/reader.ts'
import { writeEntry, type NewAuditEntry } from '../../service-audit/writer.ts'
import type { SharedLog } from '../../store/store.ts'
import type { CliCommand, CliInput } from '../command.ts'
import { alignColumns } from '../help.ts'
import { Signals } from '../start/signals.ts'
import { parseOption } from '../terminal/parse-option.ts'
import { readSince } from '../terminal/parse-time.ts'
import { withStore } from '../with-store.ts'

export const auditList: CliCommand = {
  usage:
    'audit list [--tenant T] [--session ID] [--key ID] [--address IP] [--action A] [--since 24h] [--follow]',
  about:
    'Show who used the service from where, and what was refused: the newest entries, oldest first.',
  more: `Actions:\n${alignColumns(Object.entries(serviceAuditActions))}`,
  options: {
    tenant: { value: 'T', help: 'Only entries of this tenant.' },
    session: { value: 'ID', help: 'Only entries about this session.' },
    key: { value: 'ID', help: 'Only entries with this key.' },
    address: {
      value: 'IP',
      help: 'Only entries from this address; `cli` for commands of the operator.',
    },
    action: { value: 'A', help: 'Only entries of this action: see above.' },
    outcome: { value: 'O', help: `Only this outcome: ${serviceAuditOutcomes.join(', ')}.` },
    since: { value: 'WHEN', help: 'Only entries since then: 24h or 30d ago, or a date.' },
    limit: { value: 'N', help: `Maximum number of entries (default: ${limits.pageRows}).` },
    json: { help: 'Print the entries as JSON, one per line, as stored.' },
    follow: { help: 'Then follow new entries, until Ctrl-C.' },
  },
  settings: ['NATS_URL', 'DATA_DIR'],
  examples: [
    'troupe audit list --session ses_…',
    'troupe audit list --action key.refuse --since 24h',
    'troupe audit list --follow --json >> audit.ndjson',
  ],
  run: ({ values, switches }) =>
    withStore(async ({ serviceAudit }) => {
      const wanted = readWanted(values)
      const { tenant, limit } = values
      const rows = limit === undefined ? limits.pageRows : parseOption('limit', limit, countText(1))
      const since = readSince(values['since'], systemClock.now())
      const show = switches.has('json') ? JSON.stringify : line
      const matches = (entry: ServiceAuditEntry) => isWanted(entry, wanted)
      const found: NumberedEntry[] = []
      for (let before: number | undefined; found.length < rows;) {
        const query = { tenant, matches, since, before, rows: rows - found.length }
        const page = await listServiceAudit(serviceAudit, query)
        found.push(...page.entries)
        before = page.next
        if (before === undefined) break
      }
      for (const entry of found.reverse()) console.log(show(entry))
      if (switches.has('follow')) {
        const { first: stop } = new Signals()
        const from = { tenant, matches, after: found.at(-1)?.n, clock: systemClock }
        await followServiceAudit(serviceAudit, from, (entry) => console.log(show(entry)), stop)
      } else if (found.length === 0) {
        console.error('no entries')
      }
      return 0
    }),
}

/** Records an operator's command in the audit, before the command reports success. */
export function auditCommand(
  stream: Pick<SharedLog, 'add'>,
  entry: Omit<NewAuditEntry, 'outcome' | 'address'>,
): Promise<void> {
  const detail = { ...entry.detail, user: userInfo().username }
  const done = { ...entry, outcome: 'done', address: 'cli', detail } as const
  return writeEntry(stream, done, systemClock, randomUUID())
}

function readWanted(values: CliInput['values']): Partial<ServiceAuditEntry> {
  const { session, key, address, action, outcome } = values
  return {
    ...defined({ session_id: session, key_id: key, address }),
    ...(action !== undefined && {
      action: parseOption('action', action, oneOf(serviceAuditActionNames)),
    }),
    ...(outcome !== undefined && {
      outcome: parseOption('outcome', outcome, oneOf(serviceAuditOutcomes)),
    }),
  }
}

function line({ at, action, outcome, count, detail = {}, ...entry }: NumberedEntry): string {
  const words = Object.entries(detail).map(([name, value]) => `${name}=${value}`)
  const ids = [entry.session_id, entry.task_id].filter((id) => id !== undefined)
  const said = outcome === 'done' ? action : `${action} (${outcome})`
  const parts = [at.slice(0, 19), said.padEnd(26), (entry.tenant ?? '-').padEnd(12)]
  parts.push((entry.key_id ?? '-').padEnd(12), (entry.address ?? '-').padEnd(15), ...ids, ...words)
  if (count !== undefined) parts.push(`and ${count} more`)
  return parts.join('  ').trimEnd()
}
