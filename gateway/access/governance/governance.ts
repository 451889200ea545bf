/**
 * Sends commands of routes to the actors of scoped access: in the caller's name, limited to the
 * caller's client, and only while the audit can be written.
 */
import type {
  AnswerOf,
  AnyActorProtocol,
  ActorInput,
  MessageTo,
  VerbName,
} from '../../../proto/actor.ts'
import { isAccessId } from '../../../proto/access/ids.ts'
import { isNotFound, ServiceError } from '../../../proto/errors.ts'
import type { AskOptions, Directory } from '../../../runtime/actor/directory.ts'
import { authorOf, callerTenantOf, type AccessCaller } from '../../routing/auth/access-caller.ts'
import type { AccessChain, AccessKind, AccessViews } from '../gate/chain.ts'

export interface GovernanceDeps {
  readonly directory: Pick<Directory, 'ask' | 'create'>
  readonly chain: AccessChain
  /** Throws `audit_unavailable` while decisions could not be written to the audit. */
  readonly assertAudited: () => void
  /**
   * `ACCESS_SINGLE_OPERATOR`: one person may do both parts where two are required; this is
   * recorded.
   */
  readonly singleOperator: boolean
}

type AccessActor = AnyActorProtocol & { readonly kind: AccessKind }
type ViewFrom<P extends AccessActor> = AccessViews[P['kind']]

export class Governance {
  readonly #deps: GovernanceDeps

  constructor(deps: GovernanceDeps) {
    this.#deps = deps
  }

  authorOf(caller: AccessCaller) {
    return authorOf(caller, this.#deps.singleOperator)
  }

  /** The actor's current view. An entity of another client is answered as unknown. */
  async get<P extends AccessActor>(
    actor: P,
    caller: AccessCaller,
    id: string,
  ): Promise<ViewFrom<P>> {
    const asked: AccessActor = actor
    return this.#learn(actor, await this.#ask(asked, caller, id, { type: 'get' }))
  }

  /** Throws the actor's error, or `audit_unavailable` before asking it. */
  async tell<P extends AccessActor, N extends VerbName<P>>(
    actor: P,
    caller: AccessCaller,
    id: string,
    message: MessageTo<P, N>,
    options: Pick<AskOptions, 'untilSettled'> = {},
  ): Promise<ViewFrom<P>> {
    this.#deps.assertAudited()
    return this.#learn(actor, await this.#ask(actor, caller, id, message, options))
  }

  async create<P extends AccessActor>(
    actor: P,
    id: string,
    input: ActorInput<P>,
    options: Pick<AskOptions, 'untilSettled'> = {},
  ): Promise<ViewFrom<P>> {
    this.#deps.assertAudited()
    return this.#learn(actor, await this.#deps.directory.create(actor, id, input, options))
  }

  async #ask<P extends AccessActor, N extends VerbName<P>>(
    actor: P,
    caller: AccessCaller,
    id: string,
    message: MessageTo<P, N>,
    options: Pick<AskOptions, 'untilSettled'> = {},
  ): Promise<AnswerOf<P, N>> {
    if (!isAccessId(actor.kind, id)) throw unknownEntity(actor.kind)
    try {
      const tenant = callerTenantOf(caller)
      return await this.#deps.directory.ask(actor, id, message, { ...options, tenant })
    } catch (error) {
      throw isNotFound(error) ? unknownEntity(actor.kind) : error
    }
  }

  /** Every verb that routes send is answered with the resulting view. */
  #learn<P extends AccessActor>({ kind }: P, answer: unknown): ViewFrom<P> {
    const { view } = answer as { readonly view: ViewFrom<P> }
    this.#deps.chain.learn(kind, view)
    return view
  }
}

const nouns: Readonly<Record<AccessKind | 'token', string>> = {
  client: 'client',
  scope: 'service scope',
  need: 'need',
  request: 'access request',
  grant: 'grant',
  person: 'person',
  change: 'change',
  custom: 'custom access',
  report: 'report',
  endpoint: 'webhook endpoint',
  token: 'token',
}

/** Tokens are not entities, but callers ask for them by id too. */
export const unknownEntity = (kind: AccessKind | 'token'): ServiceError =>
  new ServiceError('not_found', `There is no ${nouns[kind]} with this id.`)
