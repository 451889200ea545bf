/**
 * Access is requested, reviewed, given and ended on hosts that are struck right after they wrote.
 */
import { grantIdOf } from '../../../actors/access/request/machine.ts'
import type { Author } from '../../../proto/access/author.ts'
import { clientActor } from '../../../proto/access/engagement/client.ts'
import { grantActor } from '../../../proto/access/grants/grant.ts'
import { needActor } from '../../../proto/access/engagement/need.ts'
import { personActor } from '../../../proto/access/people/person.ts'
import { requestActor, type RequestTerms } from '../../../proto/access/grants/request.ts'
import type { Review } from '../../../proto/access/grants/review.ts'
import { scopeActor } from '../../../proto/access/engagement/scope.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { sleep } from '../../../runtime/lib/clock.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'
import {
  accessIdOf,
  admin,
  asker,
  because,
  client,
  draft,
  layBasis,
  mine,
  need,
  owner,
  reviewers,
  reviewOf,
  scope,
  scopeTerms,
  subjectId,
  submit,
  termsAt,
} from '../../helpers/access/actors/story.ts'
import { worldBeginsAtMs, type SimProcess } from '../world/clock.ts'
import { calm } from '../world/link.ts'
import { askMs, StruckWorld } from './struck-world.ts'
import type { World } from '../world/world.ts'

/** The approximate number of entries from the draft to the token, when nothing fails. */
const storyEntries = 16

/** Events that end or narrow access while it is requested, made or used. */
export const troubles = [
  'none',
  'close_need',
  'retire_scope',
  'narrow_scope',
  'suspend_client',
  'close_client',
  'remove_subject',
  'withdraw',
  'revoke',
  'end_soon',
] as const
export type Trouble = (typeof troubles)[number]

const shapes: readonly Partial<RequestTerms>[] = [
  { permissions: [{ area: 'tasks', actions: ['read'] }] },
  { permissions: [{ area: 'tasks', actions: ['read', 'write'] }] },
  { permissions: [{ area: 'contacts', actions: ['read', 'write'] }] },
]

export class AccessWorld {
  readonly world: World
  readonly trouble: Trouble
  readonly request = accessIdOf('request', 1)
  readonly grant = grantIdOf(this.request)
  readonly token = accessIdOf('token', 1)
  /** Commands that were answered with success: each holds from then on. */
  readonly done = new Set<'trouble' | 'mint' | `review ${string}`>()
  readonly struck: StruckWorld
  readonly #directory: Directory
  readonly #clock: SimProcess['clock']
  readonly #troubleAt: number
  #troubled: Promise<unknown> | undefined

