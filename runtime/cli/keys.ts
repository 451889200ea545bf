import { isToken } from '../../proto/ids.ts'
import type { KeyRecord } from '../../proto/key.ts'
import { buckets } from '../../proto/subjects.ts'
import type { SettingName } from '../config.ts'
import { createKey, listKeys, revokeKey } from '../keys.ts'
import { CommandFailed, UsageError, type Command, type Family } from './command.ts'
import { columns } from './help.ts'
import { withStore } from './with-store.ts'

const settings: readonly SettingName[] = ['NATS_URL', 'DATA_DIR']

const create: Command = {
  usage: 'keys create --tenant T --name N [--max-sessions n] [--expires 30d]',
  about: 'Create a key and show it, this once.',
  options: {
    tenant: { value: 'T', required: true, help: 'Whose key: tenants never see each other.' },
    name: { value: 'N', required: true, help: 'What it is for; shown with the sessions it made.' },
    'max-sessions': { value: 'n', help: 'Most sessions at once through this key.' },
    expires: { value: 'WHEN', help: 'After 12h or 30d, or at a date: 2030-01-31.' },
  },
  settings,
  examples: [
    'troupe keys create --tenant acme --name ci',
    'troupe keys create --tenant acme --name trial --max-sessions 2 --expires 30d',
  ],
  async run({ values }) {
    const order = readOrder(values, Date.now())
    const { record, text } = await withStore((store) =>
      createKey(store.bucket(buckets.keys), order, Date.now()),
    )
    console.error(`key ${record.id} of tenant ${record.tenant}; it is not shown again:`)
    console.log(text)
    return 0
  },
}

function readOrder(values: Readonly<Record<string, string | undefined>>, nowMs: number) {
  const { tenant = '', name = '', expires } = values
  if (!isToken(tenant)) {
    throw new UsageError('--tenant takes letters, digits, - and _, at most 64')
  }
  if (!/^\S(.{0,62}\S)?$/.test(name)) throw new UsageError('--name takes 1 to 64 characters')
  const sessionsText = values['max-sessions']
  const sessionsMax = sessionsText === undefined ? undefined : Number(sessionsText)
  if (sessionsMax !== undefined && !(Number.isInteger(sessionsMax) && sessionsMax > 0)) {
    throw new UsageError('--max-sessions takes a whole number from 1 up')
  }
  return {
    tenant,
    name,
    ...(sessionsMax !== undefined && { sessionsMax }),
    ...(expires !== undefined && { expiresAtMs: readExpiry(expires, nowMs) }),
  }
}

const unitMs = { h: 3_600_000, d: 86_400_000 } as const

function readExpiry(text: string, nowMs: number): number {
  const span = /^(\d{1,5})([hd])$/.exec(text)
  const at = span ? nowMs + Number(span[1]) * unitMs[span[2] as 'h' | 'd'] : Date.parse(text)
  if (!(at > nowMs)) throw new UsageError('--expires takes 12h, 30d or a date to come')
  return at
}

const list: Command = {
  usage: 'keys list',
  about: 'List the keys: id, state, tenant, name, limits. Never the keys themselves.',
  settings,
  async run() {
    const records = await withStore((store) => listKeys(store.bucket(buckets.keys)))
    if (records.length === 0) console.log('no keys yet: troupe keys create --tenant T --name N')
    else console.log(columns(records.map(row), ''))
    return 0
  },
}

function row(record: KeyRecord): readonly [string, string] {
  const most = record.limits.sessions
  const parts = [stateOf(record).padEnd(7), record.tenant, record.name]
  if (most !== undefined) parts.push(`at most ${most} session${most === 1 ? '' : 's'}`)
  if (record.expiresAtMs !== undefined) parts.push(`until ${day(record.expiresAtMs)}`)
  return [record.id, parts.join('  ')]
}

function stateOf({ revokedAtMs, expiresAtMs }: KeyRecord): 'revoked' | 'expired' | 'active' {
  if (revokedAtMs !== undefined) return 'revoked'
  return expiresAtMs !== undefined && expiresAtMs <= Date.now() ? 'expired' : 'active'
}

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)

const revoke: Command = {
  usage: 'keys revoke ID',
  about: 'Revoke a key: it is refused from now on. Sessions made with it go on.',
  arguments: [1, 1],
  settings,
  examples: ['troupe keys revoke 3f9c01ab77de'],
  async run({ args: [id = ''] }) {
    const record = await withStore((store) => revokeKey(store.bucket(buckets.keys), id, Date.now()))
    if (!record) throw new CommandFailed(`there is no key ${id}: see \`troupe keys list\``)
    console.log(`revoked ${record.id} (${record.tenant}, ${record.name})`)
    return 0
  },
}

export const keys: Family = {
  about: 'Create, list and revoke API keys.',
  commands: { create, list, revoke },
}
