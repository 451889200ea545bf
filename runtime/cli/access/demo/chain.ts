/**
 * Sets up the demo's people, client, service scope and need over REST, each step by a person who may
 * take it. Existing entities are left unchanged.
 */
import { z } from 'zod'
import { areaKeys, areaRules } from '../../../../proto/access/areas/areas.ts'
import { systemAuthor } from '../../../../proto/access/author.ts'
import { personActor } from '../../../../proto/access/people/person.ts'
import { dayMs } from '../../../../proto/units.ts'
import type { Directory } from '../../../actor/directory.ts'
import { inviteStaff } from '../../../access/people/bootstrap.ts'
import { systemClock } from '../../../lib/clock.ts'
import type { Store } from '../../../store/store.ts'
import { CommandFailed } from '../../command.ts'
import { clientAnswer, personAnswer, scopeAnswer } from '../service/answers.ts'
import type { DemoSignIns } from './sign-ins.ts'
import { addNeed, demoNeed } from './needs.ts'
import { demoCast } from './cast.ts'
import { demoSlug, type DemoState } from './state.ts'
import { dataOf } from '../service/service.ts'

export interface DemoChainDeps {
  readonly directory: Pick<Directory, 'ask' | 'create'>
  readonly store: Store
}

const iso = (ms: number): string => new Date(ms).toISOString()
const invitedAnswer = dataOf(personAnswer.extend({ invitation: z.string() }))

export class DemoChain {
  readonly #deps: DemoChainDeps
  readonly #state: DemoState
  readonly #signIns: DemoSignIns

  constructor(deps: DemoChainDeps, state: DemoState, signIns: DemoSignIns) {
    this.#deps = deps
    this.#state = state
    this.#signIns = signIns
  }

  /** Signs in everyone, too. */
  async complete(): Promise<void> {
    await this.#staff()
    const client = await this.#client()
    await this.#member('mina', client, ['owner'])
    await this.#member('theo', client, ['member'])
    await this.#scope(client)
    await this.#activate(client)
    if (!this.#state.need) await addNeed(this.#signIns, client, demoNeed)
  }

  async #staff(): Promise<void> {
    const { people } = this.#state
    for (const name of ['ada', 'grace'] as const) {
      const known = people[name]
      if (known) await this.#signIns.open(name, known)
      else await this.#invite(name)
    }
  }

  async #invite(name: 'ada' | 'grace'): Promise<void> {
    const { directory, store } = this.#deps
    const [invitation] = await inviteStaff({ directory, store, clock: systemClock }, [
      demoCast[name],
    ])
    if (!invitation) throw new CommandFailed(`${demoCast[name].email} could not be invited`)
    await this.#signIns.accept(name, invitation.text)
  }

  async #client(): Promise<string> {
    const known = this.#state.client
    if (known && known.status !== 'onboarding' && known.status !== 'active') {
      throw new CommandFailed(
        `the demo's client is ${known.status}: \`npm run troupe -- access resume ${known.id}\` if it is suspended`,
      )
    }
    if (known) return known.id
    const { id } = await this.#signIns.as('ada', {
      method: 'POST',
      path: '/v1/clients',
      body: {
        name: 'Golden Crust Bakeries',
        slug: demoSlug,
        contact: { name: demoCast.mina.name, email: demoCast.mina.email },
        timezone: 'America/Los_Angeles',
      },
      answer: dataOf(clientAnswer),
    })
    return id
  }

  async #member(name: 'mina' | 'theo', client: string, roles: readonly string[]): Promise<void> {
    const known = this.#state.people[name]
    if (known) {
      if (known.vouchers) await this.#confirm(known.id)
      return this.#signIns.open(name, known)
    }
    const { email, name: full } = demoCast[name]
    const { id, invitation } = await this.#signIns.as('ada', {
      method: 'POST',
      path: '/v1/members',
      body: { client_id: client, email, name: full, roles },
      answer: invitedAnswer,
    })
    await this.#confirm(id)
    await this.#signIns.accept(name, invitation)
  }

  /** As the operator of the host: Ada, who invites them, also requests what they approve. */
  async #confirm(id: string): Promise<void> {
    const by = systemAuthor('demo')
    await this.#deps.directory.ask(personActor, id, { type: 'confirm', by })
  }

  /** Ada proposes the terms and Grace confirms them: all areas, which each grant then narrows. */
  async #scope(client: string): Promise<void> {
    if (this.#state.scope) return
    const nowMs = Date.now()
    const answer = dataOf(scopeAnswer)
    const path = '/v1/service-scopes'
    const body = {
      client_id: client,
      name: 'Shop and marketing retainer',
      summary: 'The online shop, its hosting, and the marketing around it.',
      engagement_ref: 'GC-2041',
      paths: ['portal', 'reports', 'api'],
      areas: areaKeys.map((area) => ({ area, actions: areaRules[area].actions })),
      effective_from: iso(nowMs - 60 * dayMs),
      effective_to: iso(nowMs + 365 * dayMs),
    }
    const draft = await this.#signIns.as('ada', { method: 'POST', path, body, answer })
    const { id, version, digest } = await this.#signIns.as('ada', {
      method: 'POST',
      path: `${path}/${draft.id}/submit`,
      version: draft.version,
      answer,
    })
    const confirm = { method: 'POST', path: `${path}/${id}/confirm`, version, answer } as const
    await this.#signIns.as('grace', { ...confirm, body: { digest } })
  }

  async #activate(client: string): Promise<void> {
    if (this.#state.client?.status === 'active') return
    const path = `/v1/clients/${client}/activate`
    const answer = dataOf(clientAnswer)
    await this.#signIns.as('grace', { method: 'POST', path, version: '*', answer })
  }
}