  private constructor(struck: StruckWorld) {
    const { world, directory, clock } = struck
    const { random } = world
    this.struck = struck
    this.world = world
    this.#directory = directory
    this.#clock = clock
    this.trouble = random.pick(troubles)
    // Often late, because most of it is about the grant, which comes last.
    this.#troubleAt = random.int(random.chance(0.5) ? 8 : 1, storyEntries)
    const strikes = random.int(1, 4)
    struck.strikesAt = [
      ...Array.from({ length: strikes }, () => random.int(1, storyEntries)),
      ...(random.chance(0.5) ? [this.#troubleAt + random.int(1, 3)] : []),
    ]
  }

  /** A world with everything that access depends on, before any fault. */
  static async begin(seed: number, tell?: (line: string) => void): Promise<AccessWorld> {
    const struck = await StruckWorld.begin(seed, tell)
    const { world, directory } = struck
    const access = new AccessWorld(struck)
    await world.timeline.until(layBasis(directory, worldBeginsAtMs), 10 * askMs)
    const lost = world.random.pick([0, 0, 0.01, 0.03])
    world.setFaults({ ...calm, delayMs: [0.1, 8], lost })
    struck.onEntry = (n) => {
      if (n === access.#troubleAt) access.#troubled = access.#makeTrouble()
    }
    return access
  }

  /** Runs from the draft to the use of a token, or to what prevents it. */
  async live(): Promise<void> {
    const { random } = this.world
    const nowMs = this.#clock.now()
    const isShort = this.trouble === 'end_soon'
    const terms = termsAt(nowMs, {
      ...random.pick(shapes),
      ...(isShort && { endsAtMs: nowMs + random.int(2_000, 20_000) }),
    })
    await this.struck.insist('draft', () => draft(this.#directory, 1, nowMs, terms))
    await this.struck.insist('submit', () => submit(this.#directory, this.request))
    const digest = await this.#digest()
    const people = [...reviewers, owner, ...this.#parties()]
    await Promise.all(people.map((by) => this.#review(by, digest)))
    await this.#mint()
    await this.#troubled
  }

  /** The requester and the beneficiary, each with a role that would otherwise admit them. */
  #parties(): readonly Author[] {
    const subject: Author = { kind: 'staff', id: subjectId, roles: ['reviewer'] }
    return [{ ...asker, roles: ['reviewer'] }, subject]
  }

  async #digest(): Promise<string | null> {
    const asked = () => this.#directory.ask(requestActor, this.request, { type: 'get' }, mine)
    const answer = await this.struck.insist('get', asked)
    return answer instanceof ServiceError ? null : answer.view.digest
  }

  async #review(by: Author, digest: string | null): Promise<void> {
    const { random } = this.world
    const decision: Review['decision'] = random.chance(0.03) ? 'deny' : 'approve'
    await sleep(this.#clock, random.between(0, random.chance(0.7) ? 20 : 2_000))
    const review = reviewOf(by, digest, decision)
    const answer = await this.struck.insist(`review by ${by.id}`, () => {
      return this.#directory.ask(requestActor, this.request, review, { ...mine, timeoutMs: askMs })
    })
    if (answer instanceof ServiceError) return
    if (this.#parties().some(({ id }) => id === by.id)) this.world.finding('a party has reviewed')
    this.done.add(`review ${review.reviewId}`)
  }

  async #mint(): Promise<void> {
    const token = { tokenId: this.token, name: 'ci', hint: 'spat_…0000', hash: 'hash' }
    const mint = { type: 'mint', by: asker, ...token } as const
    const answer = await this.struck.insist('mint', () => {
      const options = { ...mine, untilSettled: true, timeoutMs: askMs }
      return this.#directory.ask(grantActor, this.grant, mint, options)
    })
    if (!(answer instanceof ServiceError)) this.done.add('mint')
  }

  async #makeTrouble(): Promise<void> {
    const words = this.#wordsOf(this.trouble)
    for (const [i, word] of words.entries()) {
      const answer = await this.struck.insist(`${this.trouble} ${i}`, word)
      // An attempt whose answer was lost may have done it.
      if (answer instanceof ServiceError && !isOver(answer)) return
    }
    if (words.length > 0) this.done.add('trouble')
  }

  #wordsOf(trouble: Trouble): readonly (() => Promise<unknown>)[] {
    const directory = this.#directory
    const by = admin
    const reason = because
    const toClient = (type: 'suspend' | 'offboard' | 'close') => () =>
      directory.ask(clientActor, client, { type, by, reason }, mine)
    switch (trouble) {
      case 'none':
      case 'end_soon':
        return []
      case 'close_need':
        return [() => directory.ask(needActor, need, { type: 'close', by, reason }, mine)]
      case 'retire_scope':
        return [() => directory.ask(scopeActor, scope, { type: 'retire', by, reason }, mine)]
      case 'narrow_scope': {
        const terms = { ...scopeTerms(worldBeginsAtMs), areas: narrowed }
        return [() => directory.ask(scopeActor, scope, { type: 'revise', by, terms }, mine)]
      }
      case 'suspend_client':
        return [toClient('suspend')]
      case 'close_client':
        return [toClient('offboard'), toClient('close')]
      case 'remove_subject':
        return [() => directory.ask(personActor, subjectId, { type: 'remove', by, reason })]
      case 'withdraw':
        return [
          () => directory.ask(requestActor, this.request, { type: 'withdraw', by: asker }, mine),
        ]
      case 'revoke':
        return [() => directory.ask(grantActor, this.grant, { type: 'revoke', by, reason }, mine)]
    }
  }

  /** Checks that each actor answers; those that were never made must say so. */
  async proveAlive(): Promise<void> {
    const get = { type: 'get' } as const
    const asked = [
      this.#directory.ask(needActor, need, get, mine),
      this.#directory.ask(scopeActor, scope, get, mine),
      this.#directory.ask(clientActor, client, get, mine),
      this.#directory.ask(personActor, subjectId, get),
      this.#directory.ask(requestActor, this.request, get, mine),
      this.#directory.ask(grantActor, this.grant, get, mine),
    ]
    for (const answer of await Promise.allSettled(asked)) {
      if (answer.status === 'fulfilled' || isNotThere(answer.reason)) continue
      this.world.finding(`no answer in a healed world: ${String(answer.reason)}`)
    }
  }
}

/** Contains none of the permissions that the requests ask for. */
const narrowed = [{ area: 'domains', actions: ['read'] }] as const

/** The refusal says that it is done already. */
const isOver = ({ type, details }: ServiceError): boolean =>
  type === 'invalid_transition' && overs.includes(String(details['status']))
const overs: readonly string[] = [
  'closed',
  'offboarding',
  'suspended',
  'retired',
  'removed',
  'withdrawn',
  'revoked',
  'ended',
]

const isNotThere = (error: unknown): boolean =>
  error instanceof ServiceError && error.type === 'not_found'
