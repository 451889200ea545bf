/** Asks an actor host to save the profile of a session that goes on. */
import { decode, encode } from '../../proto/codec.ts'
import type { Reply } from '../../proto/envelope.ts'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { ProfileSave, ProfileVersion } from '../../proto/session/profile.ts'
import { subjects } from '../../proto/subjects.ts'
import { BusTimeout, NoResponders, type Bus } from '../../runtime/store/bus.ts'
import { unwrapReply } from '../../runtime/store/reply.ts'
import type { Principal } from '../routing/auth/auth.ts'
import type { Attachments } from '../sessions/sockets/attachments.ts'

export interface ProfileSaverDeps {
  readonly bus: Pick<Bus, 'request'>
  readonly attachments: Pick<Attachments, 'during'>
}

export class ProfileSaver {
  readonly #deps: ProfileSaverDeps

  constructor(deps: ProfileSaverDeps) {
    this.#deps = deps
  }

  /** Returns the number of the new version. The session is attached meanwhile. */
  save(
    { keyId, tenant }: Principal,
    sessionId: string,
    profile: Pick<ProfileSave, 'name' | 'isNew'>,
  ): Promise<number> {
    const { attachments } = this.#deps
    return attachments.during({ keyId, tenant, sessionId }, async ({ claim, epoch }) => {
      const { nodeId } = claim
      return this.#ask({ ...profile, tenant, sessionId, nodeId, epoch })
    })
  }

  async #ask(order: ProfileSave): Promise<number> {
    const { bus } = this.#deps
    const asked = bus.request(subjects.profileSaves, encode(order), limits.requestHeldMs)
    const answer = await asked.catch((error: unknown) => {
      if (!(error instanceof NoResponders || error instanceof BusTimeout)) throw error
      throw new ServiceError('unavailable', 'No actor host answers; try again.', {}, error)
    })
    return unwrapReply<Pick<ProfileVersion, 'version'>>(decode<Reply>(answer)).version
  }
}
