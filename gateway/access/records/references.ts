/**
 * Checks ids in a body: they must refer to entities of the client concerned, or to the provider's
 * people. An id of another client gets the same error as an unknown one, before anything is stored.
 */
import type { AnyActorProtocol } from '../../../proto/actor.ts'
import { grantActor } from '../../../proto/access/grants/grant.ts'
import { platformTenant, type ClientId, type Tenant } from '../../../proto/access/ids.ts'
import { needActor } from '../../../proto/access/engagement/need.ts'
import { personActor } from '../../../proto/access/people/person.ts'
import type { ChangeTerms } from '../../../proto/access/changes/change-terms.ts'
import type { RequestTerms } from '../../../proto/access/grants/request.ts'
import { scopeActor } from '../../../proto/access/engagement/scope.ts'
import { isNotFound, ServiceError } from '../../../proto/errors.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'

export class References {
  readonly #directory: Pick<Directory, 'ask'>

  constructor(directory: Pick<Directory, 'ask'>) {
    this.#directory = directory
  }

  /** The person must belong to the provider or to this client. Throws `validation_failed`. */
  async person(client: ClientId, id: string, pointer: string): Promise<void> {
    const isKnown =
      (await this.#has(platformTenant, personActor, id)) ||
      (await this.#has(client, personActor, id))
    if (!isKnown) throw unknownReferenceError(pointer)
  }

  /** Checks all ids in a request's terms. Throws `validation_failed`. */
  async terms(
    client: ClientId,
    { scopeId, needId, subject, renewsGrantId }: RequestTerms,
  ): Promise<void> {
    await this.#assert(client, scopeActor, scopeId, '/scope_id')
    await this.#assert(client, needActor, needId, '/need_id')
    if (subject.kind === 'person') await this.person(client, subject.id, '/subject/id')
    if (renewsGrantId === undefined) return
    await this.#assert(client, grantActor, renewsGrantId, '/renews_grant_id')
  }

  /**
   * Checks the ids in a change's terms, except its target, which is checked when it is proposed.
   * Throws `validation_failed`.
   */
  async change(client: ClientId, { needId, implementerId }: ChangeTerms): Promise<void> {
    await this.#assert(client, needActor, needId, '/need_id')
    if (implementerId !== undefined) await this.person(client, implementerId, '/implementer_id')
  }

  async #assert(client: ClientId, actor: AnyActorProtocol, id: string, pointer: string) {
    if (!(await this.#has(client, actor, id))) throw unknownReferenceError(pointer)
  }

  async #has(tenant: Tenant, actor: AnyActorProtocol, id: string): Promise<boolean> {
    try {
      await this.#directory.ask(actor, id, { type: 'get' }, { tenant })
      return true
    } catch (error) {
      if (isNotFound(error)) return false
      throw error
    }
  }
}

function unknownReferenceError(pointer: string): ServiceError {
  const message = `The id at ${pointer} does not exist in this client.`
  return new ServiceError('validation_failed', message, { pointers: [pointer] })
}
