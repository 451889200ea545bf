import type { KeyRecord } from '../../../proto/accounts/key.ts'
import {
  isKeyScope,
  keyScopeNames,
  keyScopes,
  type KeyScope,
} from '../../../proto/accounts/key-scopes.ts'
import { sessionActor } from '../../../proto/session/session-protocol.ts'
import { isFinal, type SessionView } from '../../../proto/session/session.ts'
import { buckets } from '../../../proto/subjects.ts'
import { loadConfig, type SettingName } from '../../config/config.ts'
import { countText, tokenText } from '../../config/value-texts.ts'
import { devKeyRefusal } from '../../accounts/keys/dev-key-refusal.ts'
import { devKeys } from '../../accounts/keys/client-key.ts'
import type { Directory } from '../../actor/directory.ts'
import { createKey, revokeKey } from '../../accounts/keys/keys.ts'
import type { Store } from '../../store/store.ts'
import { storedViews } from '../../actor/views.ts'
import { auditCommand } from '../service-audit/audit-list.ts'
import { CommandFailed, UsageError, type CliCommand, type CliCommandGroup } from '../command.ts'
import { alignColumns } from '../help.ts'
import { parseOption } from '../terminal/parse-option.ts'
import { parseTimeInput } from '../terminal/parse-time.ts'
import { withDirectory, withStore } from '../with-store.ts'
import { listKeysCommand } from './keys-list.ts'

const settings: readonly SettingName[] = ['NATS_URL', 'DATA_DIR']

const create: CliCommand = {
  usage:
    'keys create --tenant T --name N [--scopes S,S] [--allow-private] [--max-sessions n] [--expires 30d]',
  about: 'Create a key and show it once.',
  more: `Scopes:\n${alignColumns(Object.entries(keyScopes))}\nWithout --scopes a key has all of them but admin and metrics.`,
  options: {
    tenant: {
      value: 'T',
      required: true,
      help: 'Tenant of the key; tenants never see each other.',
    },
    name: { value: 'N', required: true, help: 'What it is for; shown with its sessions.' },
    scopes: {
      value: 'S,S',
      help: 'What it may do: see above. (default: all but admin and metrics)',
    },
    'allow-private': { help: 'Its sessions may reach private networks if they request it.' },
    'max-sessions': { value: 'n', help: 'Maximum number of sessions at once.' },
    expires: { value: 'WHEN', help: 'In 12h or 30d, or a date: 2030-01-31.' },
  },
  settings,
  examples: [
    'troupe keys create --tenant acme --name ci',
    'troupe keys create --tenant acme --name trial --max-sessions 2 --expires 30d',
    'troupe keys create --tenant acme --name wall-screen --scopes view',
  ],
  async run({ values, switches }) {
    const allowPrivate = switches.has('allow-private')
    const order = { ...readOrder(values, Date.now()), allowPrivate }
    const { record, text } = await withStore(async (store) => {
      const made = await createKey(store.bucket(buckets.keys), order, Date.now())
      const { id, tenant, name } = made.record
      await auditCommand(store.serviceAudit, {
        ...{ action: 'key.create', tenant, key_id: id, detail: { name } },
      })
      return made
    })
    console.error(`key ${record.id} of tenant ${record.tenant}; it is not shown again:`)
    console.log(text)
    return 0
  },
}

function readOrder(values: Readonly<Record<string, string | undefined>>, nowMs: number) {
  const { name = '', expires, scopes, 'max-sessions': sessions } = values
  const tenant = parseOption('tenant', values['tenant'] ?? '', tokenText)
  if (!/^\S(.{0,62}\S)?$/.test(name)) throw new UsageError('--name takes 1 to 64 characters')
  return {
    tenant,
    name,
    ...(sessions !== undefined && {
      sessionsMax: parseOption('max-sessions', sessions, countText(1)),
    }),
    ...(scopes !== undefined && { scopes: readScopes(scopes) }),
    ...(expires !== undefined && { expiresAtMs: parseTimeInput('expires', expires, nowMs) }),
  }
}

function readScopes(text: string): readonly KeyScope[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.every(isKeyScope)) return keyScopeNames.filter((name) => names.includes(name))
  throw new UsageError(`--scopes takes some of ${keyScopeNames.join(', ')}, comma-separated`)
}

const revoke: CliCommand = {
  usage: 'keys revoke ID [--end-sessions]',
  about: 'Revoke a key: it is refused from now on, and its connections are closed.',
  more: 'Its sessions continue, for other keys of its tenant, unless --end-sessions is given.',
  arguments: [1, 1],
  options: { 'end-sessions': { help: 'Also end the sessions that were created with it.' } },
  settings,
  examples: ['troupe keys revoke 3f9c01ab77de', 'troupe keys revoke 3f9c01ab77de --end-sessions'],
  async run({ args: [id = ''], switches }) {
    return withDirectory(async (directory, store) => {
      const record = await revokeKey(store.bucket(buckets.keys), id, Date.now())
      if (!record)
        throw new CommandFailed(`there is no key ${id}: see \`npm run troupe -- keys list\``)
      const { tenant, name } = record
      await auditCommand(store.serviceAudit, {
        ...{ action: 'key.revoke', tenant, key_id: record.id, detail: { name } },
      })
      console.log(`revoked ${record.id} (${record.tenant}, ${record.name})`)
      if (switches.has('end-sessions')) await endSessions(directory, store, record)
      return 0
    })
  },
}

async function endSessions(directory: Directory, store: Store, { id, tenant }: KeyRecord) {
  const views = await storedViews<SessionView>(store, sessionActor.kind, tenant)
  const alive = views.filter(({ keyId, status }) => keyId === id && !isFinal(status))
  for (const session of alive) {
    await directory.ask(sessionActor, session.id, { type: 'end', reason: 'deleted' })
    console.log(`ended ${session.id}`)
  }
  if (alive.length === 0) console.log('it has no sessions')
}

const dev: CliCommand = {
  usage: 'keys dev',
  about: 'Show the development key of this machine.',
  more: 'Clients on this machine may use it while no other machine can reach the service.',
  settings: ['DATA_DIR', 'DEV_KEY', 'PUBLIC_URL'],
  run() {
    const config = loadConfig()
    const why = devKeyRefusal(config)
    if (why !== undefined) {
      throw new CommandFailed(
        `it is refused here: ${why}. Create a key with \`npm run troupe -- keys create\`.`,
      )
    }
    const [key] = devKeys(config)
    if (key === undefined) {
      throw new CommandFailed(
        `${config.DATA_DIR} has no development key that this user can read: the first \`npm run troupe -- up\` creates it.`,
      )
    }
    console.log(key)
    return Promise.resolve(0)
  },
}

export const keysCommandGroup: CliCommandGroup = {
  about: 'Create, list and revoke API keys.',
  commands: { create, list: listKeysCommand, revoke, dev },
}
