/**
 * Sets up the demo's governance over REST, each step by a person who may take it. Existing entities
 * are left unchanged.
 */
import { z } from 'zod'
import { areaKeys, areaRules } from '../../../../proto/access/areas/areas.ts'
import { systemAuthor } from '../../../../proto/access/author.ts'
import { personActor } from '../../../../proto/access/people/person.ts'
import { dayMs } from '../../../../proto/access/limits.ts'
import type { Directory } from '../../../actor/directory.ts'
import { inviteStaff } from '../../../access/people/bootstrap.ts'
import { systemClock } from '../../../lib/clock.ts'
import type { Store } from '../../../store/store.ts'
import { CommandFailed } from '../../command.ts'
import {
  clientAnswer,
  needAnswer,
  personAnswer,
  requestAnswer,
  scopeAnswer,
} from '../service/answers.ts'
import { DemoSignIns } from './sign-ins.ts'
import {
  demoCast,
  demoPeople,
  demoSlug,
  demoIntegration,
  type DemoPerson,
  type DemoState,
} from './state.ts'
import { callService, dataOf, type ServiceCall } from '../service/service.ts'

export interface DemoChainDeps {
  readonly base: string
  readonly directory: Pick<Directory, 'ask' | 'create'>
  readonly store: Store
}

const iso = (ms: number): string => new Date(ms).toISOString()
const invitedAnswer = dataOf(personAnswer.extend({ invitation: z.string() }))

/** A grant from which tokens are made must not last longer than one reviewer may allow. */
const grantDays = 28

export class DemoChain {
  readonly #deps: DemoChainDeps
  readonly #state: DemoState
  readonly #signIns: DemoSignIns

  constructor(deps: DemoChainDeps, state: DemoState) {
    this.#deps = deps
    this.#state = state
    this.#signIns = new DemoSignIns(deps.base, deps.directory)
  }

