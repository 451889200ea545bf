import type { KeyRecord } from '../../../proto/accounts/key.ts'
import { keyScopesOf } from '../../../proto/accounts/key.ts'
import { buckets } from '../../../proto/subjects.ts'
import { listKeys } from '../../accounts/keys/keys.ts'
import type { CliCommand } from '../command.ts'
import { prettyJson, tableText, type TextColumn } from '../terminal/table.ts'
import { withStore } from '../with-store.ts'

export const listKeysCommand: CliCommand = {
  usage: 'keys list [--json]',
  about: 'List the keys: id, state, tenant, name, limits, last use. Never the keys themselves.',
  options: { json: { help: 'Print them as JSON, with the fields of GET /v1/admin/keys.' } },
  settings: ['NATS_URL', 'DATA_DIR'],
  examples: ['troupe keys list', 'troupe keys list --json | jq -r .[].id'],
  async run({ switches }) {
    const records = await withStore((store) => listKeys(store.bucket(buckets.keys)))
    if (switches.has('json')) console.log(prettyJson(records.map(jsonOf)))
    else if (records.length > 0) console.log(tableText(columns, records))
    else console.log('no keys yet: npm run troupe -- keys create --tenant T --name N')
    return 0
  },
}

const columns: readonly TextColumn<KeyRecord>[] = [
  { head: 'KEY', cell: ({ id }) => id },
  { head: 'STATE', cell: (record) => stateOf(record) },
  { head: 'TENANT', cell: ({ tenant }) => tenant },
  { head: 'NAME', cell: ({ name }) => name },
  { head: 'SCOPES', cell: ({ scopes }) => scopes?.join(', ') ?? 'all but admin and metrics' },
  { head: 'SESSIONS', cell: ({ limits }) => limits.sessions, alignsRight: true },
  { head: 'PRIVATE', cell: ({ allowPrivate }) => (allowPrivate ? 'yes' : undefined) },
  { head: 'EXPIRES', cell: ({ expiresAtMs }) => isoOf(expiresAtMs)?.slice(0, 10) },
  { head: 'USED', cell: ({ lastUsedAtMs }) => isoOf(lastUsedAtMs)?.slice(0, 16).replace('T', ' ') },
]

function stateOf({ revokedAtMs, expiresAtMs }: KeyRecord): 'revoked' | 'expired' | 'active' {
  if (revokedAtMs !== undefined) return 'revoked'
  return expiresAtMs !== undefined && expiresAtMs <= Date.now() ? 'expired' : 'active'
}

const isoOf = (ms: number | undefined) =>
  ms === undefined ? undefined : new Date(ms).toISOString()

/** Without the number of sessions of each key, which the list does not know. */
function jsonOf(record: KeyRecord) {
  const { id, tenant, name, allowPrivate = false, limits } = record
  return {
    ...{ id, tenant, name, state: stateOf(record), scopes: keyScopesOf(record) },
    allow_private: allowPrivate,
    max_sessions: limits.sessions,
    created_at: isoOf(record.createdAtMs),
    expires_at: isoOf(record.expiresAtMs),
    revoked_at: isoOf(record.revokedAtMs),
    last_used_at: isoOf(record.lastUsedAtMs),
  }
}
