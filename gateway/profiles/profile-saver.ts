/** Asks an actor host to save the profile of a session that goes on. */
import { limits } from '../../proto/limits.ts'
import type { ProfileSave, ProfileVersion } from '../../proto/session/profile.ts'
import { subjects } from '../../proto/subjects.ts'
import type { Bus } from '../../runtime/store/bus.ts'
import { askForReply } from '../../runtime/store/reply.ts'
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

  async #ask(request: ProfileSave): Promise<number> {
    const saved = await askForReply<Pick<ProfileVersion, 'version'>>(this.#deps.bus, {
      ...{ subject: subjects.profileSaves, request, timeoutMs: limits.requestHeldMs },
      silence: 'No actor host answers; try again.',
    })
    return saved.version
  }
}
