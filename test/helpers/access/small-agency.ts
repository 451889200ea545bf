/** An agency of two on a real service, and its requests and changes as people make them. */
import type { Teardown } from '../nats/nats.ts'
import { dataOf, patient, type Heard } from './asking.ts'
import type { Client } from './clients.ts'
import type { Person } from './people.ts'
import { removeStaff } from './removal.ts'
import { openWorld } from './world.ts'
import { until } from '../lib/until.ts'

type Signed = Pick<Person, 'token'>

export interface OpenSlot {
  readonly role: string
  readonly count: number
  readonly can: readonly { readonly id: string; readonly name: string }[]
  readonly cannot: readonly { readonly id: string; readonly why: string }[]
  readonly advice?: string
}

export interface Decided {
  readonly id: string
  readonly version: number
  readonly status: string
  readonly digest: string
  readonly policy: { readonly rules: readonly string[]; readonly slots: readonly object[] }
  readonly open_slots: readonly OpenSlot[]
  readonly implementers?: {
    readonly can: readonly { readonly id: string }[]
    readonly advice?: string
  }
}

const hourMs = 3_600_000
const iso = (ms: number) => new Date(ms).toISOString()

export async function openSmallAgency(t: Teardown, env: Readonly<Record<string, string>> = {}) {
  const world = await openWorld(t, env)
  const { ada, grace, a, deciders } = world
  const ask = patient(world.ask)
  let addresses = 0
  const from = () => `10.137.${addresses >> 8}.${addresses++ & 255}`
  const { id } = deciders.third as { readonly id: Person['id'] }
  await removeStaff(ask, { id }, [ada, grace])
  await until('the gateway knows that they are two', async () => {
    const { text } = await ask('GET', `/v1/staff/${id}`, { token: ada.token })
    return text.includes('"removed"')
  })

  const tell = (by: Signed, path: string, body?: object, seen: number | '*' = '*') =>
    ask('POST', path, { token: by.token, from: from(), seen, ...(body && { body }) })

  /** Drafted and submitted for the newsletter, a program. */
  async function request(by: Signed, permissions: readonly object[], of: Client = a) {
    const body = {
      ...{ client_id: of.id, scope_id: of.scope, need_id: of.need, permissions },
      subject: { kind: 'integration', id: 'newsletter' },
      ends_at: iso(Date.now() + 24 * hourMs),
      justification: 'To see who can decide on it.',
    }
    const { id } = dataOf(await tell(by, '/v1/access-requests', body))
    return dataOf<Decided>(await tell(by, `/v1/access-requests/${id}/submit`, undefined, 1))
  }

  /** Drafted and proposed; it writes nothing, so that nothing else has to exist. */
  async function change(by: Signed, more: object = {}, of: Client = a) {
    const body = {
      ...{ client_id: of.id, need_id: of.need, kind: 'other', title: 'Renew the certificate' },
      ...{ impact: 'Nobody notices it.', test_plan: 'The page opens again.' },
      rollback_plan: 'Use the old one again.',
      ...more,
    }
    const { id } = dataOf(await tell(by, '/v1/changes', body))
    return dataOf<Decided>(await tell(by, `/v1/changes/${id}/propose`, undefined, 1))
  }

  const pathOf = ({ id }: Pick<Decided, 'id'>) =>
    `/v1/${id.startsWith('chg') ? 'changes' : 'access-requests'}/${id}`

  /** Of the version that is current. */
  async function approve(by: Signed, of: Pick<Decided, 'id'>): Promise<Heard> {
    const read = { token: ada.token, from: from() }
    const { version, digest } = dataOf<Decided>(await ask('GET', pathOf(of), read))
    const body = { decision: 'approve', reason: 'as it was agreed on', digest }
    return tell(by, `${pathOf(of)}/reviews`, body, version)
  }

  const schedule = (by: Signed, of: Decided) => {
    const start = Date.now() + 300
    const window = { start: iso(start), end: iso(start + hourMs) }
    return tell(by, `${pathOf(of)}/schedule`, { window })
  }

  /** Starts the change once its window is open. */
  const start = (by: Signed, of: Decided) =>
    until('its window is open', async () => {
      const answer = await tell(by, `${pathOf(of)}/start`)
      return answer.status !== 409 && answer
    })

  return { ...world, ask, from, tell, request, change, approve, schedule, start }
}