  /** Resolves with the passwords that were set. */
  async complete(): Promise<ReadonlyMap<DemoPerson, string>> {
    await this.#staff()
    const client = await this.#client()
    await this.#member('mina', client, ['owner'])
    const theo = await this.#member('theo', client, ['member'])
    const scope = await this.#scope(client)
    await this.#activate(client)
    const need = await this.#need(client)
    const common = { scope_id: scope, need_id: need, ends_at: iso(Date.now() + grantDays * dayMs) }
    await this.#newsletterGrant(client, common)
    await this.#shopGrant(theo, common)
    await this.#signIns.signOut()
    return this.#signIns.passwords
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
    const { id } = await this.#as('ada', {
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

  async #member(name: 'mina' | 'theo', client: string, roles: readonly string[]): Promise<string> {
    const known = this.#state.people[name]
    if (known) {
      if (known.vouchers) await this.#confirm(known.id)
      await this.#signIns.open(name, known)
      return known.id
    }
    const { email, name: full } = demoCast[name]
    const { id, invitation } = await this.#as('ada', {
      method: 'POST',
      path: '/v1/members',
      body: { client_id: client, email, name: full, roles },
      answer: invitedAnswer,
    })
    await this.#confirm(id)
    await this.#signIns.accept(name, invitation)
    return id
  }

  /** As the operator of the host: Ada, who invites them, also requests what they approve. */
  async #confirm(id: string): Promise<void> {
    const by = systemAuthor('demo')
    await this.#deps.directory.ask(personActor, id, { type: 'confirm', by })
  }

  /** Ada proposes the terms and Grace confirms them: all areas, which each grant then narrows. */
  async #scope(client: string): Promise<string> {
    if (this.#state.scope) return this.#state.scope.id
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
    const draft = await this.#as('ada', { method: 'POST', path, body, answer })
    const { id, version, digest } = await this.#as('ada', {
      method: 'POST',
      path: `${path}/${draft.id}/submit`,
      version: draft.version,
      answer,
    })
    const confirm = { method: 'POST', path: `${path}/${id}/confirm`, version, answer } as const
    await this.#as('grace', { ...confirm, body: { digest } })
    return id
  }

  async #activate(client: string): Promise<void> {
    if (this.#state.client?.status === 'active') return
    const path = `/v1/clients/${client}/activate`
    const answer = dataOf(clientAnswer)
    await this.#as('grace', { method: 'POST', path, version: '*', answer })
  }

  async #need(client: string): Promise<string> {
    if (this.#state.need) return this.#state.need.id
    const me = { method: 'GET', path: '/v1/me', answer: dataOf(personAnswer) } as const
    const { id } = await this.#as('ada', {
      method: 'POST',
      path: '/v1/needs',
      body: {
        client_id: client,
        title: 'Newsletter and shop work from the same records',
        purpose:
          'The newsletter tool needs current contacts, and the shop team has to see its work.',
        category: 'delivery',
        reference: { kind: 'contract', id: 'GC-2041' },
        owner_id: (await this.#as('ada', me)).id,
        expected_end_at: iso(Date.now() + 90 * dayMs),
      },
      answer: dataOf(needAnswer),
    })
    return id
  }

  /** Personal data for a program: both a staff reviewer and the client's owner must approve. */
  async #newsletterGrant(client: string, common: object): Promise<void> {
    if (this.#state.grants.newsletter) return
    await this.#grant('ada', ['grace', 'mina'], {
      ...common,
      client_id: client,
      subject: { kind: 'integration', id: demoIntegration },
      permissions: [
        { area: 'contacts', actions: ['read'] },
        { area: 'opportunities', actions: ['read'] },
        { area: 'tasks', actions: ['read', 'write'] },
      ],
      justification:
        'The newsletter tool reads contacts once an hour, and leaves tasks for people.',
    })
  }

  /** A member of the client who reads, and has reports as files: that takes two reviewers. */
  async #shopGrant(theo: string, common: object): Promise<void> {
    if (this.#state.grants.shop) return
    const areas = ['tasks', 'reports', 'projects', 'deployments', 'domains', 'monitoring']
    await this.#grant('mina', ['grace', 'ada'], {
      ...common,
      path: 'portal',
      subject: { kind: 'person', id: theo },
      permissions: areas.map((area) => ({
        ...{ area, actions: area === 'reports' ? ['read', 'export'] : ['read'] },
      })),
      justification: 'Theo runs the shop day by day and follows what is delivered to it.',
    })
  }

  async #grant(asker: DemoPerson, reviewers: readonly DemoPerson[], body: object): Promise<void> {
    const answer = dataOf(requestAnswer)
    const path = '/v1/access-requests'
    const draft = await this.#as(asker, { method: 'POST', path, body, answer })
    const one = `${path}/${draft.id}`
    const submit = {
      method: 'POST',
      path: `${one}/submit`,
      version: draft.version,
      answer,
    } as const
    let request = await this.#as(asker, submit)
    for (const reviewer of reviewers) {
      const { version, digest } = request
      const reason = 'It is what the contract says, and no more.'
      request = await this.#as(reviewer, {
        method: 'POST',
        path: `${one}/reviews`,
        version,
        body: { decision: 'approve', reason, digest },
        answer,
      })
    }
    if (request.status === 'fulfilled') return
    throw new CommandFailed(`${request.id} is ${request.status}: ${request.message ?? ''}`)
  }

  #as<T>(person: DemoPerson, order: ServiceCall<T>): Promise<T> {
    return callService(this.#deps.base, this.#signIns.tokenOf(person), order)
  }
}

/** True if everything exists, so that no one has to sign in. */
export function isComplete({ client, scope, need, people, grants }: DemoState): boolean {
  const isPeopled = demoPeople.every((name) => people[name] !== undefined)
  return (
    !!(client?.status === 'active' && scope && need && grants.newsletter && grants.shop) &&
    isPeopled
  )
}
